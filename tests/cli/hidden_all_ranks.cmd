# Kernels that no record shows ran on both ranks: no function over all ranks passes or fails.
folder=$(mktemp -d)
for rank in 0 1; do
    {
        printf '{"distributedInfo":{"rank":%d,"world_size":2},' $rank
        printf '"otherData":{"writer":"cpprof","hides kernels":["kernels that launch kernels ran"]},"traceEvents":['
        for i in $(seq 20); do
            [ "$i" = 1 ] || printf ','
            printf '{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":42,"tid":1,"ts":%d.125,"dur":2.125,"args":{"correlation":%d}},' $((i * 100)) "$i"
            printf '{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":%d.125,"dur":50.125,"args":{"device":0,"stream":7,"correlation":%d}},' $((i * 100 + 10)) "$i"
            printf '{"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce_Sum_f32_RING_LL","pid":0,"tid":8,"ts":%d.125,"dur":20.125,"args":{"device":0,"stream":8,"correlation":%d,"Collective name":"allreduce","In msg nelems":1024,"Out msg nelems":1024,"dtype":"Float","Group size":2,"Process Group Name":"0","Process Group Ranks":"[0, 1]"}}' $((i * 100 + 65 + rank)) $((i + 100))
        done
        printf ']}'
    } >"$folder/rank$rank.json"
done
for rule in 'skew(comm) %s 1us' 'late(1) %s 50%%' 'transfer(comm) %s 10%%' 'imbalance(kernel) %s 1.2' 'imbalance(any) %s 1.2'; do
    for comparison in '<=' '>'; do
        # shellcheck disable=SC2059 # a table of rules
        judged=$(printf "$rule" "$comparison")
        cpprof check "$folder/rank0.json" "$folder/rank1.json" --assert "$judged" >"$folder/said" 2>/dev/null
        echo "$judged: exit $?"
        sed -n '3p' "$folder/said"
    done
done
rm -rf "$folder"
