#!/usr/bin/env bash
# What stands in fuzz/scale: `check_scale.sh <root of the tree> <picklock-fuzz>`. The local one runs, and its
# merged report is that of the search without shards, to the byte; the others are read.
set -euo pipefail
export PICKLOCK_FUZZ=$2
cd "$1/fuzz/scale"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "check_scale.sh: $*" >&2
  exit 1
}

# same <shards> <words...>: both ways print the same and end with the same code.
same() {
  local shards=$1 whole=0 parts=0
  shift
  rm -rf "$work/reports"
  "$PICKLOCK_FUZZ" "$@" >"$work/whole" 2>/dev/null || whole=$?
  ./parallel.sh "$work/reports" "$shards" "$@" >"$work/parts" 2>"$work/errors" || parts=$?
  [ "$whole" = "$parts" ] || { cat "$work/errors" >&2; fail "'$*' ends with $whole, in parts with $parts"; }
  cmp "$work/whole" "$work/parts" || fail "'$*' in $shards parts says something else"
  [ "$(find "$work/reports" -name 'part-*.json' | wc -l)" = "$shards" ] || fail "reports are missing"
}
same 4 run get-then-del --seed 3 --schedules 3000
same 3 run set-nx-px --seed 1 --schedules 3000 --faults delay
same 2 check "$PWD/../examples/watchdog.lua" --schedules 1000
status=0
./parallel.sh "$work/reports" 2 run get-then-del --schedules 1000 >"$work/parts" 2>/dev/null || status=$?
[ "$status" = 2 ] || fail "a folder with another campaign's reports gives its verdict"
if ./parallel.sh "$work/none" 2 run no-such-lock 2>/dev/null; then fail "a lock that is not there is searched"; fi
if ./parallel.sh "$work/none" x run set-nx-px 2>/dev/null; then fail "x shards are taken"; fi

# The array's task is a script that runs here as well as there.
for task in 1 2; do
  SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_COUNT=2 ./campaign.sbatch "$work/array" run get-then-del \
    --schedules 2000 >/dev/null 2>&1 || fail "campaign.sbatch ended with $?"
done
"$PICKLOCK_FUZZ" run get-then-del --schedules 2000 >"$work/whole" 2>/dev/null || true
"$PICKLOCK_FUZZ" merge "$work"/array/part-*.json >"$work/parts" || true
cmp "$work/whole" "$work/parts" || fail "the array says something else"

for script in parallel.sh campaign.sbatch oss-fuzz/build.sh; do
  bash -n "$script"
  shellcheck "$script"
done
grep -q '^#SBATCH --time=' campaign.sbatch || fail "campaign.sbatch has no time limit"

/usr/bin/python3 - <<'EOF'
import re
import subprocess
import yaml

job = yaml.safe_load(open("campaign.yaml"))
assert (job["apiVersion"], job["kind"]) == ("batch/v1", "Job"), "no Job of batch/v1"
spec = job["spec"]
assert spec["completionMode"] == "Indexed", "only an indexed Job numbers its pods"
assert 0 < spec["parallelism"] <= spec["completions"], "parallelism"
pod = spec["template"]["spec"]
assert pod["restartPolicy"] in ("Never", "OnFailure"), "a Job's pods may not always restart"
container = pod["containers"][0]
script = container["args"][0]
assert re.search(r'--shard "\$shard/(\d+)"', script).group(1) == str(spec["completions"]), "shards"
subprocess.run(["sh", "-n", "-c", script], check=True)
mounts = {mount["name"] for mount in container["volumeMounts"]}
assert mounts == {volume["name"] for volume in pod["volumes"]}, "volumes"
project = yaml.safe_load(open("oss-fuzz/project.yaml"))
assert project["language"] == "c++" and "libfuzzer" in project["fuzzing_engines"]
targets = open("../targets/CMakeLists.txt").read()
built = re.search(r"for target in (.*); do", open("oss-fuzz/build.sh").read()).group(1).split()
assert re.search(r"foreach\(target (.*)\)", targets).group(1).split() == built, "targets"
EOF
echo "fuzz/scale: fine"
