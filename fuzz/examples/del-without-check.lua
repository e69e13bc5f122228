-- Freed by a bare DEL: a late holder frees the lock of the next.
return {
  acquire = {command = {"SET", "$key", "$token", "NX", "PX", "$ttl_ms"}, success = "OK"},
  release = {command = {"DEL", "$key"}},
}
