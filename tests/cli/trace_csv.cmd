# the rows of stats, gaps, launch and overlap as CSV: the names and the values of JSON, texts inert
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for command in stats gaps launch overlap; do
    echo "-- $command"; cpprof $command gaps_every_cause.json --format csv
done
echo '-- two traces: one row has no A'; cpprof stats gaps_every_cause.json gaps_every_cause_b.json --format csv
echo '-- a file is called so'; cpprof launch gaps_every_cause.json gaps_every_cause_b.json -o "$dir/x.csv"; tr ',' '\n' <"$dir/x.csv" | grep -c .
echo '-- what it costs'; cpprof overlap --cost cost_alone_a.csv cost_alone_b.csv cost_together.csv --format csv
sed 's/scale/=cmd|x,\\"\\u001b[31m/' gaps_every_cause.json >"$dir/hostile.json"
echo '-- a stranger'; cpprof stats "$dir/hostile.json" --format csv | grep cmd
echo '-- the part that was asked for has nothing'; cpprof gaps gaps_every_cause.json --window 9s:10s --format csv; echo "exit $?"
echo '-- an assertion fails'; cpprof overlap gaps_every_cause.json --format csv --assert 'overlap(copy, kernel) >= 50%' | wc -l
