cpprof stats gaps_every_cause.json --by stream
