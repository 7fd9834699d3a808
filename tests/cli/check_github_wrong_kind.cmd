cpprof check overlap_two_streams.csv --format github --rules ../../examples/ci/run/variant_gates.rules
