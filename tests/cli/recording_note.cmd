# The profilers of PyTorch began up to 1.92 s apart, and the first all-reduces waited for that. It is said once, and not
# where the beginning is left out, or of one rank.
for command in stats gaps overlap; do
    cpprof $command ../../examples/ranks/sleep-4 | grep 'recording began'
done
cpprof stats --skip-first 1 ../../examples/ranks/sleep-4 | grep -e 'recording began' -e ncclDevKernel
cpprof gaps ../../examples/ranks/sleep-4/rank-0.json.gz | grep 'recording began'
cpprof ranks ../../examples/ranks/sleep-4 | grep 'recording began'
# Without the kernels that waited there is a gap as long as the wait.
for command in gaps overlap; do
    cpprof $command --skip-first 1 ../../examples/ranks/sleep-4 | grep 'recording began'
done
