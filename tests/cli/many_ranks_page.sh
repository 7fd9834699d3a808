#!/bin/bash
# Is the answer on a folder of any number of ranks one page, of at most 200 lines?
#
#   tests/cli/many_ranks_page.sh CPPROF MAKE_TRACE
#
# 250 ranks; with CPPROF_DEEP 10,000, which have more than 16,384 pairs of rank and device.
set -u
program=$(realpath "$1")
make_trace=$(realpath "$2")
export LC_ALL=C NO_COLOR=1
ranks=250
[ -z "${CPPROF_DEEP:-}" ] || ranks=10000
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir folder
"$make_trace" ranks 3 folder ranks=$ranks steps=3 >plan || exit 1

page() { # COMMAND OPTION...
    "$program" "$@" folder >page 2>errors
    local status=$? lines
    lines=$(wc -l <page)
    case $status in
    0 | 1 | 3) ;;
    *) echo "cpprof $*: exit $status: $(head -1 errors)" >&2; failed=1 ;;
    esac
    if [ "$lines" -lt 5 ] || [ "$lines" -gt 200 ]; then
        echo "cpprof $*: $lines lines of $ranks ranks" >&2
        failed=1
    fi
}
page ranks
page overlap --jobs 2
page stats --jobs 2
page gaps --jobs 2
page check --jobs 2 --assert 'overlap(h2d, kernel) >= 10%' --assert 'busy(kernel) >= 1 ms'
exit $failed
