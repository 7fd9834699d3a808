cpprof check --assert 'count(kernel) == 3' overlap_two_streams.csv --format html
