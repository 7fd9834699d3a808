# A capture whose trace was cut, or is gone, is damaged: that is no word about what the program did.
folder=$(mktemp -d)
for what in half gone; do
    if [ $what = half ]; then capture=two-ranks; else capture=train; fi # one that was written in several chunks
    cp -r ../../examples/captures/$capture.cpprof "$folder/$what.cpprof"
    chmod -R u+w "$folder"
    find "$folder" -name '*.gz' -exec gunzip {} +
    trace=$(ls -S "$folder/$what.cpprof"/trace-*.bin | head -n 1)
    if [ $what = half ]; then truncate -s $(($(wc -c <"$trace") / 2)) "$trace"; else rm "$trace"; fi
    (
        exec 2>&1
        cd "$folder" || exit
        cpprof list $what.cpprof
        echo "exit $?"
        cpprof list --format json $what.cpprof | grep '"nothing"'
        cpprof report $what.cpprof >report
        echo "exit $?"
        sed -n '1,/^The program/p' report
        cpprof report --brief --format json $what.cpprof 2>/dev/null | grep -E '"(headline|time|caveat)"'
        cpprof gaps $what.cpprof
        echo "exit $?"
        cpprof launch $what.cpprof
        echo "exit $?"
    ) | sed -E '/^collector/d; /^exit/!s/[0-9][0-9.,]+/N/g'
done
rm -rf "$folder"
