#!/usr/bin/env bash
# Do marks record, and wait, as docs/inside.md says? One GPU, some seconds.
#
#   tests/gpu/marks.sh [INTO]     INTO: where marks.txt goes
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
into=${1:-${OUT:-.}}
"$test_programs/marks-record" >"$into/marks.txt"
expect "record: the records are those that were asked for" "$?" 0
"$test_programs/marks-delay" >"$into/marks-delay.txt"
expect "delay: it runs" "$?" 0
cat "$into/marks-delay.txt" >>"$into/marks.txt"
rm "$into/marks-delay.txt"
# Behind the fixed cost of waiting at all, a longer delay is as much longer as it says, give or take two instructions.
awk 'NF == 2 && $1 >= 100 { if (first == "") first = $2 - $1
         off = $2 - $1 - first; if (off < 0) off = -off; if (off > most) most = off; n++ }
     END { print "delays of 100 cycles and more: " n ", furthest from a straight line " most; exit !(n == 6 && most <= 8) }' \
    "$into/marks.txt" >"$into/line"
expect "delay: from 100 cycles on within 8 cycles of a straight line" "$?" 0
cat "$into/line" "$into/marks.txt"
rm "$into/line"
finish
