# Twenty all-reduces of two processes: what the ranks lose is 0.1% of the time.
cpprof ranks ../../examples/captures/two-ranks.cpprof
# No collective, one device, launches alone, no trace at all.
cpprof ranks gaps_every_cause.json
cpprof ranks ../data/nsys_kern_exec_trace.csv
cpprof ranks nowhere.json
cpprof ranks
