#!/bin/sh
# Compares the race that README.md shows with what picklock-fuzz prints:
# `check_race.sh <root of the tree> <picklock-fuzz>`.
set -eu
command='$ build/bin/picklock-fuzz run get-then-del --seed 1'
shown=$(awk -v command="$command" '$0 == command { on = 1; next } /^```$/ { if (on) exit } on' "$1/README.md")
printed=$("$2" run get-then-del --seed 1 2>/dev/null) && { echo "get-then-del was not caught"; exit 1; }
[ "$shown" = "$printed" ] && exit 0
echo "README.md shows another race than '$command' prints, which is:"
printf '%s\n' "$printed"
exit 1
