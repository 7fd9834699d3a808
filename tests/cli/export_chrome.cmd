cpprof export gaps_every_cause.json --to chrome
