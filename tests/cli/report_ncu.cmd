cpprof report ../data/ncu_metrics.csv
