#!/usr/bin/env bash
# What does the gate say of honest solutions and of cheats side by side? Records examples/sealed/: two runs whose solutions
# never share a process, and outcomes.csv with all that folders of cheats.sh hold; what an earlier one has, a later one
# does not replace. One GPU, a minute.
#
#   tests/gpu/record_sealed.sh [INTO [CHEATS...]]      INTO: default examples/; without a GPU: outcomes.csv alone
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
cpprof=$(realpath "$CPPROF")
libraries=$(realpath "$test_programs/cheats" 2>/dev/null) || skip "no cheats: install with -DCPPROF_INSTALL_TESTS=ON"
sources=$PWD/tests/gpu/cheats
mkdir -p "${1:-examples}/sealed"
into=$(realpath "${1:-examples}/sealed")
cheats=()
for folder in "${@:2}"; do
    cheats+=("$(realpath "$folder")")
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
cp "$libraries"/*.so .

# record NAME TASK SOLUTION...: the first is the baseline
record() {
    local name=$1 task=$2 solution arguments=()
    shift 2
    for solution in "$@"; do
        arguments+=(--solution "$solution=./$solution.so")
    done
    "$cpprof" run --task "./libtask_$task.so" "${arguments[@]}" --baseline "$1" --schedule process --processes 3 --iters 40 --cache both \
        -o "$into/$name.cpprof" --force >"$name.out" 2>&1
    expect "$name: exit status, as one does not do its work" "$?" 1
    python3 - "$into/$name.cpprof/verdict.json" >"$name.rows" <<'END'
import json, sys
for row in json.load(open(sys.argv[1]))["solutions"]:
    print(row["solution"].split("/")[1], row["status"], row["verdict"])
END
    cut -c 1-160 "$name.rows"
    expect_match "$name: a method for processes that load one solution" \
        "$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["method"])' "$into/$name.cpprof/manifest.json")" '^(graphs|single)$'
    expect_at_least "$name: lines of its page, at most 150" "$(("$(wc -l <"$into/$name.cpprof/report.md")" <= 150))" 1
}

if [ "$(cuda_gpus)" -gt 0 ]; then
    record softmax softmax softmax_naive faster kept_by_pointer half_the_rows
    expect "honest rows that pass" "$(grep -cE '^(softmax_naive|faster) pass ' softmax.rows)" 4
    expect "cheats that pass" "$(grep -cE '^(kept_by_pointer|half_the_rows) pass ' softmax.rows)" 0
    record gram gram gram_naive split_k memo_by_content skips_unless_profiled
    expect "honest rows that pass" "$(grep -cE '^(gram_naive|split_k) pass ' gram.rows)" 4
    expect "cheats that pass" "$(grep -cE '^skips_unless_profiled pass ' gram.rows)" 0
    expect "caches that gain" "$(grep -cE '^memo_by_content .* faster' gram.rows)" 0
fi

if [ ${#cheats[@]} -gt 0 ]; then
    python3 - "$sources" "${cheats[@]}" >"$into/outcomes.csv" <<'END'
import csv, pathlib, sys
sources, *folders = map(pathlib.Path, sys.argv[1:])
table = csv.writer(sys.stdout, lineterminator="\n")
table.writerow(["solution", "what_it_is", "repeat", "outcome", "why"])
for source in sorted(sources.rglob("*.cu"), key=lambda path: path.stem):
    kind = source.open().readline().split()[1]
    files = (sorted(folder.glob(source.stem + ".[0-9]*.txt")) for folder in folders)
    for told in next(filter(None, files), []):
        outcome, why = told.read_text().rstrip("\n").split("\t")
        table.writerow([source.stem, kind, told.stem.rsplit(".", 1)[1], outcome, why])
END
    expect_at_least "rows of outcomes.csv" "$(wc -l <"$into/outcomes.csv")" 2
fi
finish
