#!/bin/bash
# The examples for Catch2 and GoogleTest: what passes passes, and a failure can be seen, changed, kept and
# replayed by the environment alone. tests/race/frameworks.sh <directory of programs>
set -euo pipefail
bin=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset PICKLOCK_REPLAY PICKLOCK_SCHEDULES PICKLOCK_SEED PICKLOCK_REPORT_DIR
catch2=("$bin/ledger_catch2" "[broken]")
googletest=("$bin/ledger_googletest" --gtest_also_run_disabled_tests "--gtest_filter=*DISABLED*")

complain() { echo "frameworks: $name: $*" >&2; cat "$folder/out" >&2; exit 1; }
# The test must fail; its output is kept.
fails() { "$@" >"$folder/out" 2>&1 && complain "it passes: $*" || true; }
# From the head of the timeline to what decides.
timeline() { sed -n '/ms [a-z]* .*redis$/,/what decides/p' "$folder/out"; }

try() {
  name=$1
  shift
  fails "$@"
  grep -q 'violation (ownership): .* freed lock:ledger while it was' "$folder/out" || complain "no message"
  grep -q 'seed 1, found in schedule' "$folder/out" || complain "no seed"
  timeline >"$folder/shown"
  [ "$(wc -l <"$folder/shown")" -gt 10 ] || complain "no timeline"
  local string
  string=$(sed -n 's/^ *replay: PICKLOCK_REPLAY=\(pl2\.ledger-broken\.[A-Za-z0-9_-]*\)$/\1/p' "$folder/out")
  [ -n "$string" ] || complain "no line to replay"

  fails env PICKLOCK_REPLAY="$string" "$@"
  grep -q 'found in schedule' "$folder/out" && complain "PICKLOCK_REPLAY searches"
  timeline | cmp - "$folder/shown" || complain "PICKLOCK_REPLAY shows something else"
  fails env PICKLOCK_REPLAY="${string%????}" "$@"
  grep -q 'PICKLOCK_REPLAY: this replay string was' "$folder/out" || complain "a cut string is taken"

  fails env PICKLOCK_SEED=5 "$@"
  grep -q 'seed 5, found in schedule' "$folder/out" || complain "PICKLOCK_SEED is not heard"
  fails env PICKLOCK_SCHEDULES=many "$@"
  grep -q "PICKLOCK_SCHEDULES must be a number from 1 on, not 'many'" "$folder/out" || complain "no complaint"
  env PICKLOCK_SCHEDULES=1 "$@" >"$folder/out" 2>&1 || complain "PICKLOCK_SCHEDULES is not heard"

  mkdir "$folder/$name"
  fails env PICKLOCK_REPORT_DIR="$folder/$name" "$@"
  grep -q "report: $folder/$name/ledger-broken.html" "$folder/out" || complain "the report is not named"
  grep -q '<html' "$folder/$name/ledger-broken.html" || complain "there is no report"
}

name=all
for program in ledger_catch2 ledger_googletest; do
  "$bin/$program" >"$folder/out" 2>&1 || complain "$program fails"
done
try catch2 "${catch2[@]}"
try googletest "${googletest[@]}"
cmp "$folder/catch2/ledger-broken.html" "$folder/googletest/ledger-broken.html" || complain "two reports differ"
echo "frameworks: both show, replay and keep their failures"
