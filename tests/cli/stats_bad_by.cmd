cpprof stats --by kernel gaps_every_cause.json
