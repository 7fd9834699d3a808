#!/usr/bin/env bash
# Does the command line still print, byte for byte, what the files beside this script say?
# usage: golden.sh [--refresh] CPPROF MAKE_BUNDLES      --refresh writes the files instead
set -euo pipefail
golden=$(cd "$(dirname "$0")" && pwd)
refresh=no
if [ "${1:-}" = --refresh ]; then
    refresh=yes
    shift
fi
cpprof=$(realpath "${1:?usage: golden.sh [--refresh] CPPROF MAKE_BUNDLES}")
make_bundles=$(realpath "${2:?usage: golden.sh [--refresh] CPPROF MAKE_BUNDLES}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset ARGP_HELP_FMT COLUMNS
export CPPROF_GNUPLOT=no-gnuplot # pictures differ with its version
cd "$work"
"$make_bundles" .
echo 'not a bundle' >notes.txt
mkdir plain
cp "$golden/thresholds.csv" .
failed=0
count=0

# FILE STATUS ARGUMENT...: standard output, then standard error, then the exit status are compared.
while IFS=' ' read -r -a words; do
    if [ "${#words[@]}" -eq 0 ] || [[ ${words[0]} == '#'* ]]; then
        continue
    fi
    file=${words[0]}
    expected=${words[1]}
    status=0
    "$cpprof" "${words[@]:2}" >out 2>errors </dev/null || status=$?
    cat out errors >got
    count=$((count + 1))
    if [ "$status" -ne "$expected" ]; then
        printf 'NOT ok: %s: exit status %s instead of %s\n' "$file" "$status" "$expected"
        failed=1
    fi
    if [ "$refresh" = yes ]; then
        cp got "$golden/$file"
    elif ! diff -u "$golden/$file" got >difference; then
        printf 'NOT ok: %s differs:\n' "$file"
        head -n 40 difference
        failed=1
    fi
done <"$golden/cases.txt"

if [ "$count" -eq 0 ]; then
    echo 'NOT ok: no cases'
    failed=1
fi
exit "$failed"
