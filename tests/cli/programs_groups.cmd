# programs whose samples are several kinds of work: any number of arms, and counts that nobody launched
folder=$(mktemp -d)
judge() { # as programs.py has them
    python3 programs.py "$folder/run" --arrays --groups "$@"
    cpprof compare "$folder/run" --format csv >"$folder/out" 2>"$folder/errors"; echo "exit $?"
    cpprof report --format md "$folder/run" 2>/dev/null | grep -o '[^ ]*: launches that match.*'
}
echo '-- two arms, and a manifest whose counts add up to more than there is'
judge --cut-off=9223372036854775807 a=10/10/10 b=20/20/20
sed -n '1!p' "$folder/out" | cut -d, -f1-4
rm -r "$folder/run"
echo '-- 70 arms: 69 comparisons of two kinds of work'
judge a=10/10/10 $(seq -f 'b%g=20/20/20' 69)
sed -n '1!p' "$folder/out" | cut -d, -f2 | sort | uniq -c | awk '{ print $1 }' | uniq -c
rm -r "$folder/run"
echo '-- 1025 arms'
judge a=10/10/10 $(seq -f 'b%g=20/20/20' 1024)
sed "s,$folder,FOLDER," "$folder/errors"
rm -r "$folder/run"
echo '-- recorded with set-up: its time is told, too (186 of 180 launches of one kernel, 2 of another)'
cpprof report --format md ../../examples/programs/block-sweep.cpprof 2>/dev/null | grep -o '[^ ]*: launches that match.*'
rm -r "$folder"
