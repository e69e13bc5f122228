#!/bin/sh
# Plants wrong includes and calls, one at a time, and demands that the layer check finds each.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

fresh_tree() {
  rm -rf "${tree:?}"/*
  for folder in emulator/base emulator/resp emulator/keyspace emulator/commands emulator/engine \
    emulator/facade emulator/server emulator/include/picklock lua/scripts lockclient/asio/include/picklock \
    lockclient/include/picklock fuzz/include/picklock fuzz/simtime tests/base; do
    mkdir -p "$tree/$folder"
  done
  : >"$tree/lockclient/include/picklock/lock.hpp"
  : >"$tree/lockclient/asio/include/picklock/redis_loop.hpp"
  : >"$tree/fuzz/include/picklock/race.hpp"
}

# plant <refused|accepted> <file> <line>
plant() {
  fresh_tree
  echo "$3" >"$tree/$2"
  verdict=accepted
  "$here/check_layers.sh" "$tree" >"$tree/out" 2>&1 || verdict=refused
  if [ "$verdict" != "$1" ]; then
    echo "should be $1, is $verdict: $2: $3"
    failures=$((failures + 1))
  fi
}

plant refused  emulator/base/a.cpp       '#include "emulator/resp/reply_writer.hpp"'
plant refused  emulator/base/a.cpp       '#include <picklock/reply.hpp>'
plant refused  emulator/resp/a.hpp       '#include "emulator/keyspace/database.hpp"'
plant refused  emulator/resp/a.hpp       '#include <picklock/emulator.hpp>'
plant refused  emulator/keyspace/a.cpp   '#include "emulator/commands/context.hpp"'
plant refused  emulator/keyspace/a.cpp   '#include "lua/interpreter.hpp"'
plant refused  emulator/commands/a.cpp   '#include "emulator/engine/engine.hpp"'
plant refused  emulator/engine/a.cpp     '#include "emulator/facade/executor.hpp"'
plant refused  emulator/facade/a.cpp     '#include "emulator/server/connection.hpp"'
plant refused  emulator/facade/a.cpp     '#include <picklock/server.hpp>'
plant refused  emulator/include/picklock/reply.hpp '#include <picklock/emulator.hpp>'
plant refused  lua/a.cpp                 '#include "emulator/engine/engine.hpp"'
plant refused  lua/a.cpp                 '#include "emulator/keyspace/database.hpp"'
plant refused  lockclient/a.cpp          '#include <picklock/emulator.hpp>'
plant refused  lockclient/a.cpp          '#include <picklock/race.hpp>'
plant refused  lockclient/a.cpp          '#include <picklock/redis_loop.hpp>'
plant refused  lockclient/asio/a.cpp     '#include <picklock/emulator.hpp>'
plant refused  lockclient/asio/a.cpp     '#include "emulator/engine/engine.hpp"'
plant refused  fuzz/a.cpp                '#include "lockclient/asio/server_session.hpp"'
plant refused  fuzz/a.cpp                '#include <picklock/server.hpp>'
plant refused  emulator/facade/a.cpp     '#include <asio.hpp>'
plant refused  emulator/include/picklock/server.hpp '#include <asio.hpp>'
plant refused  fuzz/a.cpp                '#include <asio/ip/tcp.hpp>'
plant refused  emulator/engine/a.cpp     '#include <lua.h>'
plant refused  emulator/engine/a.cpp     '#include <thread>'
plant refused  emulator/engine/a.cpp     '#include <sys/socket.h>'
plant refused  emulator/engine/a.cpp     '#include "engine.hpp"'
plant refused  emulator/engine/a.cpp     'auto now = std::chrono::system_clock::now();'
plant refused  fuzz/a.cpp                'auto now = std::chrono::steady_clock::now();'
plant refused  lua/a.cpp                 'auto seed = time(nullptr);'
plant refused  tests/base/a_test.cpp     'std::this_thread::sleep_for(1ms);'
plant refused  emulator/keyspace/a.cpp   'std::random_device device;'
plant refused  emulator/keyspace/a.cpp   'int n = rand();'
plant refused  fuzz/a.cpp                'std::uniform_int_distribution<int> die(1, 6);'
plant refused  emulator/keyspace/a.hpp   'auto h = std::hash<std::string>{}(key);'

plant accepted fuzz/simtime/a.cpp         'if (usleep(1) == 0) return 0;'
plant accepted emulator/base/clock.cpp   'auto now = std::chrono::system_clock::now();'
plant accepted emulator/resp/a.hpp       '#include <picklock/link.hpp>'
plant accepted emulator/engine/a.cpp     '#include "lua/interpreter.hpp"'
plant accepted emulator/engine/a.hpp     '#include <picklock/emulator.hpp>'
plant accepted emulator/facade/a.cpp     '#include "emulator/base/numbers.hpp"'
plant accepted emulator/server/a.cpp     '#include <asio.hpp>'
plant accepted lua/a.cpp                 '#include "emulator/resp/reply_writer.hpp"'
plant accepted lua/a.cpp                 '#include <lua.h>'
plant accepted lockclient/a.cpp          '#include "lua/scripts/lock_scripts.hpp"'
plant accepted lockclient/a.cpp          '#include <picklock/link.hpp>'
plant accepted lockclient/asio/a.cpp     '#include <asio.hpp>'
plant accepted lockclient/asio/a.cpp     '#include <picklock/lock.hpp>'
plant accepted lockclient/asio/a.cpp     'std::random_device device;'
plant accepted tests/base/a_test.cpp     '#include <picklock/redis_loop.hpp>'
plant accepted fuzz/a.cpp                '#include <picklock/lock.hpp>'
plant accepted fuzz/a.cpp                '#include "emulator/engine/engine.hpp"'
plant accepted tests/base/a_test.cpp     '#include <picklock/server.hpp>'
plant accepted emulator/engine/a.cpp     '// std::chrono::system_clock::now() is never read here'
plant accepted emulator/engine/a.cpp     'writer.strand(1);'
plant accepted emulator/engine/a.cpp     'engine.time(0);'

# The same name in two layers, in one namespace and in two.
both() {
  fresh_tree
  printf 'namespace picklock {\nclass Session final : public X {\n};\n}  // namespace picklock\n' \
    >"$tree/emulator/engine/a.hpp"
  printf '%b' "$2" >"$tree/lockclient/b.cpp"
  verdict=accepted
  "$here/check_layers.sh" "$tree" >"$tree/out" 2>&1 || verdict=refused
  [ "$verdict" = "$1" ] && return
  echo "should be $1, is $verdict: $2"
  failures=$((failures + 1))
}
both refused 'namespace picklock {\nstruct Session {\n};\n}  // namespace picklock\n'
both refused 'namespace CLI {\nclass App;\n}\nnamespace picklock {\nclass Session {\n};\n}  // namespace picklock\n'
both accepted 'namespace picklock {\nclass Session;\n}  // namespace picklock\n'
both accepted 'namespace picklock::race {\nclass Session {\n};\n}  // namespace picklock::race\n'
both accepted 'namespace picklock {\nnamespace {\nclass Session {\n};\n}  // namespace\n}  // namespace picklock\n'

[ "$failures" -eq 0 ] && echo "the layer check tells all planted lines apart"
