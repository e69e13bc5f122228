#!/usr/bin/env bash
# Uses picklock as other projects do: `run.sh <way> <build tree> <source tree> <work folder>`.
#
# The ways: install (which find_package, pkg_config, headers and bad_input go on from), add_subdirectory, shared,
# debian. Each prints one line when all is well. CXX is the compiler.
set -euo pipefail
way=$1 build=$2 source=$3 work=$4
here=$source/tests/consumers
prefix=$work/prefix
folder=$work/$way
tree=$folder/build
rm -rf "$folder"
mkdir -p "$folder"
every=(emulator server lockclient lockclient_asio race simtime)

fail() {
  echo "run.sh $way: $*" >&2
  exit 1
}

# Runs a command; its output is of interest only when it fails.
quietly() {
  "$@" >"$folder/log" 2>&1 || { cat "$folder/log" >&2; fail "failed: $*"; }
}

# configure [option of cmake...]: the consumer, without optimisation.
configure() {
  cmake -S "$here" -B "$tree" -G Ninja -DCMAKE_CXX_FLAGS=-O0 "$@"
}
build_and_run() {
  quietly cmake --build "$tree" -j "${JOBS:-2}"
  (cd "$tree" && quietly ctest --output-on-failure --no-tests=error)
}
joined() { local IFS=";"; echo "$*"; }

install() {
  rm -rf "$prefix"
  quietly cmake --install "$build" --prefix "$prefix"
  quietly "$prefix/bin/picklock-server" --version
  quietly "$prefix/bin/picklock-fuzz" list
}

find_package() {
  quietly configure "-DCMAKE_PREFIX_PATH=$prefix" "-DCONSUMER_TARGETS=$(joined "${every[@]}")"
  build_and_run
}

