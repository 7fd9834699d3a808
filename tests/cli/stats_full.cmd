# beside stats_names
cpprof stats gaps_every_cause.json --names full --top 1
