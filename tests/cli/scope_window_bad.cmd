cpprof check overlap_two_streams.csv --window 5 --assert 'serial(any)' 2>&1
