# Damage is put down to the file that is damaged.
folder=$(mktemp -d)
for table in variants expect metrics; do
    cp -r ../../examples/pipeline/one-cta.cpprof "$folder/cut.cpprof"
    chmod -R u+w "$folder"
    sed '$s/,.*//' ../../examples/pipeline/one-cta.cpprof/$table.csv >"$folder/cut.cpprof/$table.csv"
    cpprof check --assert 'time(B) <= 1s' --assert 'count(kernel) > 1' --format github "$folder/cut.cpprof" 2>&1 | sed "s|$folder|DIR|g; s|[0-9]* bytes where [0-9]* were|bytes are gone|"
    cpprof report "$folder/cut.cpprof" 2>/dev/null | sed -n '1s/.*;/;/p; /^- .*Selection/p' | sed 's/[0-9]* bytes where [0-9]* were/bytes are gone/g'
    rm -rf "$folder/cut.cpprof"
done
rm -rf "$folder"
