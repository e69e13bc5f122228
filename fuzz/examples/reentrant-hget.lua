-- As reentrant-hash with HGET and PEXPIRE: a ttl of 0 deletes the lock and says that it holds.
return {
  acquire = {file = "../../lua/scripts/reentrant_hget_acquire.lua", keys = {"$key"}, args = {"$client", "$ttl_ms"},
             success = 1},
  release = {file = "../../lua/scripts/reentrant_hget_release.lua", keys = {"$key"}, args = {"$client"}, success = 1},
  depth = 2,
}
