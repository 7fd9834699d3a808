cpprof export --to csv
