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
unset ARGP_HELP_FMT COLUMNS CLICOLOR_FORCE
cd "$work"
"$make_bundles" .
echo 'not a bundle' >notes.txt
mkdir plain
cp "$golden/thresholds.csv" .
failed=0
count=0

mkdir whole # what each case printed, by its FILE

# FILE STATUS ARGUMENT...: standard output, then standard error, then the exit status are compared. Before ARGUMENT,
#   beside:WHOLE   FILE has the lines in which the case differs from what the earlier case WHOLE prints now: - of WHOLE
#                  alone, + of this one alone. What both say, and how, is for WHOLE to check.
#   only:REGEX     FILE has the lines of standard output that match, and standard error. REGEX has no blank.
while IFS=' ' read -r -a words; do
    if [ "${#words[@]}" -eq 0 ] || [[ ${words[0]} == '#'* ]]; then
        continue
    fi
    file=${words[0]}
    expected=${words[1]}
    words=("${words[@]:2}")
    how=
    if [[ ${words[0]} == beside:* || ${words[0]} == only:* ]]; then
        how=${words[0]}
        words=("${words[@]:1}")
    fi
    status=0
    "$cpprof" "${words[@]}" >out 2>errors </dev/null || status=$?
    cat out errors >"whole/$file"
    case $how in
    beside:*) # without line numbers, which any line above would move
        diff --old-line-format='-%L' --new-line-format='+%L' --unchanged-line-format= "whole/${how#beside:}" "whole/$file" >got || [ $? -eq 1 ] ;;
    only:*)
        grep -E -e "${how#only:}" out >got || { printf 'NOT ok: %s: no line has %s\n' "$file" "${how#only:}"; failed=1; }
        cat errors >>got ;;
    *) cp "whole/$file" got ;;
    esac
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
