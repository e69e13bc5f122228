#!/bin/sh
# Fails on an include or a call that breaks the layer rules: `check_layers.sh <root of the tree>`.
#
# The rules stand in layers.awk and one_definition.awk beside this file. Comments are ignored. Each offence is one line
# "file:line: what is wrong"; the exit code is 1 if there is any.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$1"
find emulator lua lockclient fuzz tests -type f \( -name '*.cpp' -o -name '*.hpp' \) \
  ! -path 'tests/check_layers/*' | LC_ALL=C sort >"${TMPDIR:-/tmp}/layers.$$"
trap 'rm -f "${TMPDIR:-/tmp}/layers.$$"' EXIT
# One awk run over all files; a file name can hold no newline in this tree.
failed=0
xargs awk -f "$here/layers.awk" <"${TMPDIR:-/tmp}/layers.$$" || failed=1
grep -v '^tests/' "${TMPDIR:-/tmp}/layers.$$" | xargs awk -f "$here/one_definition.awk" || failed=1
exit $failed
