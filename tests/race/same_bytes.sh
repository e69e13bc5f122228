#!/bin/bash
# The same search, the same race and the same replay to the byte, whatever compiler built the program:
# tests/race/same_bytes.sh <directory of programs> <another> ...
set -euo pipefail
[ $# -ge 2 ] || { echo "usage: $0 <directory of programs> <another> ..." >&2; exit 2; }

# What one build prints: every lock searched, and each race found played again from its string.
speak() {
  local bin=$1 lock text
  for lock in simple-setnx reentrant-hash set-nx-px del-without-check get-then-del setnx-then-expire; do
    text=$("$bin/picklock-fuzz" run "$lock" --schedules 2000 --seed 7 2>/dev/null) || true
    printf '%s\n' "$text"
    "$bin/picklock-fuzz" replay "$(sed -n 's/^replay: picklock-fuzz replay //p' <<<"$text")" || true
  done
}

first=$(speak "$1")
grep -q '^replay: ' <<<"$first" || { echo "same_bytes: $1/picklock-fuzz found no race at all" >&2; exit 1; }
for bin in "${@:2}"; do
  if ! diff <(printf '%s\n' "$first") <(speak "$bin") >&2; then
    echo "same_bytes: $1 and $bin differ, see above" >&2
    exit 1
  fi
done
echo "same_bytes: $# builds print the same $(printf '%s' "$first" | wc -c) bytes"
