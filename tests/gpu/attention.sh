#!/usr/bin/env bash
# Are PyTorch's cuDNN, Flash and math attention told apart when they are run as
# programs: which kernels ran, which is faster, what bounds each, and are they the
# same result? About three minutes.
#
#   tests/gpu/attention.sh     OUT=FOLDER keeps the bundles there; NCU=no makes no tables of ncu
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
need_torch
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=${OUT:-$work}
mkdir -p "$out" || exit 2
program='python3 examples/pytorch-attention/attention.py'

# facts BUNDLE: what the checks below ask about, one line each
facts() {
    python3 - "$1" <<'PYTHON'
import csv
import json
import os
import sys

bundle = sys.argv[1]


def rows(name):
    path = os.path.join(bundle, name)
    return list(csv.DictReader(open(path))) if os.path.exists(path) else []


for row in json.load(open(os.path.join(bundle, "verdict.json")))["rows"]:
    print("verdict", row["candidate"], row["verdict"], row["speedup"])
for program in json.load(open(os.path.join(bundle, "manifest.json")))["programs"]:
    processes = program["processes"]
    names = [r["name"] for r in rows("work.csv") if r["variant"] == program["variant"] and float(r["chosen_count"] or 0)]
    print("samples", program["variant"], sum(p.get("samples", 0) for p in processes), len(processes))
    print("kernels", program["variant"], " ".join(sorted(set(names))))
    counted = {r["kernel"] for r in rows("metrics.csv") if r["variant"] == program["variant"]}
    print("counted", program["variant"], len(counted))
    checks = [r["pass"] for r in rows("verify.csv") if r["variant"] == program["variant"]]
    print("checks", program["variant"], checks.count("yes"), len(checks))
PYTHON
}

# What Nsight Compute counts of the same kernels, to be read before our report: one iteration of each backend.
if [ "${NCU:-yes}" != no ] && command -v ncu >/dev/null; then
    for backend in flash math cudnn; do
        # shellcheck disable=SC2086  # the program is two words
        ncu --set full --clock-control none --cache-control none --nvtx --nvtx-include "attention/" --launch-count 12 --csv --page raw \
            $program $backend >"$out/ncu-$backend.csv" 2>"$work/ncu.log" || tail -n 3 "$work/ncu.log" "$out/ncu-$backend.csv"
        "$CPPROF" classify "$out/ncu-$backend.csv" --format json -o "$out/ncu-$backend.json" --force
        expect_match "ncu's table of $backend is read" "$?" '^[03]$'
    done
fi

"$CPPROF" run --variant flash="$program flash" --variant math="$program math" --variant cudnn="$program cudnn" \
    --range attention --baseline math --processes 5 -o "$out/attention.cpprof" >"$work/report" 2>"$work/errors"
expect 'exit status' "$?" 0
head -n 30 "$work/report" | cut -c 1-400
[ -e "$out/attention.cpprof/verdict.json" ] || { cat "$work/errors"; finish; exit 1; }
facts "$out/attention.cpprof" | tee "$work/facts"
"$CPPROF" classify "$out/attention.cpprof" | head -n 20 | cut -c 1-300
du -sk "$out/attention.cpprof"

line() { # WHAT VARIANT
    grep "^$1 $2 " "$work/facts"
}
expect_match 'flash ran a flash kernel' "$(line kernels flash)" 'flash'
expect_match 'cudnn ran a kernel of cuDNN' "$(line kernels cudnn)" 'cudnn'
expect_match 'math ran several kernels' "$(line kernels math)" ' .* .* '
for variant in flash math cudnn; do
    expect "$variant: iterations in five processes behind the warm-up" "$(line samples $variant)" "samples $variant 950 5"
    expect "$variant: arrays that agree" "$(line checks $variant)" "checks $variant 5 5"
    expect_match "$variant: kernels counted" "$(line counted $variant)" ' [1-9][0-9]*$'
done
expect_match 'flash against math has a verdict' "$(line verdict flash)" 'faster|slower|equivalent'
expect_match 'cudnn against math has a verdict' "$(line verdict cudnn)" 'faster|slower|equivalent'
bounds=$("$CPPROF" classify --format json "$out/attention.cpprof" |
    python3 -c 'import json, sys; k = json.load(sys.stdin)["kernels"]; print(len(k), sum(x["class"] != "inconclusive" for x in k))')
expect_match 'kernels that have a bound' "$bounds" '^[1-9][0-9]* [1-9][0-9]*$'

"$CPPROF" run --variant flash="$program flash" --variant math="$program math" --kernels 'no_such_kernel' --baseline math \
    --processes 3 --metrics none -o "$work/nothing.cpprof" >"$work/report" 2>"$work/errors"
expect 'exit status when nothing matches' "$?" 1
expect_match 'headline when nothing matches' "$(head -n 1 "$work/report")" '^NOTHING TO MEASURE: .*flash'

# One kernel an iteration needs no range.
"$CPPROF" run --variant flash="$program flash" --variant cudnn="$program cudnn" --kernels 'flash_fwd|cudnn' --baseline flash \
    --processes 3 --metrics none -o "$work/kernels.cpprof" >"$work/report" 2>"$work/errors"
expect_match 'exit status by kernels' "$?" '^0$'
head -n 1 "$work/report"
finish
