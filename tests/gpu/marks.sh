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
awk 'NF == 2 && $1 ~ /^[0-9]+$/ { more = $2 - $1; n++
         if (n == 1 || more < least) least = more; if (n == 1 || more > most) most = more }
     END { print "delays: " n ", longer than asked for by " least " to " most " cycles"; exit !(n == 16 && least >= 0 && most <= 140) }' \
    "$into/marks.txt" >"$into/line"
expect "delay: a tile becomes longer by what is asked for, and at most 140 cycles more" "$?" 0
cat "$into/line" "$into/marks.txt"
rm "$into/line"
finish
