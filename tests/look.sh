#!/usr/bin/env bash
# How do pages look in a browser, and do they ask for nothing?
# usage: look.sh CPPROF [FOLDER]      FOLDER: build/look; look at its pictures
#
# Reports of some recorded bundles as HTML, in headless Chromium: 1280 and 400 pixels wide, dark, and printed.
# tests/look.py says what is checked by machine. Exit status 77 where Chromium or python3 is not installed (Debian: chromium).
set -euo pipefail
case ${1:-} in '' | -h | --help) sed -n '2,6s/^# \{0,1\}//p' "$0" && exit 2 ;; esac
cpprof=$(realpath "$1")
folder=$(realpath -m "${2:-build/look}")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || { echo "skipped: no chromium"; exit 77; }

mkdir -p "$folder"
for bundle in sdpa/ladder inside/warpspec pipeline/misdispatched pipeline/explained allreduce/nccl captures/train verdicts/win; do
    "$cpprof" report "examples/$bundle.cpprof" -o "$folder/$(basename "$bundle").html" --force
done
"$cpprof" report --full examples/sdpa/ladder.cpprof -o "$folder/full.html" --force
"$cpprof" report examples/sdpa/stage1.cpprof examples/captures/vector.cpprof -o "$folder/several.html" --force
"$cpprof" stats examples/captures/two-ranks.cpprof -o "$folder/stats.html" --force
exec python3 -B tests/look.py "$chromium" "$folder"
