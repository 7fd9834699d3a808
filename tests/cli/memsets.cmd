# 4 times 100 us of a kernel, 80 us of a memset, 20 us of a copy: kernels 50%, memsets 40%, copies 10%. No advice of
# copies is said of memsets.
for trace in kineto.json gpu_trace.csv; do
    cpprof report --brief ../data/memsets/$trace | grep -vE '^$|Look closer'
    cpprof gaps --format text ../data/memsets/$trace | grep -E 'operations|^(copy|memset)|only'
    cpprof stats ../data/memsets/$trace | grep -A3 -E '^(GPU|Copies|Memsets)'
done
