# Of two processes one launched kernels from kernels. Nothing is known of its GPU, and of both together; the other one's
# GPU is judged. Also where each trace is measured by a process of its own, and where both share one GPU.
work=$(mktemp -d)
cp -r ../../examples/ranks/work.cpprof "$work/apart.cpprof" && chmod -R u+w "$work"
sed -i '/"pid": 18886/,/"missing": \[\]/s/"missing": \[\]/"missing": [{"what": "device launches", "why": "a kernel can"}]/' \
    "$work/apart.cpprof/manifest.json"
cp -r "$work/apart.cpprof" "$work/shared.cpprof"
first=$(grep -o 'GPU-[0-9a-f-]*' "$work/shared.cpprof/manifest.json" | sort -u | head -n 1)
sed -i "s/GPU-[0-9a-f-]*/$first/" "$work/shared.cpprof/manifest.json"
check() {
    echo "$*" | sed "s|$work/||g"
    cpprof check "$@" --assert 'idle() < 50%' --assert 'count(kernel) == 1' --assert 'count(kernel[rank=0]) == 240' \
        --assert 'count(kernel) >= 1' --assert 'imbalance(kernel) < 2' --assert 'imbalance(memset) < 2' \
        --assert 'skew(comm) < 1 s' --assert 'late(any) < 1%' --assert 'transfer(comm) < 1%' 2>/dev/null |
        sed -nE '/^[a-z]+\(/s/ (pass|fail|inconclusive|vacuous) .*/ \1/p'
}
check "$work/apart.cpprof"
check --jobs 2 "$work/apart.cpprof" ../../examples/captures/vector.cpprof
check --rank 0 "$work/apart.cpprof"
check "$work/shared.cpprof"
check --rank 0 "$work/shared.cpprof"
# nobody knows what the ranks waited for; and two devices of processes that share a GPU are no two GPUs
for bundle in apart shared; do
    cpprof ranks "$work/$bundle.cpprof" 2>/dev/null >"$work/page"; echo "ranks $bundle: exit $?"
    sed -n '1s/;.*//p; s/^\([0-9]* devices.*\), 48 .*/\1/p' "$work/page"
done
cpprof compare "$work/shared.cpprof" ../../examples/ranks/work.cpprof 2>/dev/null | grep Machines
rm -r "$work"
