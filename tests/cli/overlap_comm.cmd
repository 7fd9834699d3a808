# beside overlap_plain
cpprof overlap overlap_two_streams.csv --comm 'scale' --assert 'count(comm) == 2' --assert 'count(compute) == 0'
