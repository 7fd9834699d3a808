cpprof stats stats_owners.json --by op
