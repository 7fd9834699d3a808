# A raw page whose row of units is empty, one launch of which all cells are, and one block on 114 SMs.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 - ../data "$folder" <<'PYTHON'
import csv, sys

data, folder = sys.argv[1:]
with open(f"{data}/ncu_issue_slots.csv", encoding="utf-8", newline="") as file:
    rows = list(csv.reader(file))
rows = rows[next(at for at, row in enumerate(rows) if row[:1] == ["ID"]) :]
head, units, launch = rows[0], rows[1], rows[2]
of_launch = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Device", "CC"]


def write(name, *rows):
    with open(f"{folder}/{name}.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([head, *rows])


def changed(change):
    return [change(column, value) for column, value in zip(head, launch)]


def of_nothing(column, value):
    if column == "ID":
        return "7"
    return value if column in of_launch else "(0, 0, 0)" if column.endswith(" Size") else ""


def of_one_block(column, value):
    few = {"Grid Size": "(1, 1, 1)", "launch__grid_size": "1", "launch__sm_count": "114",
           "device__attribute_multiprocessor_count": "114", "launch__waves_per_multiprocessor": "0"}
    if column in few:
        return few[column]
    if column.startswith(("sm__pipe", "dram__throughput", "gpu__dram_throughput")):
        return ""
    return f"{float(value.replace(',', '')) / 1000:.6f}" if "pct_of_peak" in column and value else value


write("with", units, launch)
write("without", [""] * len(head), launch)
write("nothing", units, launch, changed(of_nothing))
write("block", units, changed(of_one_block))
PYTHON
for name in with without nothing block; do
    status=0
    cpprof classify "$folder/$name.csv" >"$folder/out" 2>"$folder/errors" || status=$?
    echo "$name: exit $status"
    sed "s|$folder/||" "$folder/errors"
    sed -n 's/^\(- [0-9]*, [^:]*: .*\) Will not help.*/\1/; s/^\(- [0-9]*, [^:]*: .*\)$/\1/p' "$folder/out" | grep -v '^- [0-9]*, .*count again'
done
