# samples of many launches on one axis, and launches that are too few for it
for name in stages one-cta; do
    echo "-- $name"
    cpprof inside ../../examples/inside/$name.cpprof --format md | sed -n '/ on one axis/,/^$/p; /^### Begin and end/,/^### Receipts/p'
done
