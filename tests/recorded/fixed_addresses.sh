#!/bin/sh
# Runs a test program where every run has its stack, heap and libraries at the same addresses; without this
# script the kernel draws them anew each time: `fixed_addresses.sh <program> [argument...]`.
# Exit 77: not allowed here (some containers).
set -eu
setarch "$(uname -m)" -R true 2>/dev/null || {
  echo "fixed_addresses: setarch -R is not allowed here"
  exit 77
}
setarch "$(uname -m)" -R "$@"
