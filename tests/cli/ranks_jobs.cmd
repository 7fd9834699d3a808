# Whoever reads them, traces are the same: with a file that is none, one that ends early, and ranks of two files.
folder=$(mktemp -d)
cp ranks_other_kind/*.json ranks_chain.json many_ranks.json "$folder"
head -c 900 ranks_other_kind/other_kind_rank0.json > "$folder/cut.json"
echo "no trace" > "$folder/readme"
for command in 'ranks --format json' 'overlap --format json' "check --assert serial(kernel) --format json"; do
    # shellcheck disable=SC2086  # words on purpose
    cpprof $command "$folder" > "$folder.one" 2>&1
    echo "exit $?"
    # shellcheck disable=SC2086
    cpprof $command "$folder" --jobs 3 > "$folder.three" 2>&1
    echo "exit $?"
    cmp "$folder.one" "$folder.three" && echo same
done
rm -r "$folder" "$folder.one" "$folder.three"
cpprof ranks ranks_chain.json --jobs 0
