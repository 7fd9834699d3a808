cpprof launch gaps_every_cause.json --format json
