#!/usr/bin/env bash
# Do a user's own variants run like ours: selected, right, timed, traced, counted, judged, with their file and
# their repository in the bundle? examples/marked-variant on one GPU, about half a minute; with two also on the second.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
cpprof=$(realpath "$CPPROF")
CPPROF=$cpprof
library=$(realpath "$test_programs/libmine.so" 2>/dev/null) || skip "no libmine.so: install with -DCPPROF_INSTALL_TESTS=ON"
out=${OUT:+$(realpath "$OUT")}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$library" "$(dirname "$library")/libforgetful.so" "$work/"
cd "$work" || exit 2

expect "the list names both" "$("$cpprof" list --load libmine.so | grep -c '^mine/')" 2

# look_at WHAT BUNDLE STATUS: what every run of it must say
look_at() {
    local checked
    checked=$(screen "$2" | grep -m 1 'Checked:')
    case $3 in 0 | 3) ;; *) tail -n 5 "$2.out" ;; esac
    expect_match "$1: selection" "$checked" 'pass, ([0-9]+) of \1 ran'
    expect_match "$1: correctness" "$checked" '; ([0-9]+) of \1 results are right'
    expect_match "$1: bitwise equal" "$checked" 'bitwise equal'
    expect_match "$1: a verdict" "$(python3 -c 'import json, sys
for row in json.load(open(sys.argv[1]))["rows"]:
    print(row["baseline"], row["candidate"], row["verdict"])' "$2/verdict.json")" \
        '^mine/naive mine/vectorised (faster|slower|equivalent|inconclusive)$'
    expect_match "$1: the file is named" "$(everything "$2" | grep -m 1 'Libraries of variants')" 'libmine\.so.*CRC-32 [0-9a-f]{8}'
    expect "$1: no folder of this machine" "$(grep -rlF "$work" "$2" | wc -l)" 0
    screen "$2" | head -n 1
}

for shape in mission small; do
    status=0
    "$cpprof" run --load ./libmine.so mine/vectorised --baseline mine/naive --shape $shape -o $shape.cpprof >$shape.cpprof.out 2>&1 ||
        status=$?
    look_at "$shape" $shape.cpprof $status
    expect_match "$shape: its kernel is in the trace" "$(cut -d, -f 1-3 $shape.cpprof/resources.csv)" '^mine/vectorised,.*scale_vectorised'
    expect "$shape: its machine code is known" "$(grep -c 'the kernel.s module was not seen' $shape.cpprof/resources.csv)" 0
    [ -z "$out" ] || cp -r $shape.cpprof "$out/"
done
expect_match "fewer instructions, as it says of itself" "$(everything mission.cpprof | grep -m 1 ' confirmed$')" '2 of 2 confirmed'

# Beside one of ours in one process: two CUDA runtimes, one context.
status=0
"$cpprof" run --load ./libmine.so mine/naive dose/chain --metrics none --iters 10 -o both.cpprof >both.out 2>&1 || status=$?
expect "with one of ours" "$status" 3
expect_match "with one of ours: both are right" "$(screen both.cpprof | grep -m 1 'Correctness:')" 'pass, ([0-9]+) of \1 checks'

# Without the line of the tail: only the ragged shape notices.
status=0
"$cpprof" run --load ./libforgetful.so mine/vectorised --metrics none --processes 3 -o forgetful.cpprof >forgetful.out 2>&1 || status=$?
expect "a tail that is forgotten" "$status" 1
expect_match "it is the first line" "$(head -n 1 forgetful.out)" '^WRONG RESULT: mine/vectorised at '
expect_match "and these values were never written" "$(cat forgetful.out)" 'never written'

status=0
"$cpprof" run --load ./nowhere.so mine/naive >missing.out 2>&1 || status=$?
expect "a library that is not there" "$status" 2

if [ "$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')" -ge 2 ]; then
    status=0
    "$cpprof" run --load ./libmine.so mine/vectorised --baseline mine/naive --device 1 -o second.cpprof >second.cpprof.out 2>&1 || status=$?
    look_at "the second GPU" second.cpprof $status
fi
finish
