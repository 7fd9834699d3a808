cpprof gaps overlap_empty.csv
