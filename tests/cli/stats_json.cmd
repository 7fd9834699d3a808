cpprof stats gaps_every_cause.json --format json
