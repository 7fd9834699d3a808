# Four ranks of one host under the PyTorch profiler (examples/ranks). Planted: rank 1 sleeps; rank 1 has more products;
# rank 0 has, and makes 1, 2 and 3 late one after the other; nothing, and then no rank costs a tenth of the time.
for scenario in sleep work chain even; do
    cpprof ranks ../../examples/ranks/$scenario-4 | sed -n 1p
done
cpprof check ../../examples/ranks/sleep-4 --assert 'late(1) <= 50%' --assert 'late(0) <= 5%' --assert 'late(2) <= 5%'
echo "exit $?"
cpprof check ../../examples/ranks/chain-4 --assert 'late(0) <= 30%' --assert 'late(1) <= 10%' --assert 'late(3) <= 10%'
echo "exit $?"
# Two processes read the same.
cpprof ranks --jobs 2 ../../examples/ranks/sleep-4 | sed -n 1p
# What is known of one trace alone.
cpprof ranks ../../examples/ranks/even-4/rank-0.json.gz | sed -n 1p
# Without one of them the others are no whole.
cpprof ranks ../../examples/ranks/work-4/rank-[012].json.gz | sed -n 1p
# Captures of two ranks, started by torchrun and by mpirun. In `link` a thread copies to the other GPU in every second
# step: transfers are slow, and nobody is late.
for run in even sleep work link sleep-mpirun work-mpirun; do
    cpprof ranks ../../examples/ranks/$run.cpprof | head -n 1
done
# The gate of docs/ranks.md passes where nothing is planted. A limit that fails says what each reason costs.
for run in even-4 even.cpprof link.cpprof; do
    cpprof check ../../examples/ranks/$run --assert 'late(any) <= 10%' --assert 'transfer(comm) <= 5%' | head -n 3
done
cpprof check ../../examples/ranks/even.cpprof --assert 'late(any) <= 1%'
echo "exit $?"
