# Rank 1 costs 36.3% of the time. Without the first kernels the wait for the profilers would count as time, and 2.8% be left.
cpprof ranks ../../examples/ranks/work-4 --skip-first 1
echo "exit $?"
cpprof check ../../examples/ranks/work-4 --assert 'late(any) <= 10%' | head -n 1
cpprof check ../../examples/ranks/work-4 --skip-first 1 --assert 'late(any) <= 10%' --assert 'skew(comm) <= 1s' --assert 'imbalance(compute) <= 100'
echo "exit $?"
