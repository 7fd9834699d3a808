#!/usr/bin/env bash
# Does the recorded run of the family truth, judged anew, come to the bounds that are known by construction, in
# every reading, and does the page say what it comes to?
# usage: truth.sh [--refresh] CPPROF BUNDLE PAGE
#
# PAGE holds the table between the lines <!-- truth --> and <!-- end of truth -->; --refresh writes it anew.
# Exit status 77 where there is no bundle.
set -u
refresh=
if [ "$1" = --refresh ]; then
    refresh=1
    shift
fi
cpprof=$1 bundle=$2 page=$3
here=$(cd "$(dirname "$0")" && pwd)
export LC_ALL=C PYTHONDONTWRITEBYTECODE=1
if [ ! -f "$bundle/variants.csv" ]; then
    echo "truth: no bundle '$bundle'" >&2
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cpprof" classify "$bundle" --format json >"$work/said.json" || exit 1
python3 "$here/truth_table.py" <"$work/said.json" >"$work/table"
status=$?
awk -v "table=$work/table" '
    /^<!-- end of truth -->$/ { while ((getline line <table) > 0) print line; inside = 0; ended = 1 }
    !inside
    /^<!-- truth -->$/ { inside = 1 }
    END { exit !ended }' "$page" >"$work/page" || { echo "truth: '$page' has no place for the table" >&2; exit 1; }
if [ -n "$refresh" ]; then
    cp "$work/page" "$page"
elif ! diff -u "$page" "$work/page" >&2; then
    echo "truth: '$page' says something else" >&2
    status=1
fi
exit $status
