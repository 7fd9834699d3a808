# few memory counters: what they say is the least that memory may be busy; and a launch of which ncu recorded nothing
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    echo 'ID,Kernel Name,CC,sm__throughput.avg.pct_of_peak_sustained_elapsed,lts__throughput.avg.pct_of_peak_sustained_elapsed,launch__grid_size'
    echo ',,,%,%,'
    echo '0,k,9.0,30,12,64'
    echo '1,failed,9.0,-nan,nan,n/a'
} >"$folder/few.csv"
cd "$folder"
for format in text md; do
    cpprof classify few.csv --format $format | grep -e 'inconclusive *|* n/a' -e '^- 1'
done
cpprof classify few.csv --format json | grep -e '_share_is"' -e '"compute_share"' -e '"memory_share"' -e '"cause": "ncu'
