# A pool of one thing against itself is no side of a comparison.
cpprof compare ../../examples/verdicts/win.cpprof ../../examples/aa/pool.cpprof
echo "exit $?"
cpprof compare ../../examples/aa/pool.cpprof
