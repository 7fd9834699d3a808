# The second kernel of rank 1 is another one: what comes from there on is not matched. Their clocks are unknown.
cpprof ranks ranks_other_kind
# Rank 1 has a collective less. Which one it lacks is not known where clocks differ.
cpprof ranks ranks_fewer
# Half of the ranks of a job.
cpprof ranks ranks_fewer/fewer_rank0.json
