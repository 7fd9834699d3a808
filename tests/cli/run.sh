#!/bin/sh
# Does the command line print and return what it did when somebody last looked?
#
#   tests/cli/run.sh CPPROF [NAME...]             compare (ctest does this)
#   tests/cli/run.sh --refresh CPPROF [NAME...]   write what is printed now; read the diff before you commit it
#
# NAME.cmd is a shell command, run in its folder with CPPROF's folder first in
# PATH; NAME.expect holds its standard output, standard error and exit status.
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
export PATH NO_COLOR LC_ALL

failed=0
for name in "$@"; do
    status=0
    sh "./$name.cmd" >"$work/stdout" 2>"$work/stderr" </dev/null || status=$?
    {
        echo "== standard output"
        cat "$work/stdout"
        echo "== standard error"
        cat "$work/stderr"
        echo "== exit $status"
    } >"$work/now"
    if [ -n "$refresh" ]; then
        cp "$work/now" "$name.expect"
    elif ! diff -u "$name.expect" "$work/now"; then
        echo "$name: differs (- expected, + now)"
        failed=$((failed + 1))
    fi
done
echo "$# commands, $failed differ"
[ "$failed" -eq 0 ]
