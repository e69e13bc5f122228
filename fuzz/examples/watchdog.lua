-- A token, a ttl that must be a whole number above 0, and a watchdog that ends with its hold: nothing is wrong
-- with it but what no lock without fencing survives.
return {
  acquire = {
    script = [[
      if redis.call('EXISTS', KEYS[1]) == 1 and redis.call('GET', KEYS[1]) ~= ARGV[1] then
        return 0
      end
      redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
      return 1]],
    keys = {"$key"}, args = {"$token", "$ttl_s"}, success = 1,
  },
  release = {file = "../../lua/scripts/set_nx_px_release.lua", keys = {"$key"}, args = {"$token"}, success = 1},
  extend = {
    script = [[
      if redis.call('GET', KEYS[1]) ~= ARGV[1] then
        return 0
      end
      return redis.call('EXPIRE', KEYS[1], ARGV[2])]],
    keys = {"$key"}, args = {"$token", "$ttl_s"}, success = 1,
  },
  watchdog = true,
}
