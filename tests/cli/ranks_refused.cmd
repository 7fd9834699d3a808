# The names of these kernels do not say what they exchange; no kernel has such a name.
cpprof ranks ranks_chain.json --comm gemm | head -n 1
cpprof ranks ranks_chain.json --stream 7 --comm none_such | head -n 1
# A window of each rank's own would not be one moment.
cpprof ranks ranks_chain.json --window 0:1ms
cpprof check ranks_chain.json --window 0:1ms --assert 'late(any) <= 5%'
# 5: no work at all, as in every command; a trace among others that cannot be read. 3: all are read, and one is too few.
folder=$(mktemp -d)
echo '{"schemaVersion":1,"traceEvents":[{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":1}]}' > "$folder/none.json"
cpprof ranks ranks_chain.json --rank 9 | head -n 1
cpprof ranks ranks_chain.json --rank 9 > "$folder.out" 2>&1 || echo "exit $?"
cpprof overlap ranks_chain.json --rank 9 > "$folder.out" 2>&1 || echo "exit $?"
cpprof ranks "$folder/none.json" > "$folder.out" 2>&1 || echo "exit $?"
cpprof overlap "$folder/none.json" > "$folder.out" 2>&1 || echo "exit $?"
cpprof ranks ranks_chain.json "$folder/missing.json" > "$folder.out" 2>/dev/null || echo "exit $?"
sed -n "1s|$folder|FOLDER|p" "$folder.out"
cpprof ranks ranks_fewer/fewer_rank0.json > "$folder.out" 2>&1 || echo "exit $?"
# Twins: two traces of one rank.
for name in a b; do cp ranks_fewer/fewer_rank0.json "$folder/$name.json"; done
rm "$folder/none.json"
cd "$folder" || exit
cpprof ranks a.json b.json
echo "exit $?"
cd / && rm -r "$folder" "$folder.out"
