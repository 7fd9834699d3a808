cpprof check missing.csv --assert 'serial(kernel)' --format junit
echo "exit $?"
cpprof check missing.csv --assert 'serial(kernel)' --format github
echo "exit $?"
cpprof check missing.csv --assert 'serial(kernel)' --format json
echo "exit $?"
cpprof check overlap_two_streams.csv --rules overlap_broken.rules --format github
echo "exit $?"
file=$(mktemp -u)
cpprof check overlap_two_streams.csv --rules overlap_broken.rules --format junit -o "$file"
echo "exit $?"
cat "$file"
rm "$file"
