#!/bin/sh
# Does every bad table of Nsight Compute give its exit status, its line, and the launches of its good part?
#
#   tests/cli/bad_ncu.sh CPPROF FOLDER
#
# FOLDER/inputs.txt says what is expected of each file; a file that it does not
# name, and a line without its file, are failures. Each file is read by its name
# and through a pipe, and classified with report, too.
set -eu
export CPPROF_NSYS='' CPPROF_NCU='' # whatever is installed here
program=$1
cd "$2"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
checked=0

complain() {
    echo "$1"
    failed=$((failed + 1))
}

# judge STATUS FILE FRAGMENT GOT LAUNCHES: standard error and the JSON are in $work
judge() {
    [ "$4" = "$1" ] || complain "$2: exit status $4 instead of $1"
    case $(head -n 1 "$work/said") in
    *"$3"*) ;;
    *) complain "$2: '$3' is not in '$(head -n 1 "$work/said")'" ;;
    esac
    [ -n "$3" ] || [ ! -s "$work/said" ] || complain "$2: says '$(cat "$work/said")'"
    launches=$(grep -c '"ncu_agrees"' "$work/json" || true)
    [ "$launches" = "${5:-0}" ] || complain "$2: $launches launches instead of ${5:-0}"
}

while IFS='|' read -r status file fragment _ launches; do
    case $status in '#'*) continue ;; esac
    status=${status% }
    file=${file# }
    file=${file% }
    fragment=${fragment# }
    fragment=${fragment% }
    launches=${launches# }
    [ -e "$file" ] || { complain "$file: not there"; continue; }
    got=0
    "$program" classify "$file" --format json >"$work/json" 2>"$work/said" || got=$?
    judge "$status" "$file" "$fragment" "$got" "$launches"
    got=0
    "$program" classify - --format json <"$file" >"$work/json" 2>"$work/said" || got=$?
    judge "$status" "$file as standard input" "$fragment" "$got" "$launches"
    got=0
    "$program" report "$file" >"$work/json" 2>"$work/said" || got=$?
    of_report=$status
    [ "$fragment" != "is a trace (" ] || of_report=0 # it has a page of its own
    [ "$status" != 5 ] || [ "$got" = "$of_report" ] || complain "$file: report gives $got"
    checked=$((checked + 1))
done <inputs.txt

for file in *; do
    [ "$file" = inputs.txt ] || grep -qF "| $file |" inputs.txt || complain "$file: inputs.txt does not say what it is"
done
[ "$checked" -ge 50 ] || complain "only $checked files"
echo "$checked bad tables, failed: $failed"
[ "$failed" -eq 0 ]
