# us. Twenty ranks run a kernel for 40, wait, and run one for 40: ranks 7 and 12 wait for 120, all others for 20. So 18 are
# idle for 20 of 100, and two for 120 of 200: two groups.
cpprof overlap many_ranks.json
cpprof gaps many_ranks.json
cpprof check many_ranks.json --assert 'idle() <= 30%' --assert 'serial(kernel)'
cpprof check many_ranks.json --assert 'idle() <= 30%' --full | grep -c 'idle() <= 30%'
cpprof overlap many_ranks.json --full | grep -c '^On rank'
cpprof gaps many_ranks.json --full | grep -c '^On rank'
