# What of the inside of kernels is left out: samples, or all of it; of a run without an inside there is nothing to say.
run=../../examples/inside/one-cta.cpprof
other=../../examples/inside/allreduce.cpprof
samples=$(($(zcat $run/inside_series.csv.gz | wc -l) - 1))
said() {
    echo "export $*"
    cpprof export "$@" 2>&1 >/dev/null | grep -a inside | sed "s/ $samples samples / all samples /; /recorded tiles/d"
}
said --to chrome $run
said --to chrome $other
said --to chrome --device 0 $run
said --to pftrace --window 0:1ms $run
said --to pftrace $run $other
said --to csv $run
said --to csv --report api $other
said --to pftrace --device 0 ../../examples/overlap/two.cpprof
