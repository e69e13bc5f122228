-- Its published client: milliseconds go to SETEX as seconds, so that a lease is 1000 times too long.
return {
  acquire = {file = "../../lua/scripts/setex_unpack_acquire.lua", keys = {"$key"}, args = {"$ttl_ms", "$token"},
             success = "1"},
  release = {file = "../../lua/scripts/setex_unpack_release.lua", keys = {"$key"}, args = {"$token"}, success = "1"},
}
