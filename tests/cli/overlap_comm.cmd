# beside overlap_plain
cpprof overlap overlap_two_streams.csv --comm 'scale' --assert 'count(comm) == 2' --assert 'count(compute) == 0'
# A name that nothing has is told.
cpprof overlap overlap_two_streams.csv --comm nosuch | grep nosuch; cpprof check --jobs 2 overlap_two_streams.csv overlap_two_streams.csv --comm nosuch --assert 'idle() < 99%' | grep nosuch
