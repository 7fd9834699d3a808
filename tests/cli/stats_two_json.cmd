cpprof stats gaps_every_cause.json gaps_every_cause_b.json --by device --format json
