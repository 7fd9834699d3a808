cpprof classify nowhere.csv
