cpprof export missing.json --to csv
