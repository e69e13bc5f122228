#!/bin/bash
# Spin's verifier and the exhaustive search of picklock over the same protocol and bound: both must
# reach the same abstract states. Prints both times side by side.
# tests/promela/compare.sh <reached-states> [--large]
#
# Abstract states are lines: who holds the lock for how long by the server's truth, and of each client
# what is on its way and how many tries are left. Mutants of the model and of the clients come last: a
# comparison that they passed would be worth nothing.
set -euo pipefail
program=$(realpath "$1")
model=$(cd "$(dirname "$0")" && pwd)/turns.pml
large=${2:-}
for tool in spin gcc; do
  command -v "$tool" >/dev/null || { echo "promela: no $tool here (cmake/install_packages.sh spin)"; exit 77; }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export LC_ALL=C

# verify <output> <definitions...>: runs the verifier, which must not run out of depth or memory.
verify() {
  local output=$1
  shift
  spin "$@" -a "$model" >spin.log || { cat spin.log; exit 1; }
  gcc -O2 -w -DSAFETY -o pan pan.c
  ./pan -m1000000 >"$output"
  if grep -qE 'max search depth too small|out of memory|errors: [1-9]' "$output"; then
    echo "promela: Spin did not look at everything"
    tail -20 "$output"
    exit 1
  fi
}
# reach_both <clients> <rounds> <ticks> <definition or ""> <option or "">: both sets, as sorted lines.
reach_both() {
  verify pan.out -DCLIENTS="$1" -DROUNDS="$2" -DTICKS="$3" ${4:+"$4"} -DOBSERVE
  grep '^state ' pan.out | sort >spin.states
  "$program" "$1" "$2" "$3" ${5:+"$5"} 2>ours.log | sort >ours.states
  [ -s ours.states ] || { echo "promela: reached-states shows nothing"; cat ours.log; exit 1; }
}
# compare <name> <clients> <rounds> <ticks> <definition or ""> <option or "">
compare() {
  local name=$1 spin_time
  shift
  reach_both "$@"
  if ! cmp -s spin.states ours.states; then
    echo "$name, $1 x $2 x $3: the states differ (<: only Spin's, >: only picklock's)"
    diff spin.states ours.states | grep '^[<>]' | head -20
    exit 1
  fi
  verify pan.out -DCLIENTS="$1" -DROUNDS="$2" -DTICKS="$3" ${4:+"$4"}
  spin_time=$(sed -nE 's/^pan: elapsed time ([0-9.e-]+) seconds.*/\1/p' pan.out)
  "$program" "$1" "$2" "$3" ${5:+"$5"} --silent >/dev/null 2>ours.log
  printf '%-22s %s %7d    %9d states %7s s    %9d states %7s s\n' "$name," "$1 x $2 x $3" \
    "$(wc -l <ours.states)" \
    "$(sed -nE 's/^ *([0-9]+) states, stored.*/\1/p' pan.out)" "$spin_time" \
    "$(cut -d' ' -f1 ours.log)" "$(sed -nE 's/.* ([0-9.]+) s$/\1/p' ours.log)"
}
# differ <name> <definition or ""> <option or "">
differ() {
  reach_both 2 2 4 "$2" "$3"
  if cmp -s spin.states ours.states; then
    echo "promela: $1 changes nothing, so the comparison is blind"
    exit 1
  fi
  echo "$1: found, by $(diff spin.states ours.states | grep -c '^<' || true) states that only Spin" \
    "reaches and $(diff spin.states ours.states | grep -c '^>' || true) that only picklock does"
}

echo "clients x rounds x ticks:     abstract states, the same; Spin; picklock, replaying"
compare "set-nx-px" 2 1 2 "" ""
compare "set-nx-px" 2 2 4 "" ""
compare "set-nx-px" 3 1 3 "" ""
[ -z "$large" ] || compare "set-nx-px" 3 2 4 "" ""
if grep -q 'two were inside' ours.states; then echo "promela: set-nx-px is broken?"; exit 1; fi
compare "get-then-del" 2 2 4 -DGET_THEN_DELETE --get-then-delete
grep -q 'two were inside' ours.states || { echo "promela: get-then-del is not broken?"; exit 1; }
differ "a mutant of the model, whose keys live shorter" -DTTL=2 ""
differ "a mutant of the model, which frees by GET and DEL" -DGET_THEN_DELETE ""
differ "a mutant of the clients, who free by GET and DEL" "" --get-then-delete
differ "a mutant of the clients, who keep what came too late" "" --keep-late
