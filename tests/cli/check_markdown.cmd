cpprof check --rules check_wishes.rules overlap_two_streams.csv --format md
