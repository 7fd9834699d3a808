# programs that write no array: one line, one status of compare and check; --unverified leaves it to the verdict
folder=$(mktemp -d)
make() { name=$1; shift; python3 programs.py "$folder/$name" "$@"; }
make faster old=20/30/50 new=10/20/40
make slower old=10/20/40 new=20/30/50
make accepted.faster --unverified old=20/30/50 new=10/20/40
make accepted.slower --unverified old=10/20/40 new=20/30/50
make arrays.faster --arrays old=20/30/50 new=10/20/40
make arrays.slower --arrays old=10/20/40 new=20/30/50
make no.words --no-words old=20/30/50 new=10/20/40
cd "$folder"
quiet() { status=0; "$@" >said 2>errors || status=$?; }
for name in faster slower accepted.faster accepted.slower arrays.faster arrays.slower; do
    echo "-- $name"
    quiet cpprof compare $name; echo "compare: exit $status; $(grep -o 'results not compared.*' said | tail -n 1)"
    quiet cpprof check $name --assert 'speedup(B) >= 1'; echo "check: exit $status; $(sed -n 3p said)"
    quiet cpprof check $name --assert 'selection(B)'; echo "selection: exit $status"
    cpprof report --brief --format md $name 2>errors | grep -e '^#' -e Results -e Correctness -e Missing
    cpprof report --brief --format json $name 2>errors | grep -e '"verdict"' -e '"reason"'
done
echo '-- one side of two bundles'
quiet cpprof compare accepted.slower faster; echo "exit $status"
quiet cpprof compare accepted.faster accepted.slower; echo "exit $status"
echo '-- times of processes of which the bundle has no word'
cpprof report --brief --format md no.words 2>errors | grep Selection
rm -r "$folder"
