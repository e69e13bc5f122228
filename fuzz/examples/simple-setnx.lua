-- SETNX and EXPIRE in one script, which rolls nothing back when EXPIRE fails: bad ttls leave a lock for ever.
return {
  acquire = {file = "../../lua/scripts/simple_setnx_acquire.lua", keys = {"$key"}, args = {"$token", "$ttl_s"},
             success = 1},
  release = {file = "../../lua/scripts/simple_setnx_release.lua", keys = {"$key"}, args = {"$token"}, success = 1},
}
