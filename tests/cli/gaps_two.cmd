# In B the second kernel is 15 shorter (host late +15), the last one 40 later (unknown +40).
cpprof gaps gaps_every_cause.json gaps_every_cause_b.json
