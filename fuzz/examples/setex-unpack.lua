-- Answers strings, not integers: success = 1 would never come true.
return {
  acquire = {file = "../../lua/scripts/setex_unpack_acquire.lua", keys = {"$key"}, args = {"$ttl_s", "$token"},
             success = "1"},
  release = {file = "../../lua/scripts/setex_unpack_release.lua", keys = {"$key"}, args = {"$token"}, success = "1"},
}
