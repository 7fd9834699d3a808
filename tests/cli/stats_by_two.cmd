cpprof stats stats_owners.json stats_owners.json --by frame --format json | grep -e '"by"' -e '"name"' -e total_factor
