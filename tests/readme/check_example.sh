#!/bin/sh
# Compares the examples of README.md with the tests that compile them: `check_example.sh <root of the tree>`.
set -eu
cd "$1"

# check <first line of the example> <test>: the C++ block that begins with the line is the test from there on.
check() {
  example=$(awk -v first="$1" '/^```cpp$/ { fresh = 1; next } /^```$/ { if (on) exit; fresh = 0 }
                               fresh && $0 == first { on = 1 } { fresh = 0 } on' README.md)
  compiled=$(awk -v first="$1" '$0 == first { on = 1 } on' "$2")
  [ -n "$example" ] || { echo "README.md has no C++ block that begins with: $1"; exit 1; }
  if [ "$example" != "$compiled" ]; then
    echo "README.md's example that begins with '$1' is not what $2 compiles"
    exit 1
  fi
}

check '#include <picklock/emulator.hpp>' tests/readme/readme_test.cpp
check '#include <picklock/local_loop.hpp>' tests/readme/lock_readme_test.cpp
check '#include <picklock/race.hpp>' tests/readme/race_readme_test.cpp
check '#include <picklock/blocking_locks.hpp>  // for threads' tests/readme/real_server_readme.cpp
