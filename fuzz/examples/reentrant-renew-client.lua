-- reentrant-renew with the release and the renewal of its published client.
return {
  acquire = {file = "../../lua/scripts/reentrant_renew_acquire.lua", keys = {"$key"}, args = {"$client", "$ttl_s"},
             success = 1},
  release = {file = "../../lua/scripts/reentrant_renew_client_release.lua", keys = {"$key"}, args = {"$client"},
             success = 1},
  extend = {file = "../../lua/scripts/reentrant_renew_client_renew.lua", keys = {"$key"},
            args = {"$client", "$ttl_s"}, success = 1},
  depth = 2, watchdog = true,
}
