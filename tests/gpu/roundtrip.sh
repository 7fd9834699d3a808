#!/usr/bin/env bash
# Does an exported capture, read again, give the same answers as the bundle? As
# Chrome JSON and as nsys's CSV.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
need_program "$guests"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# there_and_back NAME BUNDLE
there_and_back() {
    local name=$1 bundle=$2
    "$CPPROF" export "$bundle" --to chrome -o "$work/$name.json" >/dev/null
    expect "$name to Chrome JSON" "$?" 0
    python3 tests/gpu/same_answers.py "$CPPROF" "$bundle" "$work/$name.json" api
    expect "$name: the same answers from Chrome JSON" "$?" 0
    python3 -c 'import json, sys; sys.exit(not json.load(open(sys.argv[1]))["traceEvents"])' "$work/$name.json"
    expect "$name: a strict JSON reader takes it" "$?" 0
    "$CPPROF" export "$bundle" --to csv -o "$work/$name.csv" >/dev/null
    expect "$name to CSV" "$?" 0
    python3 tests/gpu/same_answers.py "$CPPROF" "$bundle" "$work/$name.csv"
    expect "$name: the same answers from CSV" "$?" 0
}

for name in vector graph streams threads ranges; do
    "$CPPROF" capture -o "$work/$name.cpprof" -- "$guests" "$name" >/dev/null 2>&1
    expect "$name: captured" "$?" 0
    there_and_back "$name" "$work/$name.cpprof"
done
there_and_back recorded-run examples/overlap/two.cpprof
finish
