cpprof check overlap_two_streams.csv --rules overlap_gates.rules
