-- A hash counts the owner's holds. Taking it again does not lengthen the ttl; bad ttls leave it for ever.
return {
  acquire = {file = "../../lua/scripts/reentrant_hash_acquire.lua", keys = {"$key"}, args = {"$client", "$ttl_s"},
             success = 1},
  release = {file = "../../lua/scripts/reentrant_hash_release.lua", keys = {"$key"}, args = {"$client"}, success = 1},
  depth = 2,
}
