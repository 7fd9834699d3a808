#!/usr/bin/env bash
# Does a large CSV file say what the same bytes say through a pipe, which one thread reads? Files whose second half begins
# inside a quoted field, has other lines than rows, rows that are wrong, or names that the first half has not.
# usage: second_half.sh CPPROF
set -u
program=$(realpath "${1:?usage: second_half.sh CPPROF}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
failed=0

# rows AWK: 17 MB, more than half of them behind row 60,000. AWK may change the start, the name, or what is printed.
rows() {
    echo 'Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name'
    awk 'BEGIN {
        for (i = 1; i <= 130000; i++) {
            start = 1000 * i; name = "vectorAdd" i % 7 "(const float *, const float *, float *, int, a parameter that makes it longer)"
            '"$1"'
            printf "%d,%d,%d,4096,1,1,256,1,1,229,0.000,0.000,,,,,NVIDIA H200 (0),1,,%d,\"%s\"\n", start, 300 + i % 100, i, 7 + i % 2, name
        }
        '"${2:-}"'
    }'
}

pipe() { tail -c +1 "$1"; }

compare() { # WHAT FILE
    [ "$(wc -c <"$2")" -gt 16777216 ] || { echo "$1: the file is too small to be halved" >&2; failed=1; }
    for command in 'stats --names full' overlap; do
        # shellcheck disable=SC2086
        "$program" $command "$2" --format json >one 2>one.err
        echo "exit $?" >>one
        # shellcheck disable=SC2086
        pipe "$2" | "$program" $command - --format json >two 2>two.err
        echo "exit $?" >>two
        sed -i "s/stdin/$2/; s/\"-\"/\"$2\"/" two two.err
        cmp -s one two && cmp -s one.err two.err && continue
        echo "$1: $command says other things of a file than through a pipe" >&2
        diff one two | head -n 4 >&2
        diff one.err two.err | head -n 4 >&2
        failed=1
    done
}

rows '' >plain.csv
compare 'plain rows' plain.csv
rows 'start = 1000 * (i * 7919 % 130000)' >unsorted.csv
compare 'rows out of order' unsorted.csv
rows 'if (i > 90000) name = name " of the second half"' >names.csv
compare 'names of the second half' names.csv
rows 'if (i % 2) name = "two\nlines " i % 5' >quoted.csv
compare 'names of two lines' quoted.csv
rows 'if (i % 3 == 0) name = "1,2,3,4096,1,1,256,1,1,229,0.000,0.000,,,,,NVIDIA H200 (0),1,,7,half\n" start ",2,3,4096,1,1,256,1,1,229,0.000,0.000,,,,,NVIDIA H200 (0),1,,7,like a row\nof a table"' >alike.csv
compare 'lines in names that look like rows' alike.csv
rows 'if (i == 120000) start = "oops"; if (i == 120000) { print "not a row"; continue }' >wrong.csv
compare 'a wrong row' wrong.csv
rows 'if (i == 110000) print ""' >blank.csv
compare 'a blank line' blank.csv
rows '' 'print "Processing [x.sqlite] with [/opt/cuda_api_sum.py]..."; print "a,b"' >remark.csv
compare 'another report behind it' remark.csv
rows '' | head -c -10 >cut.csv
compare 'a file that is cut' cut.csv
exit "$failed"
