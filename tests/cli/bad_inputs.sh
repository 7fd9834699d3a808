#!/bin/sh
# Does every bad input give its exit status and its line, and never a pass that it should not?
#
#   tests/cli/bad_inputs.sh CPPROF FOLDER
#
# FOLDER/inputs.txt says what is expected of each file; a file that it does not
# name, and a line without its file, are failures. Each file is read by its name
# and through a pipe. A rule that always holds does not notice rows that are lost
# in silence: rules that the good part holds fewer events, or more, must fail, and
# that nothing ran must not pass where no part is good.
set -eu
export CPPROF_NSYS='' CPPROF_NCU='' # whatever is installed here
program=$1
cd "$2"
failed=0
checked=0

complain() {
    echo "$1"
    failed=$((failed + 1))
}

# judge STATUS FILE FRAGMENT GOT: what was said is in $said
judge() {
    [ "$4" = "$1" ] || complain "$2: exit status $4 instead of $1"
    case $(printf '%s\n' "$said" | head -n 1) in
    *"$3"*) ;;
    *) complain "$2: '$3' is not in '$said'" ;;
    esac
}

# refute STATUS FILE RULE: the rule must give this exit status
refute() {
    got=0
    "$program" overlap "$2" --assert "$3" >/dev/null 2>&1 || got=$?
    [ "$got" = "$1" ] || complain "$2: exit status $got instead of $1 for '$3'"
}

while IFS='|' read -r status file fragment _ events; do
    case $status in '#'*) continue ;; esac
    status=${status% }
    file=${file# }
    file=${file% }
    fragment=${fragment# }
    fragment=${fragment% }
    [ -e "$file" ] || { complain "$file: not there"; continue; }
    got=0
    said=$("$program" overlap "$file" --assert 'count(any) >= 0' 2>&1 >/dev/null) || got=$?
    judge "$status" "$file" "$fragment" "$got"
    events=${events# }
    if [ -n "$events" ]; then
        more=1
        case $events in *+) more=3 ;; esac
        refute 1 "$file" "count(any) < ${events%+}"
        refute "$more" "$file" "count(any) > ${events%+}"
    else
        refute "$status" "$file" 'count(any) < 1'
    fi
    # Only its name tells that a report of NVIDIA's tools is one.
    case $file in *-rep) continue ;; esac
    got=0
    said=$(cat "$file" | "$program" overlap - --assert 'count(any) >= 0' 2>&1 >/dev/null) || got=$?
    judge "$status" "$file as standard input" "$fragment" "$got"
    checked=$((checked + 1))
done <inputs.txt

for file in *; do
    [ "$file" = inputs.txt ] || grep -qF "| $file |" inputs.txt || complain "$file: inputs.txt does not say what it is"
done
[ "$checked" -ge 60 ] || complain "only $checked files"
echo "$checked bad inputs, failed: $failed"
[ "$failed" -eq 0 ]
