# A gate does not rest on a pool of which a part is gone, and the pool's own report begins with that.
folder=$(mktemp -d)
cp -r ../../examples/aa/pool.cpprof "$folder/cut.cpprof"
chmod -R u+w "$folder"
whole=../../examples/aa/pool.cpprof/timing.csv
head -c $(($(wc -c <"$whole") / 2)) "$whole" >"$folder/cut.cpprof/timing.csv"
cpprof check ../../examples/verdicts/win.cpprof --aa "$folder/cut.cpprof" --assert 'gain(pipeline/cpasync3) >= 10%' 2>&1 |
    sed "s|$folder|DIR|g; s|:[0-9]*: [0-9]* fields|:LINE: some fields|; s|[0-9]* bytes where [0-9]* were|bytes are gone|"
cpprof check ../../examples/verdicts/win.cpprof --aa "$folder/cut.cpprof" --assert 'gain(pipeline/cpasync3) >= 10%' >/dev/null 2>&1
echo "exit $?"
cpprof aa "$folder/cut.cpprof" 2>/dev/null | sed -n '1s/.*;/;/p'
rm -rf "$folder"
