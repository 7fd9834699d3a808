cpprof export overlap_hostile.csv --to csv
