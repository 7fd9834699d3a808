cpprof overlap overlap_other.csv
