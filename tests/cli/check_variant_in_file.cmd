cpprof check overlap_two_streams.csv --rules ../../examples/ci/run/variant_gates.rules
