# what the first screen and the answers say of copies: the wait and what earlier tiles save, not E alone; neighbours only where they are what bounds it; the cost with a digit more near its limit
for name in eight-ctas one-cta stages warpspec wgmma; do
    echo "-- $name"
    cpprof report ../../examples/inside/$name.cpprof --brief --format md | grep -E "^# |Copy:"
    cpprof inside ../../examples/inside/$name.cpprof --format md | grep -E "^- .*(hidden|wait|inconclusive, because its cost)" -A1 | grep -v "^$\|^|\|^--\|^#"
done
true
