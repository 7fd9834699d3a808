#!/usr/bin/env bash
# What does a comparison tell CI? `cpprof compare` on the recorded verdicts: each
# exit status, and what a job makes of it. Needs no GPU.
# usage: exit_statuses.sh CPPROF VERDICTS      (VERDICTS: examples/verdicts)
set -u
if [ $# -ne 2 ]; then
    echo "usage: $0 CPPROF VERDICTS      (VERDICTS: examples/verdicts)" >&2
    exit 2
fi
cpprof=$1
verdicts=$2
differ=0

# status BUNDLE WANTED WHAT-A-JOB-DOES
status() {
    "$cpprof" compare "$verdicts/$1.cpprof" >/dev/null
    local got=$?
    printf '%-16s exit %d: %s\n' "$1" "$got" "$3"
    [ "$got" = "$2" ] || differ=1
}

status win 0 "goes on: faster beyond doubt"
status valid-negative 0 "goes on: proven equivalent"
status regression 1 "stops: slower beyond doubt"
status inconclusive 3 "asks for more: a longer run, a quieter machine"
status unusable 1 "stops: what was compared is not what was meant"
exit $differ
