cpprof check overlap_two_streams.csv --window 800ns:2.3us --assert 'count(any) == 3' --assert 'count(any) == 2'
