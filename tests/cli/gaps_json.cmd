cpprof gaps gaps_every_cause.json --format json
