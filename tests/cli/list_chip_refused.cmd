for chip in 'NVIDIA GeForce RTX 4090 Laptop GPU' 6.1 8.90; do
    cpprof list --chip "$chip" || echo "exit $?"
done
cpprof list --chip gh100 --format json || echo "exit $?"
cpprof list --chip gh100 --format csv || echo "exit $?"
cpprof list --chip gh100 pipeline/sync
