cpprof overlap cost_together.csv --definitions ours
