cpprof check overlap_truncated.csv --assert 'count(any) >= 1'
