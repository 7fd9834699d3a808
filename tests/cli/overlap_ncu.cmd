cpprof overlap ../data/ncu_raw.csv
