out=$(mktemp) && cpprof overlap overlap_two_streams.csv -o "$out" --force && head -n 1 "$out"; status=$?; rm -f "$out"; exit $status
