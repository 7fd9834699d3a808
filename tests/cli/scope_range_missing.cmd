cpprof check overlap_two_streams.csv --range step --assert 'count(kernel) == 0'
