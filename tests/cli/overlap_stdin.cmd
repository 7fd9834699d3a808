# beside overlap_plain
cpprof overlap - --assert 'count(kernel) == 2' < overlap_two_streams.csv
