-- SET NX PX, and a script that frees the lock only if the token is still there. Sound but for a pause
-- beyond the ttl, which no lock without fencing survives.
return {
  acquire = {command = {"SET", "$key", "$token", "NX", "PX", "$ttl_ms"}, success = "OK"},
  release = {
    script = [[
      if redis.call('GET', KEYS[1]) == ARGV[1] then
        return redis.call('DEL', KEYS[1])
      end
      return 0]],
    keys = {"$key"}, args = {"$token"}, success = 1,
  },
  clients = 2, rounds = 2, ttl_ms = 1000,
  faults = "pause,crash,lost-reply,delay",
}
