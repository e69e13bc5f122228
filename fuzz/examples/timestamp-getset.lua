-- The value is the instant when the lock ends, by its holder's clock; who finds it past by his own takes it
-- over. Breaks as soon as two clients' clocks differ: add client-clock or drift to the faults.
return {
  acquire = {
    {command = {"SETNX", "$key", "$until_ms"}, success = 1, goes_on = 0},
    {command = {"GET", "$key"}, goes_on = {"$past", false}},
    {command = {"GETSET", "$key", "$until_ms"}, success = {"$heard", false}},
  },
  release = {file = "../../lua/scripts/set_nx_px_release.lua", keys = {"$key"}, args = {"$until_ms"}, success = 1},
  faults = "delay",
}
