#!/bin/sh
# Compares what README.md shows of picklock-fuzz with what it prints:
# `check_race.sh <root of the tree> <picklock-fuzz>`; with --write after that it corrects README.md.
set -eu
program=$(realpath "$2")
cd "$1"
failed=0

# What README.md shows below a line, up to the end of its block.
shown_below() {
  awk -v line="$1" '$0 == line { on = 1; next } /^```$/ { if (on) exit } on' README.md
}

compare() {
  shown=$(shown_below "\$ build/bin/picklock-fuzz $*")
  printed=$("$program" "$@" 2>/dev/null) && { echo "'$*' found nothing"; failed=1; }
  [ "$shown" = "$printed" ] && return
  if [ "$mode" = --write ]; then
    printf '%s\n' "$printed" >"$text"
    awk -v line="\$ build/bin/picklock-fuzz $*" -v text="$text" '
      /^```$/ && skip { skip = 0 }
      !skip { print }
      $0 == line { while ((getline printed < text) > 0) print printed; skip = 1 }' README.md >"$text.md"
    cp "$text.md" README.md
    return
  fi
  echo "README.md shows something else than 'picklock-fuzz $*' prints, which is:"
  printf '%s\n' "$printed"
  failed=1
}

mode=${3:-}
text=$(mktemp)
trap 'rm -f "$text" "$text.md"' EXIT
compare run get-then-del --seed 1
compare check fuzz/examples/del-without-check.lua
example=$(cat fuzz/examples/del-without-check.lua)
if [ "$(shown_below '```lua')" != "$example" ]; then
  echo "README.md shows another check file than fuzz/examples/del-without-check.lua"
  failed=1
fi
exit $failed
