cpprof overlap - < .
