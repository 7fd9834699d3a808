# kernels whose grid and block a trace does not have are matched by name, and no size of 0 is printed
folder=$(mktemp -d)
gunzip -c ../data/identity/ids_again.sqlite.gz >"$folder/ids.sqlite"
gunzip -c ../data/identity/two_processes_one_gpu.sqlite.gz >"$folder/two.sqlite"
cd "$folder"
trace() { # NAME KERNEL:LAUNCHES:GRID...; without a grid no size is recorded
    python3 -c 'import json, sys
events, at = [], 0
for word in sys.argv[2:]:
    name, launches, grid = word.split(":")
    for i in range(int(launches)):
        sizes = {"grid": [int(grid), 1, 1], "block": [64, 1, 1]} if grid else {}
        events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": at, "dur": 10,
                       "args": dict(sizes, device=0, context=1, stream=7, correlation=at)})
        at += 20
json.dump({"schemaVersion": 1, "traceEvents": events}, open(sys.argv[1], "w"))' "$@"
}
judge() { cpprof compare "$1" "$2" --format text 2>/dev/null | grep 'work differs' || echo 'the same work'; }
echo '-- of nsys: 20 launches in each process'
judge ids.sqlite two.sqlite
trace sizes.json k:3:8 k:2:16 other:1:4
trace none.json k:5: other:1:
trace fewer.json k:4: other:1:
trace part.json k:5: other:1:9
echo '-- 3 + 2 launches of two grids, and 5 of which no size is known'
judge sizes.json none.json
echo '-- and 4'
judge sizes.json fewer.json
judge fewer.json sizes.json
echo '-- another kernel has its sizes on both sides'
judge sizes.json part.json
rm -r "$folder"
