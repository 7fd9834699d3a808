#!/bin/sh
# Does the command line print and return what it did when somebody last looked?
#
#   tests/cli/run.sh CPPROF [NAME...]             compare (ctest does this)
#   tests/cli/run.sh --refresh CPPROF [NAME...]   write what is printed now; read the diff before you commit it
#
# NAME.cmd is a shell command, run in its folder with CPPROF's folder first in
# PATH; NAME.expect holds its standard output, standard error and exit status.
# When the first line of NAME.cmd is "# beside WHOLE", NAME.expect holds the lines in which it differs from what
# WHOLE.cmd prints now: - of WHOLE alone, + of NAME alone. What both say is for WHOLE to check.
# The folder is this one, or the one that CPPROF_CASES names.
set -eu
refresh=
if [ "${1:-}" = --refresh ]; then
    refresh=yes
    shift
fi
if [ $# -lt 1 ] || [ ! -x "$1" ]; then
    echo "usage: $0 [--refresh] CPPROF [NAME...]" >&2
    exit 2
fi
program=$(realpath "$1")
shift
cd "${CPPROF_CASES:-$(dirname "$0")}"
# shellcheck disable=SC2046  # one word a name, on purpose
[ $# -gt 0 ] || set -- $(basename -s .cmd -a ./*.cmd)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PATH=$(dirname "$program"):$PATH
NO_COLOR=1
LC_ALL=C
CPPROF_NSYS='' CPPROF_NCU='' # whatever is installed here
export PATH NO_COLOR LC_ALL CPPROF_NSYS CPPROF_NCU
unset COLUMNS CLICOLOR_FORCE

# All that NAME prints, into $work/NAME; once, however many stand beside it.
say() { # NAME
    [ -e "$work/$1" ] && return
    status=0
    sh "./$1.cmd" >"$work/.stdout" 2>"$work/.stderr" </dev/null || status=$?
    {
        echo "== standard output"
        cat "$work/.stdout"
        echo "== standard error"
        cat "$work/.stderr"
        echo "== exit $status"
    } >"$work/$1"
}

# Without line numbers, which any line above would move.
differing() { # WHOLE NAME
    [ -e "$1.cmd" ] || { echo "$2: there is no $1.cmd" >&2; exit 2; }
    say "$1"
    diff --old-line-format='-%L' --new-line-format='+%L' --unchanged-line-format= "$work/$1" "$work/$2" || [ $? -eq 1 ]
}

failed=0
for name in "$@"; do
    say "$name"
    whole=$(sed -n '1s/^# beside //p' "$name.cmd")
    if [ -n "$whole" ]; then
        differing "$whole" "$name" >"$work/.now"
    else
        cp "$work/$name" "$work/.now"
    fi
    if [ -n "$refresh" ]; then
        cp "$work/.now" "$name.expect"
    elif ! diff -u "$name.expect" "$work/.now"; then
        echo "$name: differs (- expected, + now)"
        failed=$((failed + 1))
    fi
done
echo "$# commands, $failed differ"
[ "$failed" -eq 0 ]
