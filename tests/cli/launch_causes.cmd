# Calls 10 5 5 15, first of tile<3> 10, of tile<4> 5. Queue: 20 and 10, 10 and 48. 15 > 10: one of four is longer.
# Starved: 15 of the gap until 115, 35 of the gap until 185; 50 of 80 idle. Idle with a call: 70 of 80.
cpprof launch gaps_every_cause.json
