# A folder with a file for each process: these are replicates.
cd ../data/benchmarks/google || exit 1
cpprof compare before after --format md
status=$?
cpprof compare before after --format csv | cut -d , -f 1,7,8,10-14
exit $status
