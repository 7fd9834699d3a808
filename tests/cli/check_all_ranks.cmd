# What 'cpprof ranks' says of it is in ranks_chain.cmd: skews of 0 and 300 us, six each; rank 1 costs 600 us of 1290.
# No five are of one kind, so one of 300 us keeps the median of all, 150 us, from passing a limit below.
# Kernels that do not communicate take 600 us at three ranks and 1200 us at rank 1: 1200 / 750 = 1.6.
cpprof check ranks_chain.json --assert 'skew(comm) <= 200us' --assert 'skew(comm) <= 400us' --assert '2 * skew(comm) <= 200us' --assert 'late(1) <= 5%' --assert 'late(0) <= 5%' --assert 'late(any) <= 50%' --assert 'imbalance(compute) <= 1.6' --assert 'imbalance(compute[name=gemm]) < 1.6'
# No such rank; one device alone; no kernel of that name.
cpprof check ranks_chain.json --assert 'late(7) <= 5%' --assert 'imbalance(compute[rank=1]) <= 2' --assert 'imbalance(kernel[name=none]) <= 2'
# The verdict is inconclusive: nothing passes, whatever the numbers are.
cpprof check ranks_fewer --assert 'late(any) <= 5%' --assert 'skew(comm) <= 1s'
# What is asked of several traces is not asked of their scope.
cpprof overlap ranks_chain.json --rank 1 --assert 'late(1) <= 5%'
cpprof check ranks_chain.json --assert 'skew(kernel) <= 1us'
cpprof check ranks_chain.json --assert 'late(x) <= 1%'
cpprof check ranks_chain.json --assert 'late(1) <= idle()'
cpprof check ranks_chain.json --assert 'late(1) <= 2ms'
