# A table that is cut off is no gap in the trace, and its damage is said once by each part of the report.
folder=$(mktemp -d)
cp -r ../../examples/pipeline/one-cta.cpprof "$folder/cut.cpprof"
chmod -R u+w "$folder"
head -n 700 ../../examples/pipeline/one-cta.cpprof/timing.csv >"$folder/cut.cpprof/timing.csv"
cpprof report "$folder/cut.cpprof" >"$folder/report.md" 2>"$folder/notes"
status=$?
grep -e sealed -e '^- \*\*Selection' "$folder/report.md" | cut -d';' -f1 | sed 's/[0-9]* bytes where [0-9]* were/bytes are gone/'
sed 's/[0-9]* bytes where [0-9]* were/bytes are gone/' "$folder/notes" >&2
rm -rf "$folder"
exit $status
