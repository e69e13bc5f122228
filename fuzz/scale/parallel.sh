#!/usr/bin/env bash
# One campaign on all processors of this machine, or of several, by GNU parallel:
#
#   parallel.sh FOLDER SHARDS run set-nx-px --schedules 1000000 --seed 7
#
# Runs the shards 1/SHARDS to SHARDS/SHARDS, each into a report in FOLDER, and prints what the same search
# without shards would have printed. A shard whose report is there already is not run again. PICKLOCK_FUZZ
# names the program, PARALLEL the options of parallel, such as --sshloginfile HOSTS or --jobs 4.
set -euo pipefail

if [ $# -lt 4 ] || ! [[ $2 =~ ^[1-9][0-9]*$ ]]; then
  echo "usage: parallel.sh FOLDER SHARDS run|check WHAT [options of picklock-fuzz]" >&2
  exit 2
fi
folder=$1 shards=$2
shift 2
program=${PICKLOCK_FUZZ:-picklock-fuzz}
mkdir -p "$folder"

# What is there is of the same campaign, or the answer would be another's.
words=$(printf '%q ' "$@")
if ! compgen -G "$folder/part-*.json" >/dev/null; then
  printf '%s\n' "$words" >"$folder/campaign"
elif [ -e "$folder/campaign" ] && [ "$(<"$folder/campaign")" != "$words" ]; then
  echo "parallel.sh: $folder has reports of another campaign, $(<"$folder/campaign"): take another folder" >&2
  exit 2
fi

# Exit 0 (it holds) and 1 (a violation) both leave a report; anything else ends the campaign.
shard() {
  local report=$1/part-$2.json
  [ -s "$report" ] && return
  local status=0
  "${@:4}" --shard "$2/$3" --json "$report.new" >/dev/null || status=$?
  [ "$status" -le 1 ] || return "$status"
  mv "$report.new" "$report"
}
export -f shard

# shellcheck disable=SC1083  # {} is parallel's.
seq "$shards" | parallel --will-cite --quote --halt now,fail=1 shard "$folder" {} "$shards" "$program" "$@"
reports=()
for number in $(seq "$shards"); do reports+=("$folder/part-$number.json"); done
"$program" merge "${reports[@]}"
