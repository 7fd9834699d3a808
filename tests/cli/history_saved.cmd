# two references of recorded runs, one of them saved twice
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for name in win win regression; do
    cpprof compare ../../examples/verdicts/$name.cpprof --save main --store "$dir" 2>/dev/null
done
cpprof history main --store "$dir" | sed "s|$dir|STORE|"
(cd "$dir" && mkdir cpprof-store && mv main cpprof-store && cpprof history main --format json -o history.json --margin 2% && tr -d ' \n' <history.json | head -c 200)
echo
(cd "$dir" && printf x >>cpprof-store/main/000002.cpprof/timing.csv && cpprof history main -o history.md; echo "exit $?"; grep -A3 Caveats history.md)
cpprof history main --store "$dir" --margin 60%
