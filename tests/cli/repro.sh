#!/bin/sh
# Does every input that once got a better verdict than it deserves get the right one?
#
#   tests/cli/repro.sh CPPROF FOLDER
#
# FOLDER holds the inputs, whose README says what was seen; without it the test
# is skipped. A line of the table: exit status, input, rule.
set -eu
program=$1
if [ ! -d "$2" ]; then
    echo "no inputs in $2"
    exit 77
fi
cd "$2"
failed=0
checked=0

while read -r status input rule; do
    got=0
    "$program" check "$input" --assert "$rule" >/dev/null 2>&1 || got=$?
    checked=$((checked + 1))
    [ "$got" -eq "$status" ] || {
        echo "$input: exit status $got instead of $status for '$rule'"
        failed=$((failed + 1))
    }
done <<TABLE
5 K1-dur-null.json exposed(copy, kernel) <= 0 us
5 K3-stream-null.json serial(kernel)
5 K4-ts-null.json before(kernel, copy)
3 K2-no-device.json exposed(copy, kernel) <= 0 us
3 K6-no-device.csv exposed(copy, kernel) <= 0 us
3 K5-no-stream.csv serial(kernel)
3 S3-failures-and-dropped-ignored.cpprof count(kernel) >= 1
5 R1-ranks exposed(copy, kernel) <= 0 ns
5 S4-events-chunk-typed-end.bin count(kernel) <= 40
3 M1-early-migrations.cpprof count(migration) == 0
3 M1-early-migrations.cpprof idle() <= 100%
0 M1-early-migrations.cpprof count(kernel) >= 1
3 G1-gap-max-rounded.csv gap_max(any) <= 21241 ns
3 G2-gap-max-rounded.json gap_max(any[stream=7]) <= 1300 ns
3 T1-cut-in-second-report.csv serial(kernel)
5 C1-shard-slices.bin count(any) >= 0
5 C2-sqlite-internal.sqlite count(any) >= 0
TABLE
echo "$checked inputs, failed: $failed"
[ "$failed" -eq 0 ]
