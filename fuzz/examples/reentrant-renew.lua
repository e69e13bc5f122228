-- A hash counts the owner's holds, and a watchdog renews it. nil, 0 and 1 are three answers of its release: not
-- yours, still held, free.
return {
  acquire = {file = "../../lua/scripts/reentrant_renew_acquire.lua", keys = {"$key"}, args = {"$client", "$ttl_s"},
             success = 1},
  release = {file = "../../lua/scripts/reentrant_renew_release.lua", keys = {"$key"}, args = {"$client"}, success = 1},
  extend = {file = "../../lua/scripts/reentrant_renew_renew.lua", keys = {"$key"}, args = {"$client", "$ttl_s"},
            success = 1},
  depth = 2, watchdog = true,
}
