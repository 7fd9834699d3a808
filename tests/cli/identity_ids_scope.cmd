# Two calls of one id in a rank, one of them in the range: neither --range nor --comm decides anything of that work.
folder=$(mktemp -d)
for rank in 0 1; do
    first=$((rank + 1))
    cat >"$folder/rank$rank.json" <<END
{"distributedInfo": {"rank": $rank, "world_size": 2}, "traceEvents": [
 {"ph": "X", "cat": "user_annotation", "name": "step", "pid": 42, "tid": 1, "ts": 100.125, "dur": 50.125},
 {"ph": "X", "cat": "cuda_runtime", "name": "cudaMemcpyAsync", "pid": 42, "tid": 1, "ts": 10.125, "dur": 2.125, "args": {"correlation": $first}},
 {"ph": "X", "cat": "cuda_runtime", "name": "cudaMemcpyAsync", "pid": 42, "tid": 1, "ts": 110.125, "dur": 2.125, "args": {"correlation": 2}},
 {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy PtoP (Device -> Device)", "pid": 0, "tid": 7, "ts": 200.125, "dur": 10.125, "args": {"device": 0, "stream": 7, "correlation": $first, "bytes": 1000}},
 {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy PtoP (Device -> Device)", "pid": 0, "tid": 7, "ts": 220.125, "dur": 10.125, "args": {"device": 0, "stream": 7, "correlation": 2, "bytes": 1000}}]}
END
done
judge() {
    echo "$*:"
    cpprof check "$@" --assert 'count(p2p) == 1' --assert 'count(p2p) != 1' --assert 'count(comm) == 1' \
        --assert 'count(comm) != 1' --assert 'count(nvtx) >= 1' --format json 2>/dev/null |
        sed -n -e 's/^ *"rule": "\(.*\)",$/\1/p' -e 's/^ *"status": "\([a-z]*\)",$/    \1/p'
}
cd "$folder"
judge rank0.json --range step
judge rank0.json --comm step
judge rank1.json --range step
judge rank1.json --comm step
judge rank0.json rank1.json --range step
judge rank0.json rank1.json --comm step
rm -rf "$folder"
