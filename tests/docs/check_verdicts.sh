#!/bin/sh
# Compares docs/verdicts.md with what picklock-fuzz writes:
# `check_verdicts.sh <root of the tree> <picklock-fuzz>`; with --write after that it writes the page anew.
set -eu
page=$1/docs/verdicts.md
written=$(mktemp)
trap 'rm -f "$written"' EXIT
"$2" verdicts --exhaustive 100000 --markdown "$written" >/dev/null 2>&1
if [ "${3:-}" = --write ]; then
  cp "$written" "$page"
  chmod 644 "$page"
elif ! cmp -s "$written" "$page"; then
  echo "docs/verdicts.md shows something else than picklock-fuzz writes (write it anew with --write):"
  diff "$page" "$written" | head -40
  exit 1
fi
