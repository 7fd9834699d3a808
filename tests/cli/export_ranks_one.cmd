cpprof export gaps_every_cause.json gaps_every_cause_b.json --to csv --rank 1
