#!/bin/bash
# Builds the programs once more, in build-tuned/, laid out by what they were seen doing: searches of the gallery's locks,
# the demo, and what sockets.py and lock_client.py measure: redis-benchmark's requests, the lock client over TCP.
#
#   tests/bench/tuned.sh JOBS
#
# Looks again only if a source has changed since.
set -euo pipefail
cd "$(dirname "$0")/../.."
jobs=$1
build="build-tuned"
seen=$build/seen
bin=$build/bin

build_programs() {
  cmake --preset tuned -DPICKLOCK_TUNING="$1" >/dev/null
  cmake --build "$build" -j "$jobs" --target "${@:2}"
}

search() {
  "$bin/picklock-fuzz" run "$@" >/dev/null || [ $? -eq 1 ]  # Some of the locks are broken.
}

# Every kind of request that redis-benchmark makes, a script of our own, and locks that are taken and given back.
serve() {
  local port
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  "$bin/picklock-server" --port "$port" >/dev/null &
  local server=$!
  for _ in $(seq 100); do redis-cli -p "$port" ping >/dev/null 2>&1 && break; sleep 0.1; done
  redis-benchmark -p "$port" -n 20000 -P 16 -q >/dev/null
  redis-benchmark -p "$port" -n 5000 -q >/dev/null
  redis-benchmark -p "$port" -n 5000 -P 16 -q -r 1000 EVAL \
    "if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', 50) then return redis.call('PEXPIRE', KEYS[1], 90) end
     return redis.call('PTTL', KEYS[1])" 1 key:__rand_int__ value >/dev/null
  "$bin/picklock-lock-bench" "$port" 2 2000 >/dev/null
  kill "$server"
  wait "$server" || true  # Its notes are written at its end.
}

if [ ! -f "$seen/complete" ] ||
   [ -n "$(find emulator lua lockclient fuzz \( -name '*.cpp' -o -name '*.hpp' \) -newer "$seen/complete" -print -quit)" ]; then
  echo "== Building $build, to see what runs"
  rm -rf "$seen"
  build_programs record picklock-fuzz picklock-server picklock-lock-bench picklock-demo
  echo "== Looking at what runs"
  for lock in set-nx-px set-nx-px-script reentrant-renew redlock failover-wait watchdog; do
    search "$lock" --schedules 10000
    search "$lock" --workers 3 --rounds 2 --schedules 2000 --faults none
  done
  for lock in client-lock client-redlock client-semaphore; do search "$lock" --schedules 1000; done
  search set-nx-px --strategy exhaustive --faults none
  search redlock-once --strategy exhaustive --faults none --schedules 100000  # Its world is copied.
  "$bin/picklock-demo" >/dev/null
  serve
  touch "$seen/complete"
fi
echo "== Building $build"
build_programs use picklock-fuzz picklock-server picklock-bench picklock-lock-bench reached-states
