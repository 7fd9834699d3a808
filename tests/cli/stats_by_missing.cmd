# A trace that has none of what was asked for is refused, and so are ranges that are no steps.
for by in op module frame range step; do
    cpprof stats gaps_every_cause.json --by $by || echo "exit $?"
done
cpprof stats stats_owners.json --by step --range nothing || echo "exit $?"
cpprof stats stats_owners.json --by step --range '(' || echo "exit $?"
cpprof stats stats_owners.json --by step --range 'ProfilerStep|forward' | grep Step
