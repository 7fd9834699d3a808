cpprof overlap overlap_hostile.csv
