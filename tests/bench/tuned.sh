#!/bin/bash
# Builds the programs once more, in build-tuned/, laid out by what they were seen doing: searches of the gallery's locks,
# the demo, and what is measured: picklock-bench's commands and schedules, redis-benchmark's requests, the lock client
# over TCP.
#
#   tests/bench/tuned.sh JOBS
#
# With them Lua, which is compiled from the source of Debian's package.
#
# Twice: clang compiles by what it saw, then BOLT orders what is linked, as an EVALSHA and all that a search does around
# it are more code than a processor's first cache holds. Looks again only if a source, or how it is compiled, has changed
# since.
set -euo pipefail
cd "$(dirname "$0")/../.."
jobs=$1
build="build-tuned"
seen=$build/seen        # What ran...
notes=$seen/all.profdata  # ...put together for clang.
linked=$build/linked    # Its programs...
watched=$build/watched  # ...those that note for BOLT what runs, with the notes...
laid=$watched/laid      # ...what it makes of them...
bin=$build/bin          # ...and that, once it has been checked.
programs=(picklock-fuzz picklock-server picklock-bench picklock-lock-bench reached-states)
llvm=/usr/lib/llvm-22/bin  # By this path BOLT finds its library.
lua=$PWD/build/lua-$(dpkg-query -W -f '${Version}' liblua5.1-0-dev)

build_programs() {
  cmake --preset tuned -DPICKLOCK_TUNING="$1" -DPICKLOCK_LUA_SOURCE="$lua/source" >/dev/null
  cmake --build "$build" -j "$jobs" --target "${@:2}"
}

# run PROGRAM ARGUMENTS: some of the locks are broken, and watched programs miss marks.
run() {
  "$@" >/dev/null || [ $? -eq 1 ]
}

# search DIRECTORY: short campaigns of several kinds.
search() {
  local lock
  for lock in set-nx-px set-nx-px-script reentrant-renew redlock failover-wait watchdog; do
    run "$1/picklock-fuzz" run "$lock" --schedules 10000
    run "$1/picklock-fuzz" run "$lock" --workers 3 --rounds 2 --schedules 2000 --faults none
  done
  for lock in client-lock client-redlock client-semaphore; do
    run "$1/picklock-fuzz" run "$lock" --schedules 1000
  done
  run "$1/picklock-fuzz" run set-nx-px --strategy exhaustive --faults none
  # Its world is copied.
  run "$1/picklock-fuzz" run redlock-once --strategy exhaustive --faults none --schedules 100000
}

# serve DIRECTORY: every kind of request that redis-benchmark makes, a script of our own, and locks that are taken and
# given back.
serve() {
  local port
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  "$1/picklock-server" --port "$port" >/dev/null &
  local server=$!
  for _ in $(seq 100); do redis-cli -p "$port" ping >/dev/null 2>&1 && break; sleep 0.1; done
  redis-benchmark -p "$port" -n 20000 -P 16 -q >/dev/null
  redis-benchmark -p "$port" -n 5000 -q >/dev/null
  redis-benchmark -p "$port" -n 5000 -P 16 -q -r 1000 EVAL \
    "if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', 50) then return redis.call('PEXPIRE', KEYS[1], 90) end
     return redis.call('PTTL', KEYS[1])" 1 key:__rand_int__ value >/dev/null
  "$1/picklock-lock-bench" "$port" 2 2000 >/dev/null
  kill "$server"
  wait "$server" || true  # Its notes are written at its end.
}

# measure DIRECTORY: what picklock-bench does most, and searches of all states.
measure() {
  run "$1/picklock-bench" --part=commands --one-run
  run "$1/picklock-bench" --part=schedules
  run "$1/reached-states" 3 1 4 --silent 2>/dev/null
}

# bolt PROGRAM OPTIONS: makes something else of what is linked.
bolt() {
  local log=$watched/$1.log
  "$llvm/llvm-bolt" "$linked/$1" "${@:2}" >>"$log" 2>&1 || { tail "$log" >&2; return 1; }
}

# in_one_piece PROGRAM COPY: what is written so the kernel keeps in large pieces, if the file system can, and code in
# these is found sooner than in pages strewn about.
in_one_piece() {
  dd if="$1" of="$2.new" bs=64M status=none
  chmod 755 "$2.new"
  mv "$2.new" "$2"  # All of it, or nothing.
}

# Whether the programs still do what they did before BOLT had them.
does_the_same() {
  tests/race/same_bytes.sh "$linked" "$laid" &&
    cmp <("$linked/reached-states" 3 1 3 2>/dev/null) <("$laid/reached-states" 3 1 3 2>/dev/null)
}

# Whether every program has been laid out since it was linked.
is_laid_out() {
  local program
  for program in "${programs[@]}"; do
    [ "$bin/$program" -nt "$linked/$program" ] || return 1
  done
}

if [ ! -d "$lua/source" ]; then
  cmake/fetch_source.sh liblua5.1-0-dev "$lua"
  rm -rf "$lua/unpacked"
  dpkg-source --no-check -x "$lua"/*.dsc "$lua/unpacked" >/dev/null  # apt has checked it.
  mv "$lua/unpacked" "$lua/source"
  rm -f "$notes"  # They may be of another one.
fi
if [ ! -f "$notes" ] ||
   [ -n "$(find emulator lua lockclient fuzz cmake/picklock_tuning.cmake CMakePresets.json \
             \( -name '*.cpp' -o -name '*.hpp' -o -name '*.cmake' -o -name '*.json' \) \
             -newer "$notes" -print -quit)" ]; then
  echo "== Building $build, to see what runs"
  rm -rf "$build"  # Nothing of it can be used again: each object is compiled with other options.
  build_programs record "${programs[@]}" picklock-demo
  echo "== Looking at what runs"
  search "$linked"
  run "$linked/picklock-demo"
  serve "$linked"
  measure "$linked"
  "$llvm/llvm-profdata" merge -o "$notes" "$seen"/*.profraw
fi
echo "== Building $build"
build_programs use "${programs[@]}"
if ! is_laid_out; then
  echo "== Looking at what runs, once more"
  rm -rf "$watched" "$bin"
  mkdir -p "$laid" "$bin"
  chmod 700 "$watched"  # Anybody may write what BOLT makes.
  for program in "${programs[@]}"; do
    bolt "$program" -instrument -o "$watched/$program" -instrumentation-file="$PWD/$watched/$program" \
      -instrumentation-file-append-pid
  done
  search "$watched"
  serve "$watched"
  measure "$watched"
  echo "== Laying out $bin"
  for program in "${programs[@]}"; do
    "$llvm/merge-fdata" "$watched/$program".*.fdata >"$watched/$program.notes" 2>>"$watched/$program.log" ||
      { tail "$watched/$program.log" >&2; exit 1; }
    bolt "$program" -o "$laid/$program" -data="$watched/$program.notes" -reorder-blocks=ext-tsp \
      -reorder-functions=cdsort -split-functions -split-all-cold -split-eh -plt=hot
    chmod 755 "$laid/$program"
  done
  does_the_same || { echo "tuned: BOLT has changed what the programs do: use those in $linked" >&2; exit 1; }
  for program in "${programs[@]}"; do in_one_piece "$laid/$program" "$bin/$program"; done
fi
