#!/bin/sh
# Runs a test program under a locale with a decimal comma and an alphabet of its own, made here for the purpose:
# `with_locale.sh <program> [argument...]`.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
localedef -i de_DE -f UTF-8 "$folder/de_DE.UTF-8" || {
  echo "with_locale.sh: no German locale to be made: apt-get install locales" >&2
  exit 1
}
LOCPATH=$folder LC_ALL=de_DE.UTF-8 "$@"
