#!/usr/bin/env bash
# Is a stranger's kernel name inert in every format that check and overlap write?
# usage: hostile_names.sh CPPROF SOURCE_TREE     77 (skipped) when no tool is there to read the formats
set -euo pipefail
cpprof=$1
schema=$2/tests/data/junit.xsd
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

header='Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name'
long=$(head -c 65536 /dev/zero | tr '\0' 'T')
# One kernel a name, each 1 us after the last; all on one stream and overlapping, so that all are shown somewhere.
{
    printf '%s\r\n' "$header"
    at=1000
    while IFS= read -r name; do
        printf '%s,1500,1,64,1,1,256,1,1,32,0.000,0.000,,,,,GPU (0),1,,7,"%b"\r\n' "$at" "$name"
        at=$((at + 1000))
    done <<'NAMES'
pipe | cell || end |
`code` ``two`` ```three
<script>alert(1)</script><img src=x onerror=alert(1)>
[link](javascript:alert(1)) ![image](http://example.org/x.png)
\033[31mred\033[0m\033]0;title\007 \r back
::error file=x::taken over%0A::set-output name=a::b
]]> &amp; &lt; <!-- -- --> ''quote''
invalid \377\376 utf8 \xc3( \xed\xa0\x80 \xef\xbf\xbe \xef\xbf\xbf
# heading - bullet > quote @mention #1 https://example.org
NAMES
    printf '%s,1500,1,64,1,1,256,1,1,32,0.000,0.000,,,,,GPU (0),1,,7,"void tile<%s>(int)"\r\n' "$at" "$long"
} >"$work/hostile.csv"

complain() { echo "$1"; failed=1; }

# render COMMAND FORMAT: all kernels intrude upon the one before, so both show names; two calls show different ones
render() {
    local status=0
    "$cpprof" "$1" "$work/hostile.csv" --format "$2" --assert 'serial(kernel)' --assert 'concurrency(kernel) <= 1' \
        --window "${3:-0:1s}" >"$work/$1.$2" 2>"$work/stderr" || status=$?
    [ "$status" = 1 ] || complain "$1 --format $2: exit status $status instead of 1"
    LC_ALL=C grep -q '[[:cntrl:]]' < <(tr -d '\n' <"$work/$1.$2") && complain "$1 --format $2: a control character in the output"
    iconv -f UTF-8 -t UTF-8 "$work/$1.$2" >/dev/null || complain "$1 --format $2: no valid UTF-8"
    return 0
}

# Names in windows of three, so that every one is among the five that are shown.
windows='0:3us 3us:6us 6us:9us 8us:1s'
tools=0
for window in $windows; do
    for command in check overlap; do
        for format in text md html json; do
            render "$command" "$format" "$window"
        done
        if command -v cmark-gfm >/dev/null; then
            tools=$((tools + 1))
            cmark-gfm --unsafe -e table -e autolink -e strikethrough -e tagfilter "$work/$command.md" >"$work/page.html"
            tags=$(grep -oE '<[a-zA-Z!/][^ >]*' "$work/page.html" | sort -u |
                grep -vxE '</?(p|strong|code|table|thead|tbody|tr|th|td|h2|h3|ul|li)' || true)
            [ -z "$tags" ] || complain "$command --format md: names became elements: $tags"
            # Every row of a table has as many cells as its head: no name broke out of its own.
            awk -F'<t[hd]' '/<table>/ { n = 0 } /<tr>/ { cells = 0 } /<t[hd]/ { cells += NF - 1 }
                /<\/tr>/ { if (!n) n = cells; else if (cells != n) bad = 1 } END { exit bad }' "$work/page.html" ||
                complain "$command --format md: a name broke a table"
        fi
    done
    cat "$work/overlap.md" >>"$work/shown"
    render check junit "$window"
    if command -v xmllint >/dev/null; then
        tools=$((tools + 1))
        xmllint --noout --schema "$schema" "$work/check.junit" 2>"$work/why" ||
            complain "check --format junit: $(head -n 3 "$work/why")"
    fi
    render check github "$window"
    grep -vE '^::(error|warning|notice) ' "$work/check.github" && complain "check --format github: a line that is no command of ours"
    [ "$(grep -c '^::error ' "$work/check.github")" = 2 ] || complain "check --format github: two rules fail, so two errors"
done
# The names were there to do harm.
for part in 'alert(1)' 'three' 'example' '033\|x1b' 'set-output' 'utf8' 'TTTT' '65' 'mention'; do
    grep -q "$part" "$work/shown" || complain "no report shows the name with '$part'"
done
[ "$(wc -c <"$work/overlap.md")" -lt 65536 ] || complain "overlap --format md: a name of 64 KB is shown in full"
if [ "$failed" = 0 ] && [ "$tools" = 0 ]; then
    echo "skipped: neither cmark-gfm nor xmllint is installed"
    exit 77
fi
echo "read back by other tools $tools times, failed: $failed"
exit "$failed"
