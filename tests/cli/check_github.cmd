cpprof check --rules check_wishes.rules overlap_two_streams.csv --assert 'serial(memset)' --format github
