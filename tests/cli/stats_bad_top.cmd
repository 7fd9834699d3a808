cpprof stats --top many gaps_every_cause.json
