#!/bin/bash
# Brings the source of an installed Debian package, of the version that is installed, from where the system's packages
# come from: cmake/fetch_source.sh PACKAGE DIRECTORY
#
# In DIRECTORY are then the archives and the package's .dsc, as Debian has them, for `tar` or `dpkg-source -x`. Changes
# nothing of the system's own.
set -euo pipefail
package=$1
mkdir -p "$2"
cd "$2"

fail() {
  echo "fetch_source.sh: $1" >&2
  exit 1
}

source=$(dpkg-query -W -f '${source:Package}=${source:Version}' "$package") ||
  fail "$package is not installed: make packages"
echo "== Fetching the source of $source"
mkdir -p sources lists/partial cache/archives/partial
: >sources.list
[ ! -f /etc/apt/sources.list ] || sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >sources.list
for file in /etc/apt/sources.list.d/*.sources; do
  [ ! -f "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" >"sources/$(basename "$file")"
done
from=(-q -o "Dir::Etc::SourceList=$PWD/sources.list" -o "Dir::Etc::SourceParts=$PWD/sources"
  -o "Dir::State::Lists=$PWD/lists" -o "Dir::Cache=$PWD/cache" -o APT::Sandbox::User=root)
if ! { apt-get "${from[@]}" update && apt-get "${from[@]}" source --download-only "$source"; } >apt.log 2>&1; then
  tail -5 apt.log >&2
  fail "the source of $source cannot be had: see $PWD/apt.log"
fi
