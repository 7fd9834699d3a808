cpprof overlap --cost cost_alone_a.csv overlap_empty.csv cost_together.csv
