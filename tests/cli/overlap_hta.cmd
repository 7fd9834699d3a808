cpprof overlap cost_together.csv --definitions hta
