#!/usr/bin/env bash
# Does a large CSV file, which is read in slices by two threads, say what one thread says that reads it row by row? The
# second one reads the same file behind a first name of two lines, which only libcsv can read. And does a sorted one need
# no temporary file?
# usage: csv_in_slices.sh CPPROF
#
# With CPPROF_DEEP=1 (tests/deep.sh) by four commands, else by two.
set -u
program=$(realpath "${1:?usage: csv_in_slices.sh CPPROF}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
failed=0

# rows [ROWS] [AWK [AWK]]: a table. AWK may change the start, the name, or what is printed; the second one ends it.
rows() {
    echo 'Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name'
    echo '0,5,0,1,1,1,256,1,1,229,0.000,0.000,,,,,NVIDIA H200 (0),1,,7,"the first name"'
    awk -v rows="$1" 'BEGIN {
        for (i = 1; i <= rows; i++) {
            start = 1000 * i; name = "vectorAdd" i % 7 "(const float *, const float *, float *, int)"
            '"${2:-}"'
            printf "%d,%d,%d,4096,1,1,256,1,1,229,0.000,0.000,,,,,NVIDIA H200 (0),1,,%d,\"%s\"\n", start, 300 + i % 100, i, 7 + i % 2, name
        }
        '"${3:-}"'
    }'
}

commands=(overlap 'check --assert count(kernel[name=~half|r3])<=3000 --assert dur_p99(kernel)<=350ns --assert serial(kernel)')
[ -z "${CPPROF_DEEP:-}" ] || commands+=('stats --names full' gaps)

# compare WHAT: of the table in `table`. One line before the header makes up for the line in the name.
compare() {
    [ "$(wc -c <table)" -gt 1048576 ] || { echo "$1: the file is too small for slices" >&2; failed=1; }
    sed '1s/^\(\xef\xbb\xbf\)\?/\1the program says something\n/' table >trace.csv
    sed '2s/the first name/the first\nname/' table >by_row.csv
    for command in "${commands[@]}"; do
        # shellcheck disable=SC2086
        "$program" $command trace.csv --format json >one 2>one.err
        echo "exit $?" >>one
        # shellcheck disable=SC2086
        "$program" $command by_row.csv --format json >two 2>two.err
        echo "exit $?" >>two
        sed -i 's/by_row/trace/g; s/the first\\nname/the first name/g' two two.err
        cmp -s one two && cmp -s one.err two.err && continue
        echo "$1: $command says other things of slices than of rows" >&2
        diff one two | head -n 4 >&2
        diff one.err two.err | head -n 4 >&2
        failed=1
    done
}

many=20000
rows $many >table
compare 'plain rows'
rows $many 'start = 1000 * (i * 7919 % 20000)' >table
compare 'rows out of order'
rows $many 'if (i == 19000) start = 5' >table
compare 'one row out of order'
rows $many 'start -= start % 3000' >table
compare 'rows that start together'
rows $many 'if (i > 15000) name = name " of the second half"' >table
compare 'names of the second half'
rows $many 'if (i % 500 == 0) name = "say \"\"hello\"\" " i' >table
compare 'names with quotes'
rows $many 'if (i % 2 && i > 9000) name = "two\nlines " i % 5' >table
compare 'names of two lines'
rows $many 'if (i % 3 == 0 && i > 7000) name = "1,2,3,4096,1,1,256,1,1,229,0.000,0.000,,,,,NVIDIA H200 (0),1,,7,half\n" start ",2,3,4096,1,1,256,1,1,229,0.000,0.000,,,,,NVIDIA H200 (0),1,,7,like a row\nof a table"' >table
compare 'lines in names that look like rows'
rows $many 'if (i == 18000) start = "oops"; if (i == 18000) { print "not a row"; continue }' >table
compare 'a wrong row'
rows $many 'if (i == 18000) { print start ",x,1,,,,,,,,,,,,,,NVIDIA H200 (0),1,,7,tile"; continue }' >table
compare 'a wrong cell'
rows $many 'if (i == 18000) name = "[CUDA something new]"' >table
compare 'an unknown operation'
rows $many 'if (i == 12000) print ""' >table
compare 'a blank line'
rows $many '' 'print "Processing [x.sqlite] with [/opt/cuda_api_sum.py]..."; print "a,b"' >table
compare 'another report behind it'
rows $many | head -c -10 >table
compare 'a file that is cut in a name'
rows $many | head -c -60 >table
compare 'a file that is cut in a row'
rows $many | sed 's/$/\r/' >table
compare 'carriage returns'
rows $many | sed '9000s/vector/vec\x00tor/' >table
compare 'a byte of 0'
{ printf '\xef\xbb\xbf'; rows $many; } >table
compare 'a byte-order mark'
rows $many | sed '1s/(ns)/(us)/; 3s/,/.5,/' >table
compare 'times that are not exact'

# A pipe cannot be read twice.
rows $many 'if (i == 19000) start = 5' >unsorted.csv
for from in - /dev/stdin; do
    # shellcheck disable=SC2002
    cat unsorted.csv | "$program" overlap "$from" --format csv >one 2>&1
    "$program" overlap unsorted.csv --format csv >two 2>&1
    cmp one two || { echo "a trace out of order through a pipe ($from) is not the same" >&2; failed=1; }
done

# More events than are kept in memory. Without order they need room in TMPDIR.
rows 300000 >sorted.csv
sed '9s/^[0-9]*/900000000/' sorted.csv >unsorted.csv
for command in overlap 'check --assert serial(kernel)'; do
    # shellcheck disable=SC2086
    TMPDIR=/nonexistent "$program" $command sorted.csv >out 2>&1 || { echo "$command of a sorted trace needs a temporary file" >&2; head -n 3 out >&2; failed=1; }
    # shellcheck disable=SC2086
    TMPDIR=/nonexistent "$program" $command unsorted.csv >out 2>&1
    grep -q "set TMPDIR" out || { echo "$command of an unsorted trace needs no temporary file?" >&2; failed=1; }
done
exit "$failed"
