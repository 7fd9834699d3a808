# us. In three steps ranks 0 to 3 run 100, meet in rows (10), run 100, and meet in columns (20). In the second and third,
# rank 1 runs 400 first: rank 0 waits 300 for it in its row, and both are 300 late in their columns, where ranks 2 and 3
# wait. All 900 are rank 1's, in two of three steps: 2 * 900 / 3 others / 3 steps = 200 each step. Skews: six of 0 and
# six of 300, median 150. Ranks span 3 * 230 + 2 * 300 = 1290.
cpprof ranks ranks_chain.json
cpprof ranks ranks_chain.json --format json
cpprof ranks ranks_chain.json --format md
# Without rank 1 its row has a rank less than its note says, and so has its column.
cpprof ranks ranks_chain.json --rank 0 --rank 2 --rank 3
