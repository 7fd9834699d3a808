cpprof classify ../data/ncu_hostile.csv --format html
