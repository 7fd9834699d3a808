#!/usr/bin/env bash
# Is each kernel that is wrong on purpose called wrong, and does the hint point at
# the mistake? Uses the runner that is built for tests only.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
runner=$(dirname "$CPPROF")/../libexec/cpprof/cpprof-runner-mutants
if [ ! -x "$runner" ]; then
    skip "no cpprof-runner-mutants: install with -DCPPROF_INSTALL_TESTS=ON"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# mutant NAME HINT: wrong at some shape, with this in the report
mutant() {
    CPPROF_RUNNER=$runner "$CPPROF" run "mutant/$1" --shape small --processes 1 --iters 4 --metrics none \
        -o "$work/$1.cpprof" >"$work/$1.txt" 2>/dev/null
    expect "$1: exit status" "$?" 1
    expect_match "$1: first line" "$(head -n 1 "$work/$1.txt")" "^WRONG RESULT: mutant/$1"
    expect_match "$1: hint" "$(cat "$work/$1.txt")" "$2"
    expect_match "$1: mismatches with their place" "$(cat "$work/$1.cpprof/mismatches.csv")" 'tile [0-9]+ value [0-9]+, block'
}

mutant stage-off-by-one 'the stage index is off'
mutant no-tail 'only the last, ragged tile is wrong'
mutant short-grid 'never written'
mutant stale-slot 'only stage [0-9] of 3 is wrong|the stage index is off'
mutant no-wait 'wait and barrier|stage index is off|reused before|tile [0-9]+'
finish
