-- reentrant-hash by a client that sends again what was not answered: a release that counts twice frees the
-- outer hold as well.
return {
  acquire = {file = "../../lua/scripts/reentrant_hash_acquire.lua", keys = {"$key"}, args = {"$client", "$ttl_s"},
             success = 1},
  release = {file = "../../lua/scripts/reentrant_hash_release.lua", keys = {"$key"}, args = {"$client"}, success = 1},
  depth = 2, retry = true, faults = "lost-reply", arguments = false,
}
