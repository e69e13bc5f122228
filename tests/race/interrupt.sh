#!/bin/bash
# Long runs: progress on standard error only, and Ctrl-C ends with the report so far.
# tests/race/interrupt.sh <picklock-fuzz>
set -euo pipefail
program=$1
folder=$(mktemp -d)
id=
trap '[ -z "$id" ] || kill -9 "$id" 2>/dev/null; rm -rf "$folder"' EXIT
complain() { echo "interrupt: $*" >&2; tail -5 "$folder"/* >&2; exit 1; }
sound=(run set-nx-px --faults crash --seed 3)

# On a pipe nothing is shown unless it is asked for, and what is shown changes nothing.
"$program" "${sound[@]}" --schedules 10000 >"$folder/quiet" 2>"$folder/quiet.err"
"$program" "${sound[@]}" --schedules 10000 --progress >"$folder/loud" 2>"$folder/loud.err"
cmp "$folder/quiet" "$folder/loud" || complain "--progress changes the report"
[ ! -s "$folder/quiet.err" ] || complain "progress is shown on a pipe without --progress"

# interrupt <signal> <words...>: sends the signal once the search has shown that it runs.
interrupt() {
  local signal=$1 code=0
  shift
  : >"$folder/err"
  (trap - EXIT; exec "$program" "$@" --progress) >"$folder/out" 2>"$folder/err" &
  id=$!
  local shown='^[0-9]+ of 1000000000 schedules, [0-9]+ a second, .*left$'
  for _ in $(seq 600); do
    grep -qE "$shown" "$folder/err" && break
    sleep 0.1
  done
  grep -qE "$shown" "$folder/err" || complain "no progress"
  kill -s "$signal" "$id"
  wait "$id" || code=$?
  id=
  [ "$code" = 4 ] || complain "SIG$signal ended it with $code, not 4"
}
interrupt INT "${sound[@]}" --schedules 1000000000
grep -qE '^set-nx-px: holds$' "$folder/out" || complain "there is no verdict"
grep -qE '^[0-9]+ schedules, seed 3, interrupted; ' "$folder/out" || complain "the report does not say so"
interrupt TERM "${sound[@]}" --schedules 1000000000 --json -
grep -q '"interrupted": *true' "$folder/out" || complain "the JSON does not say so"
interrupt INT run set-nx-px --workers 5 --rounds 4 --strategy exhaustive --faults crash --schedules 1000000000
grep -qE 'not all, interrupted; ' "$folder/out" || complain "the exhaustive search does not say so"

# On a terminal the line is rewritten, and gone before the report comes.
script -qec "'$program' ${sound[*]} --schedules 60000" /dev/null >"$folder/terminal" </dev/null
grep -q $'\r\x1b\\[K[0-9]* of 60000 schedules' "$folder/terminal" || complain "a terminal shows no progress"
grep -q $'\r\x1b\\[Kset-nx-px: holds' "$folder/terminal" || complain "the line stays on the terminal"
# A report that does not reach its reader is no report.
code=0
"$program" "${sound[@]}" --schedules 10 >/dev/full 2>"$folder/err" || code=$?
[ "$code" = 2 ] || complain "a full standard output ends it with $code, not 2"
grep -q 'cannot write all to standard output' "$folder/err" || complain "it does not say why"
echo "interrupt: progress is shown where it belongs, and signals end with the report so far"
