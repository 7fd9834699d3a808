cpprof check overlap_two_streams.csv --assert 'gap_max(h2d) <= 900ns' --format junit
cpprof check overlap_two_streams.csv --assert 'idle() <= 1%' --assert 'gap_max(h2d) <= 900ns' --format github
cpprof check overlap_two_streams.csv --assert 'gap_max(h2d) <= 900ns' --format json
cpprof check overlap_two_streams.csv --assert 'gap_max(h2d) <= 900ns'
