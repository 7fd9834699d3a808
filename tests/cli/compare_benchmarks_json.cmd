# The same as JSON.
cd ../data/benchmarks/google || exit 1
cpprof compare before after --format json
