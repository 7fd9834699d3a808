# Kernels of 18 projects: all but reduce_kernel<512> communicate.
cpprof check ../data/communication_names.json --assert 'count(comm) == 17' --assert 'count(compute) == 1' | head -8
# --comm adds to them.
cpprof check ../data/communication_names.json --comm 'reduce_kernel<512>' --assert 'count(comm) == 18' | head -1
