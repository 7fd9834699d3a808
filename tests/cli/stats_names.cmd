# tile<3> 80 + 30: p50 55, p99 30 + 0.99 * 50 = 79.5, std 50 / sqrt(2) = 35.4. GPU work 140 + 30: 110 / 170 = 64.7%.
# 3000 bytes in 30 us: 100 MB/s. Calls 93 + 35 + 4 = 132: 70.5%.
cpprof stats gaps_every_cause.json
