cpprof overlap overlap_empty.csv
