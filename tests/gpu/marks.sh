#!/usr/bin/env bash
# Do marks record, and wait, as docs/inside.md says? One GPU, a second.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
"$test_programs/marks-record"
expect "record: the records are those that were asked for" "$?" 0
delays=$("$test_programs/marks-delay")
expect "delay: it runs" "$?" 0
awk 'NF == 2 && $1 ~ /^[0-9]+$/ { more = $2 - $1; n++
         if (n == 1 || more < least) least = more; if (n == 1 || more > most) most = more }
     { print }
     END { print "delays: " n ", longer than asked for by " least " to " most " cycles"; exit !(n == 16 && least >= 0 && most <= 140) }' \
    <<<"$delays"
expect "delay: a tile becomes longer by what is asked for, and at most 140 cycles more" "$?" 0
finish
