#!/bin/bash
# The HTML report in a real browser: its script runs, and the page shows something.
# tests/race/browser.sh <picklock-fuzz>. Exit 77: there is no browser (make test-all installs one).
set -euo pipefail
browser=$(command -v chromium || command -v chromium-browser || true)
[ -n "$browser" ] || { echo "browser: no chromium here"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

look() {
  timeout 120 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars \
    --user-data-dir="$folder/profile" --window-size=1600,1200 "$@" 2>/dev/null
}
complain() { echo "browser: $*" >&2; exit 1; }

"$1" run get-then-del --seed 1 --html "$folder/report.html" >/dev/null 2>&1 && complain "found no race"
"$1" run get-then-del --seed 1 --html "$folder/again.html" >/dev/null 2>&1 || true
cmp "$folder/report.html" "$folder/again.html" || complain "two runs write two pages"
[ "$(stat -c %s "$folder/report.html")" -le $((150 * 1024)) ] || complain "the page is larger than 150 KB"

# Both sliders stand at their last step, and the script has filled the states in.
dom=$(look --dump-dom "file://$folder/report.html")
[ "$(grep -oE 'step ([0-9]+) of \1, [0-9.]+ ms' <<<"$dom" | wc -l)" = 2 ] || complain "the script did not run"
grep -q '<td>redis</td><td>lock is free</td>' <<<"$dom" || complain "the state is not shown"

look --screenshot="$folder/report.png" "file://$folder/report.html" >/dev/null
look --screenshot="$folder/blank.png" about:blank >/dev/null
shown=$(stat -c %s "$folder/report.png")
blank=$(stat -c %s "$folder/blank.png")
[ "$shown" -gt $((blank * 5)) ] || complain "the page is as good as blank ($shown bytes, $blank)"
[ -z "${PICKLOCK_REPORT_DIR:-}" ] || cp "$folder/report.png" "$PICKLOCK_REPORT_DIR/"
echo "browser: the report is shown ($shown bytes of PNG, a blank page has $blank)"
