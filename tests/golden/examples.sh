#!/usr/bin/env bash
# Does each recorded bundle still give the report that is stored with it, byte for byte?
# usage: examples.sh [--refresh] CPPROF EXAMPLES
#
# --refresh writes the reports anew: after a change of analysis or wording, when
# the recorded evidence is still what the sources would record.
set -u
refresh=
if [ "$1" = --refresh ]; then
    refresh=1
    shift
fi
cpprof=$(realpath -e "$1") || exit 2
cd "$2" || exit 2
export LC_ALL=C
differ=0
count=0

# compare STORED COMMAND...: what the command prints against the stored file
compare() {
    local stored=$1
    shift
    count=$((count + 1))
    if [ -n "$refresh" ]; then
        "$@" >"$stored"
    elif ! "$@" | diff -u "$stored" - >&2; then
        echo "$stored: differs" >&2
        differ=$((differ + 1))
    fi
}

for bundle in */*.cpprof; do
    [ -f "$bundle/variants.csv" ] || continue
    if grep -q '"kind": "aa"' "$bundle/manifest.json"; then # a pool's report is that of aa
        compare "$bundle/report.md" "$cpprof" aa --format md "$bundle"
    fi
    compare "$bundle/report.md" "$cpprof" report "$bundle"
done
for folder in */; do
    [ -f "$folder/report.md" ] || continue
    compare "${folder}report.md" sh -c 'cd "$2" && exec "$1" report *.cpprof' sh "$cpprof" "$folder"
done
for stored in gates/*.md; do # what the gates say of the run of that name
    name=$(basename "$stored" .md)
    [ -d "pipeline/$name.cpprof" ] || continue
    compare "$stored" "$cpprof" check --rules gates/notes.rules --rules gates/signals.rules \
        "pipeline/$name.cpprof" --format md
done
echo "$count reports, $differ differ"
[ "$count" -gt 0 ] && [ "$differ" = 0 ]
