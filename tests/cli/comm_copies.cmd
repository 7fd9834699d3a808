# A copy between GPUs communicates where its thread launched it in a range that --comm names: the first of three, half under pack_rows.
cpprof check ../data/communication_copies/rank0.json --comm exchange --assert 'count(comm) == 1' --assert 'count(compute) == 3' --assert 'count(p2p) == 3' --assert 'busy(comm) >= 78us' --assert 'overlap(comm, compute) > 48%'
# Without --comm there is no communication.
cpprof check ../data/communication_copies/rank0.json --assert 'count(comm) == 0' | head -1
# No moment is told twice: 40 us of communication are no copies.
cpprof report ../data/communication_copies/rank0.json --comm exchange --brief
cpprof report ../data/communication_copies/rank0.json --brief | head -8
# A rank without the range has none, whoever reads it.
cpprof check ../data/communication_copies --comm exchange --assert 'count(comm[rank=0]) == 1' --assert 'count(comm[rank=1]) == 0'
cpprof overlap ../data/communication_copies --comm exchange --jobs 2 | head -12
# A step has communication in place of copies.
cpprof compare ../data/communication_copies/rank0.json ../data/communication_copies/rank0.json --range step --comm exchange | sed -n 10,25p
# Runs and tables have no ranges.
cpprof report ../data/ncu_raw.csv --comm exchange
cpprof compare ../data/communication_copies/rank0.json ../data/communication_copies/rank0.json --comm '('
cpprof report ../data/communication_copies/rank0.json --comm '('
