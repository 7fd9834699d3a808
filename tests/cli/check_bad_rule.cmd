cpprof check overlap_two_streams.csv --assert 'class(A) == fast'
