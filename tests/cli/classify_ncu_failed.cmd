cpprof classify ../data/bad_ncu/failed.csv
