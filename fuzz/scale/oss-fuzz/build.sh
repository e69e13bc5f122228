#!/usr/bin/env bash
# Builds the libFuzzer targets for OSS-Fuzz and ClusterFuzz, whose builders set SRC, WORK, OUT, CC, CXX, CFLAGS,
# CXXFLAGS and LIB_FUZZING_ENGINE. Each target goes to $OUT with its corpus, and with the libraries that the
# machine which runs it may lack.
set -euo pipefail

cmake -S "$SRC/picklock" -B "$WORK/picklock" -G Ninja \
  -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DCMAKE_C_COMPILER="$CC" -DCMAKE_C_FLAGS="$CFLAGS" \
  -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_CXX_FLAGS="$CXXFLAGS" \
  -DPICKLOCK_BUILD_FUZZERS=ON -DPICKLOCK_FUZZING_ENGINE="$LIB_FUZZING_ENGINE"
cmake --build "$WORK/picklock" --target fuzz_script fuzz_schedule

mkdir -p "$OUT/lib"
for target in script schedule; do
  program=$OUT/fuzz_$target
  cp "$WORK/picklock/bin/fuzz_$target" "$program"
  ldd "$program" | awk '/lua|xxhash/ && $3 ~ /^\// { print $3 }' | xargs -r cp -t "$OUT/lib"
  # shellcheck disable=SC2016  # The loader reads $ORIGIN.
  patchelf --set-rpath '$ORIGIN/lib' "$program"
  (cd "$SRC/picklock/fuzz/targets/corpus/$target" && zip -qr "${program}_seed_corpus.zip" .)
done
