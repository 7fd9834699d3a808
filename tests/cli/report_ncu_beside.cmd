cpprof report --brief ../data/ncu_raw.csv ../data/ncu_details.csv
