cpprof classify ../data/ncu_details.csv
