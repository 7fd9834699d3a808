cpprof overlap overlap_two_streams.csv -o overlap_gates.rules --format text
