# a details page that has lost the rule of the busiest pipe: compute-bound all the same, but by which unit is open (3)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
rows() {
    speed='GPU Speed Of Light Throughput'
    echo 'ID,Kernel Name,CC,Section Name,Metric Name,Metric Unit,Metric Value,Rule Name,Rule Description'
    for share in 'Compute (SM) Throughput:97' 'Memory Throughput:10' 'DRAM Throughput:10' 'L2 Cache Throughput:10' 'L1/TEX Cache Throughput:10'; do
        echo "0,k,9.0,$speed,${share%:*},%,${share#*:}"
    done
    echo "0,k,9.0,$speed,Elapsed Cycles,cycle,1000"
    echo "0,k,9.0,$speed,SM Active Cycles,cycle,1000"
    echo '0,k,9.0,Scheduler Statistics,One or More Eligible,%,97'
    echo '0,k,9.0,Memory Workload Analysis,Mem Pipes Busy,%,3'
    echo '0,k,9.0,ComputeWorkloadAnalysis,,,,HighPipeUtilization,FMA is the highest-utilized pipeline (91.2%) based on elapsed cycles'
}
rows >"$folder/whole.csv"
grep -v HighPipe "$folder/whole.csv" >"$folder/lost.csv"
cd "$folder"
for file in whole lost; do
    status=0
    cpprof classify $file.csv >page || status=$?
    sed -n '1p; /^id/,/^ 0/p; /^- 0/p' page
    cpprof classify $file.csv --format json | grep -e '"class"' -e '"unit": null' -e '"limit"' -e '"will_not_help"'
    echo "exit $status"
done
