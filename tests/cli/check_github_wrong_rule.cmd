cpprof check overlap_two_streams.csv --format github --rules overlap_broken.rules
