# two launches of one kernel, alike in all but what their warps wait for: two rows
cpprof classify - <../data/ncu_limits.csv --format md | sed -n "1,/^$/p;/^| [01] |.*bound/p"
