# A pool of one thing against itself is no side of a comparison.
cpprof compare ../../examples/verdicts/win.cpprof ../../examples/h200-aa/pool.cpprof
echo "exit $?"
cpprof compare ../../examples/h200-aa/pool.cpprof
