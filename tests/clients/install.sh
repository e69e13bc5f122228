#!/bin/sh
# Installs the clients that node/package-lock.json names into node/node_modules, unless they are there already, and
# empties the directory for what their tests are going to show: `install.sh build/clients`.
#
# A client that cannot be installed fails the tests that need it. Debian 12's node (18) and npm (9) will do.
set -eu
rm -rf "$1"
mkdir -p "$1"
cd "$(dirname "$0")/node"
installed=node_modules/.picklock-installed
if cmp -s package-lock.json "$installed"; then exit 0; fi
if ! npm ci --prefer-offline; then
  echo "npm could not install the clients of tests/clients/node/package.json: see above." >&2
  exit 1
fi
cp package-lock.json "$installed"
