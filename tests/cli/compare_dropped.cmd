# what a manifest says twice of lost records must agree: one byte less makes no verdict
folder=$(mktemp -d)
cp -r ../../examples/verdicts/win.cpprof "$folder/run.cpprof"
cd "$folder"
manifest=run.cpprof/manifest.json
sed -i 's/"records": 0/"records": 7/' $manifest
judge() { status=0; cpprof compare run.cpprof >said 2>&1 || status=$?; echo "exit $status: $(grep -m 1 -o 'processes dropped.*\|7 records were dropped.*' said)"; }
echo '-- both say so'; judge
cp $manifest both
echo '-- the sum is not called so'; sed 's/^  "dropped"/  "eropped"/' both >$manifest; judge
echo '-- the sum is 0'; awk '/^  "dropped"/ { at = NR + 1 } NR == at { sub("7", "0") } 1' both >$manifest; judge
rm -r "$folder"
