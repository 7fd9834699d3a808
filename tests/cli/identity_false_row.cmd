# Two recordings of one process, in each a row whose time was never filled in: they are one rank all the same.
folder=$(mktemp -d)
for cycle in 1 2; do
    {
        printf '{"traceEvents":[{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":0,"dur":0,"args":{"device":0,"stream":7,"correlation":900}}'
        for i in 1 2 3 4; do
            at=$((1700000000000000 + cycle * 1000000 + i * 100))
            printf ',{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":4242,"tid":1,"ts":%d.125,"dur":2.125,"args":{"correlation":%d}}' $at $i
            printf ',{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":%d.125,"dur":50.125,"args":{"device":0,"stream":7,"correlation":%d}}' $((at + 9)) $i
        done
        printf ']}'
    } >"$folder/a_4242.170000000${cycle}000000000.pt.trace.json"
done
cpprof ranks "$folder" 2>/dev/null | sed "s|$folder|FOLDER|g" | head -n 12
rm -rf "$folder"
