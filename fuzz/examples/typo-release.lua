-- A slip that was published: the variable's name ends in a letter that is not ASCII, and Lua 5.1 refuses it.
return {
  acquire = {command = {"SET", "$key", "$token", "NX", "PX", "$ttl_ms"}, success = "OK"},
  release = {
    script = "local token = ARGV[1]\nif redis.call('GET', KEYS[1]) == token\229\128\164 then\n" ..
             "  return redis.call('DEL', KEYS[1])\nend\nreturn 0",
    keys = {"$key"}, args = {"$token"}, success = 1,
  },
}
