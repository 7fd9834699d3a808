f=$(mktemp)
printf '# cpprof.metrics/1\nid,name\ndram_reed,\n' >"$f"
cpprof run pipeline/sync --metric-set "$f" 2>"$f.said"; status=$?
sed "s|$f|FILE|" "$f.said" >&2
rm "$f" "$f.said"
exit $status
