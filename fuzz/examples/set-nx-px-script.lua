-- The same with a script that acquires.
return {
  acquire = {file = "../../lua/scripts/set_nx_px_acquire.lua", keys = {"$key"}, args = {"$token", "$ttl_ms"},
             success = 1},
  release = {file = "../../lua/scripts/set_nx_px_release.lua", keys = {"$key"}, args = {"$token"}, success = 1},
}
