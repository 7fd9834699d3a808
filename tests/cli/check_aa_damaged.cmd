# A gate does not rest on a pool of which a part is gone, and the pool's own report begins with that.
folder=$(mktemp -d)
cp -r ../../examples/h200-aa/pool.cpprof "$folder/cut.cpprof"
chmod -R u+w "$folder"
head -c 500000 ../../examples/h200-aa/pool.cpprof/timing.csv >"$folder/cut.cpprof/timing.csv"
cpprof check ../../examples/verdicts/win.cpprof --aa "$folder/cut.cpprof" --assert 'gain(pipeline/cpasync3) >= 10%' 2>&1 |
    sed "s|$folder|DIR|g; s|[0-9]* bytes where [0-9]* were|bytes are gone|"
cpprof check ../../examples/verdicts/win.cpprof --aa "$folder/cut.cpprof" --assert 'gain(pipeline/cpasync3) >= 10%' >/dev/null 2>&1
echo "exit $?"
cpprof aa "$folder/cut.cpprof" 2>/dev/null | sed -n '1s/.*;/;/p'
rm -rf "$folder"
