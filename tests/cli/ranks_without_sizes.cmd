# Nobody recorded bytes: the transfer that takes 40 times as long is of 2.1 GB beside 16.8 MB, or it is slow.
cpprof ranks ../data/ranks_without_sizes | head -14
for limit in 10 100; do
    cpprof check ../data/ranks_without_sizes --assert "transfer(comm) <= $limit%" | head -3
done
cpprof ranks --format json ../data/ranks_without_sizes | grep -E '"(verdict|doubt|slow_ns|expected_ns|compared)"' | sort | uniq -c
