# What a program waits for, by the graph of what was recorded: runs in which that is known by construction.
examples=../../examples work=$(mktemp -d)
waits() { # TRACE LINES
    cpprof report --full "$1" 2>/dev/null | grep -A 9999 'id="what-the-program-waits-for"\|^## What the program waits for' | grep '^| [0-9]' | head -n "$2"
}
for run in one two pageable three two-devices pdl; do
    cpprof export "$examples/overlap/$run.cpprof" --to chrome -o "$work/$run.json"
    echo "$run"
    waits "$work/$run.json" 2
done
echo train
waits "$examples/captures/train.cpprof" 3
echo vector
waits "$examples/captures/vector.cpprof" 2
echo graph
waits "$examples/captures/graph.cpprof" 1
echo "waits, whose trace says what streams wait for: the chain is critical, the copies are hidden"
waits "$examples/captures/waits.cpprof" 2
cpprof report --format json "$examples/captures/waits.cpprof" | grep '^ *"\(sure\|recorded\|unsure\|unexplained\)"'
cpprof check "$examples/captures/waits.cpprof" --assert 'count(sync) > 2 * count(h2d)' 2>&1 | head -n 3
cpprof export "$examples/captures/waits.cpprof" --to chrome -o "$work/waits.json" && grep -c cuda_sync "$work/waits.json"
echo "the host: of ops, which waits for it, and of train, which does not"
for bundle in profile/ops captures/train; do
    cpprof report --full "$examples/$bundle.cpprof" | grep -o 'the host between its calls.*'
done
echo ops
cpprof report --full "$examples/profile/ops.cpprof" | sed -n '/^what the program would gain/,/tensor_kernel_scan/p'
# A trace that is cut has no such page, and no reason to gain anything.
cp -r "$examples/captures/train.cpprof" "$work/cut.cpprof"
chmod -R u+w "$work/cut.cpprof"
find "$work" -name '*.gz' -exec gunzip {} +
truncate -s 60000 "$work"/cut.cpprof/trace-*.bin
cpprof report --format json "$work/cut.cpprof" 2>/dev/null | sed -n '/"dependencies"/,/"kernels"/p'
waits "$work/cut.cpprof" 1
rm -r "$work"
