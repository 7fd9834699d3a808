cpprof check overlap_two_streams.csv --skip-first 1 --assert 'count(kernel) == 1' --assert 'count(copy) == 3'
