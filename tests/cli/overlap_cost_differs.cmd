cpprof overlap --cost cost_alone_a.csv cost_alone_b.csv cost_twice.csv
