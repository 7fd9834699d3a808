# A gate does not pass on a pool whose recording did not end in good order, or lost a process; a failure stays one.
folder=$(mktemp -d)
for what in whole unsealed failed; do
    cp -r ../../examples/aa/pool.cpprof "$folder/$what.cpprof"
done
chmod -R u+w "$folder"
sed -i 's/"status": "complete"/"status": "incomplete"/' "$folder/unsealed.cpprof/manifest.json"
sed -i '0,/{/s//{"failures": [{"role": "time", "index": 7, "detail": "killed"}],/' "$folder/failed.cpprof/manifest.json"
for what in whole unsealed failed; do
    for gate in 10% 60%; do
        cpprof check ../../examples/pipeline/explained.cpprof --aa "$folder/$what.cpprof" \
            --assert "gain(pipeline/cpasync3) >= $gate" >"$folder/said" 2>/dev/null
        echo "$what, $gate: exit $?"
        sed -n "s|$folder|DIR|g; /what this machine can tell/p" "$folder/said" | head -n 1
    done
done
rm -rf "$folder"
