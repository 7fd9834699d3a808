cpprof check overlap_empty.csv --assert 'count(any) == 0' --format github
