cat overlap_two_streams.csv | TMPDIR=/dev/null cpprof overlap -
