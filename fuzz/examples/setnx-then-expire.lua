-- Taken by two commands: a crash between them leaves a lock that never expires.
return {
  acquire = {
    {command = {"SETNX", "$key", "$token"}, success = 1},
    {command = {"EXPIRE", "$key", "$ttl_s"}, success = 1},
  },
  release = {file = "../../lua/scripts/set_nx_px_release.lua", keys = {"$key"}, args = {"$token"}, success = 1},
}