pkg_config() {
  export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
  for target in "${every[@]}"; do
    flags=$(pkg-config --cflags --libs "picklock-${target//_/-}") || fail "no flags for $target"
    # shellcheck disable=SC2086  # a list of options
    quietly "$CXX" -std=c++20 "$here/use_$target.cpp" $flags -o "$folder/use_$target"
    quietly "$folder/use_$target"
  done
  # asio's coroutines, whichever the compiler.
  flags=$(pkg-config --cflags picklock-lockclient-asio)
  printf '#include <%s>\n' picklock/asio.hpp asio/use_awaitable.hpp >"$folder/awaits.cpp"
  echo 'asio::awaitable<void> wait() { co_return; }' >>"$folder/awaits.cpp"
  for cxx in "$CXX" clang++-16; do
    command -v "$cxx" >/dev/null || continue
    # shellcheck disable=SC2086  # a list of options
    quietly "$cxx" -std=c++20 -fsyntax-only $flags "$folder/awaits.cpp"
  done
  # Debian's folder of libraries lies one deeper than the usual one.
  quietly cmake -S "$source" -B "$folder/deep" -G Ninja -DCMAKE_INSTALL_LIBDIR=lib/deep \
    -DPICKLOCK_BUILD_TESTS=OFF -DPICKLOCK_BUILD_PROGRAMS=OFF -DPICKLOCK_BUILD_BENCH=OFF
  export PKG_CONFIG_PATH=$folder/usr/lib/deep/pkgconfig
  mkdir -p "$PKG_CONFIG_PATH"
  cp "$folder/deep/packaging/picklock-lockclient.pc" "$PKG_CONFIG_PATH"
  for place in includedir=include libdir=lib/deep; do
    said=$(realpath -m "$(pkg-config --variable="${place%=*}" picklock-lockclient)")
    [ "$said" = "$(realpath -m "$folder/usr/${place#*=}")" ] || fail "${place%=*} is $said"
  done
}

few_pieces=(-DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=32)  # They compile picklock anew.

# As shared libraries need it, so that the next way can go on from it.
add_subdirectory() {
  quietly configure "-DPICKLOCK_SOURCE=$source" "${few_pieces[@]}" -DCMAKE_POSITION_INDEPENDENT_CODE=ON
  build_and_run
  for unused in picklock/libpicklock.a picklock/lockclient/asio/libpicklock_lockclient_asio.a bin/picklock-server; do
    if [ -e "$tree/$unused" ]; then fail "it builds what it does not use: $unused"; fi
  done
}

# One library of which nothing is seen but what the headers declare. In the tree of add_subdirectory, if there is one.
shared() {
  tree=$work/add_subdirectory/build
  quietly configure "-DPICKLOCK_SOURCE=$source" "${few_pieces[@]}" -DBUILD_SHARED_LIBS=ON \
    -DPICKLOCK_BUILD_RACE=OFF "-DCONSUMER_TARGETS=emulator;server;lockclient;lockclient_asio"
  build_and_run
  nm -DC --defined-only "$tree/picklock/libpicklock.so" >"$folder/symbols"
  grep -q ' T picklock::Emulator::advance' "$folder/symbols" || fail "Emulator is not visible"
  # asio's stay visible: a program's own io_context and the library's must know each other's services. So do
  # classes that public headers name without defining them.
  internal='(lua|rdb|hll|scripts)::|Keyspace|Dict|RequestParser|Session|ServerSession|Place'
  if grep -E " . (vtable for |typeinfo (name )?for )?(lua_|picklock::($internal))" "$folder/symbols"; then
    fail "these symbols should be hidden"
  fi
}

# Every public header stands for itself, and says what of it is to be seen in a shared library.
headers() {
  count=0
  while read -r header; do
    echo "#include <$header>" >"$folder/alone.cpp"
    quietly "$CXX" -std=c++20 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -DASIO_STANDALONE "-I$prefix/include" \
      "$folder/alone.cpp"
    if grep -q '^namespace' "$prefix/include/$header"; then
      [ "$(grep -cE '^#pragma GCC visibility (push\(default\)|pop)$' "$prefix/include/$header")" = 2 ] ||
        fail "$header lacks '#pragma GCC visibility push(default)' before its namespace, or the pop"
    fi
    count=$((count + 1))
  done < <(cd "$prefix/include" && find . -name '*.hpp' -printf '%P\n' | LC_ALL=C sort)
  [ "$count" -gt 20 ] || fail "only $count headers are installed"
}

debian() {
  quietly cpack --config "$build/CPackConfig.cmake" -B "$folder/packages"
  root=$folder/root
  mkdir -p "$root"
  if [ "$(id -u)" -eq 0 ]; then
    # dpkg itself, into a folder that claims to have what this machine has: so it looks at dependencies, too.
    mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$root/var/log"
    cp /var/lib/dpkg/status "$root/var/lib/dpkg/status"
    quietly dpkg --root="$root" --install "$folder"/packages/*.deb
  else
    for package in "$folder"/packages/*.deb; do quietly dpkg-deb --extract "$package" "$root"; done
  fi
  quietly "$root/usr/bin/picklock-fuzz" list
  "$root/usr/bin/picklock-server" --port 0 >"$folder/ready" &
  server=$!
  trap 'kill $server 2>/dev/null || true' EXIT
  for _ in $(seq 100); do grep -q ready "$folder/ready" && break; sleep 0.05; done
  port=$(sed -n 's/.* on 127\.0\.0\.1:\([0-9]*\) .*/\1/p' "$folder/ready")
  [ "$(redis-cli -p "$port" eval "return redis.call('set', KEYS[1], 'x')" 1 k)" = OK ] || fail "the server does not serve"
  quietly configure "-DCMAKE_PREFIX_PATH=$root/usr"
  build_and_run
}

# demand <line> <command...>: the command fails, and says the line.
demand() {
  line=$1
  shift
  if "$@" >"$folder/log" 2>&1; then fail "did not fail: $*"; fi
  # CMake breaks lines.
  tr -s ' \n' ' ' <"$folder/log" | grep -qF -- "$line" || { cat "$folder/log" >&2; fail "did not say: $line"; }
}

bad_input() {
  lua="picklock needs lua5.1-cjson (Debian: apt-get install lua-cjson-dev)"
  demand "picklock has no component 'locks'; it has emulator, server," \
    configure "-DCMAKE_PREFIX_PATH=$prefix" -DCONSUMER_TARGETS=locks
  rm -rf "$tree"
  demand "$lua" env PKG_CONFIG_LIBDIR=/nonexistent cmake -S "$here" -B "$tree" "-DCMAKE_PREFIX_PATH=$prefix"
  rm -rf "$tree"
  demand "$lua" env PKG_CONFIG_LIBDIR=/nonexistent cmake -S "$here" -B "$tree" "-DPICKLOCK_SOURCE=$source"
  rm -rf "$tree"
  # The lock client needs none of them.
  quietly env PKG_CONFIG_LIBDIR=/nonexistent \
    cmake -S "$here" -B "$tree" "-DCMAKE_PREFIX_PATH=$prefix" -DCONSUMER_TARGETS=lockclient
  rm -rf "$tree"
  demand "picklock needs pkg-config" configure "-DCMAKE_PREFIX_PATH=$prefix" -DPKG_CONFIG_EXECUTABLE=/nonexistent
  demand "as g++ 12 or clang 16 have it; this compiler is GNU 11.4.0" \
    cmake -DCMAKE_CXX_COMPILER_ID=GNU -DCMAKE_CXX_COMPILER_VERSION=11.4.0 -P "$here/compiler.cmake"
  quietly cmake -DCMAKE_CXX_COMPILER_ID=Clang -DCMAKE_CXX_COMPILER_VERSION=16.0.0 -P "$here/compiler.cmake"
  demand "compile with -std=c++20" \
    "$CXX" -std=c++17 -fsyntax-only "-I$prefix/include" "$here/use_emulator.cpp"
}

case $way in
  install | add_subdirectory | shared | find_package | pkg_config | debian | headers | bad_input) "$way" ;;
  *) fail "unknown way" ;;
esac
echo "$way: fine"
