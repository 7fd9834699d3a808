cpprof check overlap_two_streams.csv --assert 'time(B) <= 0.97 * time(A)'
