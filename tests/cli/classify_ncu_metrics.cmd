cpprof classify ../data/ncu_metrics.csv --format json
