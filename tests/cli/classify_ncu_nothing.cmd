# nothing was counted, a chip that nobody knows, waves that are missing, and the counter of the tensor cores that is
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 - ../data "$folder" <<'PYTHON'
import csv, sys

data, folder = sys.argv[1:]


def edit(name, made, change):
    with open(f"{data}/{name}", encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    rows = rows[next(at for at, row in enumerate(rows) if row[:1] == ["ID"]) :]
    head = rows[0]
    for row in rows[1:]:
        if row and row[0].isdigit():
            for at, column in enumerate(head):
                row[at] = change(column, row[at])
    with open(f"{folder}/{made}", "w", encoding="utf-8", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)


edit("ncu_issue_slots.csv", "zeros.csv", lambda column, value: "0" if "pct_of_peak" in column else value)
edit("ncu_issue_slots.csv", "chip.csv", lambda column, value: "13.0" if column == "CC" else value)
edit("ncu_small_grid.csv", "waves.csv", lambda column, value: "" if "waves" in column else value)
edit("ncu_b200_attention.csv", "tc.csv", lambda column, value: "" if column.startswith("sm__pipe_tc_cycles") else value)
PYTHON
for name in zeros chip waves tc; do
    status=0
    cpprof classify "$folder/$name.csv" --format json >"$folder/json" 2>"$folder/errors" || status=$?
    echo "$name: exit $status"
    sed -n "s|$folder/||; /no chip\|capability/p" "$folder/errors" | head -n 1
    python3 - "$folder/json" <<'PYTHON'
import json, sys

for kernel in json.load(open(sys.argv[1]))["kernels"][:1]:
    print("  ", kernel["class"], kernel["unit"], kernel["lean"], kernel["ncu_rule"])
PYTHON
done
