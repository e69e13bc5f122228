# The layer rules as tables, and the check of each source line against them.

BEGIN {
  # What a layer may include, itself apart. A layer sees everything below it, so the lists are complete.
  may["base"] = ""
  may["resp"] = "base"
  may["keyspace"] = "base resp"
  may["commands"] = "base resp keyspace"
  may["lua"] = "base resp"
  may["engine"] = "base resp keyspace commands lua scripts"
  may["facade"] = "base resp keyspace commands lua engine"
  may["server"] = "base resp keyspace commands lua engine facade"
  may["scripts"] = ""
  may["lockclient"] = "base resp scripts"
  may["lockclient_asio"] = "base resp scripts lockclient"
  may["fuzz"] = "base resp keyspace commands lua engine facade scripts lockclient"
  may["tests"] = "base resp keyspace commands lua engine facade server scripts lockclient lockclient_asio fuzz"

  # The layer of a public header that does not belong to its folder's last layer.
  header["picklock/clock.hpp"] = "base"
  header["picklock/reply.hpp"] = "resp"
  header["picklock/link.hpp"] = "resp"
  header["picklock/script_report.hpp"] = "resp"
  header["picklock/steering.hpp"] = "resp"
  header["picklock/emulator.hpp"] = "facade"
  header["picklock/server.hpp"] = "server"

  # Exceptions, "<layer> <include>": Options and Inspector are the engine's own words, declared where the
  # users of the facade find them.
  except["engine picklock/emulator.hpp"] = 1

  # Files that may read the wall clock, sleep or start threads: base's clock, and the drivers that
  # connect the sans-I/O layers to the real world; and simtime, which stands for the C library's own.
  real_world = "^(emulator/base/(clock\\.cpp|short_wait\\.hpp)|emulator/server/|lockclient/asio/|fuzz/simtime/|tests/simtime/|tests/consumers/use_simtime\\.cpp|tests/server/|tests/support/real_redis\\.cpp)"
  # Programs that measure how fast they are: the wall clock is printed and decides nothing.
  measures = "^(fuzz/main[a-z_]*\\.cpp|fuzz/program/|tests/)"
  sockets = "^(emulator/server/|lockclient/asio/|tests/)"
  # Each forbidden call and its reason, outside the files named above.
  wall_clock = "(system_clock|steady_clock|high_resolution_clock)::now|gettimeofday *\\(|clock_gettime *\\(|[^a-z_.>]time\\((NULL|nullptr|0)\\)"
  sleep = "this_thread|usleep *\\(|nanosleep *\\(|[^a-z_.>]sleep *\\([0-9]"
  randomness = "random_device|[^a-z_]s?rand *\\(|std::[a-z_]+_distribution|std::hash *<|mt19937"
}

function layer_of(path) {
  if (path ~ /^emulator\/include\/picklock\//) {
    sub(/^emulator\/include\//, "", path)
    return path in header ? header[path] : "facade"
  }
  if (path ~ /^emulator\/[a-z]+\//) { split(path, parts, "/"); return parts[2] }
  if (path ~ /^lua\/scripts(\/|\.hpp)/) return "scripts"
  if (path ~ /^lockclient\/asio\//) return "lockclient_asio"
  split(path, parts, "/")
  return parts[1]
}

# The layer of an included project header; empty for a system header.
function layer_of_include(name, quoted) {
  if (name ~ /^picklock\//) {
    if (name in header) return header[name]
    if ((getline line < ("lockclient/include/" name)) >= 0) { close("lockclient/include/" name); return "lockclient" }
    if ((getline line < ("lockclient/asio/include/" name)) >= 0) { close("lockclient/asio/include/" name); return "lockclient_asio" }
    if ((getline line < ("fuzz/include/" name)) >= 0) { close("fuzz/include/" name); return "fuzz" }
    return "facade"
  }
  return quoted ? layer_of(name) : ""
}

function complain(text) {
  printf "%s:%d: %s\n", FILENAME, FNR, text
  bad = 1
}

function check_include(name, quoted,    layer, target) {
  layer = layer_of(FILENAME)
  target = layer_of_include(name, quoted)
  if (target != "") {
    if (!(target in may)) {
      complain("includes \"" name "\", which is not a path from the project's root")
    } else if (target != layer && !((layer " " name) in except) &&
               index(" " may[layer] " ", " " target " ") == 0) {
      complain(layer " must not include " target " (" name ")")
    }
    return
  }
  if (name ~ /^asio/ && FILENAME !~ /^(emulator\/server|lockclient\/asio)\// && layer != "tests")
    complain("asio belongs into emulator/server/ and lockclient/asio/ only")
  if (name ~ /^(sys\/socket|netinet\/|arpa\/|sys\/un)/ && FILENAME !~ sockets)
    complain("sockets belong into the drivers (" name ")")
  if (name ~ /^(lua|lauxlib|lualib)\.h/ && layer != "lua" && layer != "tests")
    complain("Lua's headers belong into lua/ only")
  if (name ~ /^thread$/ && layer !~ /^(fuzz|tests)$/ && FILENAME !~ real_world)
    complain("a hermetic emulator starts no thread")
}

{
  code = $0
  sub(/\/\/.*/, "", code)
}

code ~ /^[ \t]*#[ \t]*include[ \t]*[<"]/ {
  quoted = code ~ /"/
  name = code
  gsub(/^[^<"]*[<"]|[>"].*$/, "", name)
  check_include(name, quoted)
  next
}

FILENAME !~ real_world {
  if (code ~ wall_clock && FILENAME !~ measures) complain("reads the wall clock instead of an injected Clock")
  if (code ~ sleep) complain("sleeps")
  if (code ~ randomness) complain("randomness or hashing that is not the project's own Random")
}

END { exit bad }
