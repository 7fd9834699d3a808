cpprof export overlap_two_streams.csv --to csv -o no/such/folder.csv
