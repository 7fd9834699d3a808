cpprof overlap overlap_two_streams.csv --assert 'registers(B) <= 64'
