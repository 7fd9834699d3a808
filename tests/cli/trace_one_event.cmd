# One event is no events.
cpprof overlap cost_alone_a.csv && cpprof stats cost_alone_a.csv && cpprof gaps cost_alone_a.csv
