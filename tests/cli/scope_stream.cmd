cpprof check overlap_two_streams.csv --stream 8 --assert 'count(copy) == 0' --assert 'count(kernel) == 2'
