# Samples beside the JSON, means alone, a state that was skipped, names that one side lacks.
cd ../data/benchmarks/nvbench || exit 1
cpprof compare before.json after.json
