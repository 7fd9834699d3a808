# One kernel, which launched 14 that are in no record: nothing that they could change holds or fails, and every first
# line says so. A trace that was exported says it, too.
cdp=../data/hidden/cdp.cpprof
exported=$(mktemp -d)
cpprof export $cdp --to chrome -o "$exported/trace.json" 2>/dev/null
for trace in $cdp "$exported/trace.json"; do
    cpprof check "$trace" --assert 'count(kernel) == 1' --assert 'count(kernel) == 15' --assert 'count(kernel) >= 1' \
        --assert 'count(kernel) <= 0' --assert 'idle() < 5%' --assert 'overlap(copy,kernel) > 1%' \
        --assert 'busy(compute) < 1 s' --assert 'count(copy) == 2' --assert 'queue_p99(kernel) < 1 s' 2>&1 |
        grep -E '^[a-z_0-9]+\('
done
rm -r "$exported"
for command in stats gaps overlap; do
    cpprof $command $cdp 2>/dev/null | head -n 1
done
cpprof report --brief $cdp 2>/dev/null | grep -E '^#|Do first|Overlap|Caveat'
cpprof check $cdp --assert 'count(kernel) == 1' >/dev/null 2>&1
