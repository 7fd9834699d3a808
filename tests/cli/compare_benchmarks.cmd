# Two files of Google Benchmark, one process each: nothing finer than the spread inside it is decided.
cd ../data/benchmarks/google || exit 1
cpprof compare before/1.json after/1.json
