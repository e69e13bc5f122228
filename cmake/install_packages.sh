#!/bin/sh
# Installs the Debian packages that a make target needs: `cmake/install_packages.sh base clang`.
#
# It asks dpkg first and touches apt only for what is missing, so that on a machine which has everything
# it is silent, needs no network and no rights. PICKLOCK_NO_INSTALL=1 only names what is missing.
set -eu

packages_of() {
  case "$1" in
    base)
      echo build-essential g++ cmake ninja-build ccache pkg-config file \
        liblua5.1-0-dev lua-cjson-dev lua-bitop-dev libasio-dev catch2 libgtest-dev libcli11-dev \
        nlohmann-json3-dev libxxhash-dev libbenchmark-dev libhiredis-dev redis-server redis-tools locales python3 ;;
    clang) echo clang-16 libclang-rt-16-dev ;;
    afl) echo afl++ ;;
    lint) echo clang-tidy ;;
    format) echo clang-format ;;
    browser) echo chromium ;;
    clients)
      echo python3-redis python3-pytest nodejs
      # A node from elsewhere brings its npm; Debian's is a package of its own.
      command -v npm >/dev/null || echo npm ;;
    tuned) echo bolt-22 clang-22 libbolt-22-dev libclang-rt-22-dev llvm-22 ;;
    spin) echo spin gcc ;;
    redis-tests) echo tcl ;;
    docs) echo doxygen parallel shellcheck python3-yaml ;;
    *)
      echo "install_packages.sh: unknown set '$1' (base, clang, afl, lint, format, browser, clients, tuned, spin," \
        "redis-tests, docs)" >&2
      exit 2 ;;
  esac
}

is_installed() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

if ! command -v dpkg-query >/dev/null; then
  echo "Not a Debian system: install the packages named in cmake/install_packages.sh yourself." >&2
  exit 0
fi

missing=
for set_name in "$@"; do
  names=$(packages_of "$set_name")
  for package in $names; do
    is_installed "$package" || missing="$missing $package"
  done
done
missing=${missing# }
[ -n "$missing" ] || exit 0

echo "Missing packages: $missing"
if [ "${PICKLOCK_NO_INSTALL:-}" = 1 ]; then
  echo "Install them with: apt-get install --no-install-recommends $missing" >&2
  exit 1
fi
as_root=
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "They need root, and there is no sudo here. As root, run:" >&2
    echo "  apt-get update && apt-get install -y --no-install-recommends $missing" >&2
    exit 1
  fi
  as_root=sudo
fi

# Another apt may be running (unattended upgrades on a fresh machine): wait for it rather than fail.
apt() {
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 "$@"
}
# shellcheck disable=SC2086  # a list of names
install() { apt install -y --no-install-recommends $missing; }

has_lists() { ls /var/lib/apt/lists/*_Packages* >/dev/null 2>&1; }

if ! has_lists; then
  echo "Updating apt's package lists..."
  apt update
fi
echo "Installing with apt-get..."
if ! install; then
  echo "That failed; once more with fresh package lists..."
  apt update
  install
fi
