-- Freed by two commands: the lock may change hands between GET and DEL.
return {
  acquire = {command = {"SET", "$key", "$token", "NX", "PX", "$ttl_ms"}, success = "OK"},
  release = {
    {command = {"GET", "$key"}, success = "$token"},
    {command = {"DEL", "$key"}, success = 1},
  },
}
