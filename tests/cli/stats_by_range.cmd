# beside stats_by_op
cpprof stats stats_owners.json --by range
