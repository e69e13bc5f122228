#!/bin/bash
# The long campaigns of `make soak`:
# tests/soak.sh <programs> <N> <seed> <fuzzers for libFuzzer> <fuzzers for AFL++> <seconds for each>, where
# each of the three is a directory.
#
# N is the number of differential steps against redis-server (scripts: half as many) and the number of schedules for each lock.
# The lines below are the whole campaign; each prints its own figures, and one that fails ends the soak.
set -euo pipefail
bin=$1 steps=$2 seed=$3 fuzzers=$4 afl_fuzzers=$5 fuzz_seconds=$6

# A part of N, of which no program takes 0.
part() { echo $((steps >= $1 ? steps / $1 : 1)); }

run() {
  echo "== $*"
  local start=$SECONDS
  "$@"
  echo "   took $((SECONDS - start)) s"
}

# A broken lock must be caught: picklock-fuzz ends with 1 on a violation.
run_broken() {
  local lock=$1 code=0
  echo "== picklock-fuzz run $lock (broken: a race must be found)"
  "$bin/picklock-fuzz" run "$lock" --schedules "$steps" --seed "$seed" || code=$?
  [ "$code" -eq 1 ] || { echo "soak: $lock ended with $code instead of 1" >&2; exit 1; }
}

# Inputs that libFuzzer makes from the corpus, under ASan and UBSan. What it keeps stays out of the tree; an
# input that fails is written to the directory that is named.
run_fuzzer() {
  local target=$1 kept
  kept=$(mktemp -d)
  run "$fuzzers/fuzz_$target" "$kept" "$(dirname "$0")/../fuzz/targets/corpus/$target" \
    -max_total_time="$fuzz_seconds" -timeout=60 -rss_limit_mb=6000 -max_len=4096 -seed="$seed" \
    -artifact_prefix="$kept/" -print_final_stats=1 -verbosity=0
  rm -r "$kept"
}

# The same with AFL++, which keeps what fails in a folder of its own.
run_afl() {
  local target=$1 kept failed
  kept=$(mktemp -d)
  run env AFL_NO_UI=1 AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_BENCH_UNTIL_CRASH=1 \
    afl-fuzz -i "$(dirname "$0")/../fuzz/targets/corpus/$target" -o "$kept" -V "$fuzz_seconds" -m none -t 10000 \
    -s "$seed" -- "$afl_fuzzers/fuzz_$target"
  grep -E '^(execs_done|edges_found|saved_crashes|saved_hangs) ' "$kept/default/fuzzer_stats"
  failed=$(find "$kept/default/crashes" "$kept/default/hangs" -name 'id:*' | head -1)
  [ -z "$failed" ] || { echo "soak: AFL++ found $failed" >&2; exit 1; }
  rm -r "$kept"
}

# Generated commands on the emulator and on redis-server 7.0, side by side, in both protocols.
run "$bin/picklock-differential" --steps "$steps" --seed "$seed" --resp 2
run "$bin/picklock-differential" --steps "$steps" --seed "$seed" --resp 3

# Generated scripts, the same way; the episodes take turns with the protocols.
run "$bin/picklock-differential" --scripts "$(part 2)" --seed "$seed"

run_fuzzer script
run_fuzzer schedule
run_afl schedule

# Scripts that are never the same again: the cache and the interpreter stay within their bounds.
run "$bin/test_engine" "[.soak]"

# The requests of every transcript with too few, too many, empty, binary, overflowing and wrong-typed
# arguments.
for resp in 2 3; do run "$bin/picklock-bad-input" "$(dirname "$0")/transcripts" --resp "$resp"; done

# Two and three waiters of one lock whose holder releases it, expires or is ended by force, in every order of their
# steps, where answers take steps of their own; one of two may leave or die.
run "$bin/test_lockclient" "[.soak]"

# Ends of random searches in worlds made at random: the exhaustive search meets them all.
run "$bin/picklock-random-worlds" --first "$((seed * 1000000))" --count "$(part 100)"

# A lock that holds: no accusation in N schedules when nobody pauses beyond the ttl; a documented limit,
# which ends with 0 too, when somebody may.
run "$bin/picklock-fuzz" run set-nx-px --schedules "$steps" --seed "$seed" --faults crash,delay --strict
run "$bin/picklock-fuzz" run set-nx-px --schedules "$steps" --seed "$seed"

# The bug suite over 101 seeds: every bug is found, no mended twin is accused.
run "$bin/picklock-fuzz" bugs --seeds 101 --twin-schedules "$steps"

# A thousand failing schedules, shrunk, and proved to be the shortest.
run "$bin/picklock-fuzz" bugs --seeds 15 --twin-schedules 1 --certify 10000000

# Schedules of every lock under every kind of fault that are run twice, to the same end.
run "$bin/picklock-fuzz" verdicts --schedules "$(part 500)" --seed "$seed" --twice

# Every lock of the gallery under every kind of fault: each cell says what is known of it, and the matrix.
run "$bin/test_race" "two workers on every founding lock*"
run env PICKLOCK_SEED="$seed" PICKLOCK_SCHEDULES="$(part 20)" "$bin/test_race" "whatever goes through the lock client*"
run "$bin/picklock-fuzz" verdicts --schedules "$(part 20)" --seed "$seed"

# Locks that are known to be broken.
run_broken del-without-check
run_broken get-then-del
run_broken setnx-then-expire

echo "soak: all campaigns ended as they should (N=$steps SEED=$seed)"
