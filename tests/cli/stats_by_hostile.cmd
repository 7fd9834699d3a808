cpprof stats stats_owners.json --by op --names full --format md 2>/dev/null | grep script
