cpprof classify ../data/bad_ncu/missing_counters.csv
