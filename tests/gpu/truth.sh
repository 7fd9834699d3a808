#!/usr/bin/env bash
# Are bounds that are known by construction found, in each of 20 readings of the counters? Records
# examples/truth/ and writes the table of docs/accuracy.md; two minutes on an H200.
#
#   tests/gpu/truth.sh [INTO]     INTO: default examples/
#
# Where $OUT is a folder the page is copied there, too.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
into=${1:-examples}/truth
bundle=$into/truth.cpprof
mkdir -p "$into"

"$CPPROF" run 'truth/*' --count-repeats 20 --processes 1 --iters 8 -o "$bundle" --force >"$into/said" 2>&1
expect "exit status of run" "$?" 0
head -n 12 "$into/said" | cut -c 1-300
rm -f "$into/said"

# one KERNEL a line: variant, stated, found, agreeing, repeats
mapfile -t kernels < <("$CPPROF" classify "$bundle" --format json | python3 -c 'import json, sys
for k in json.load(sys.stdin)["kernels"]:
    found = k["class"] + (" " + k["limit"] if k["limit"] else "")
    print(k["variant"], k["stated"], found, k["agreeing"], k["repeats"], k["cause"], sep="|")')
least=14 # everywhere
[ "$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1)" != 9.0 ] || least=19
expect_at_least "kernels with a bound by construction" "${#kernels[@]}" "$least"
for kernel in ${kernels[@]+"${kernels[@]}"}; do
    IFS='|' read -r variant stated found agreeing repeats cause <<<"$kernel"
    expect "$variant: bound" "$found" "$stated"
    expect "$variant: readings that agree" "$agreeing of $repeats" "20 of 20"
    [ "$found" = "$stated" ] || echo "    $cause"
done

# what truth/issue is: the issue slots at least 90% taken, no pipe above 60%; silent on chips that refuse it
"$CPPROF" classify "$bundle" --format json | python3 -c 'import json, sys
kernels = [k for k in json.load(sys.stdin)["kernels"] if k["variant"] == "truth/issue"]
for k in kernels:
    shares = {e["metric"].split(".")[0]: e["value"] for e in k["evidence"] if ".pct_of_peak_sustained_elapsed" in e["metric"]}
    pipes = {name: share for name, share in shares.items() if "_pipe_" in name and "lsu" not in name}
    print("issue slots {:.1%};".format(shares["sm__inst_issued"]), ", ".join("{} {:.1%}".format(*p) for p in sorted(pipes.items())))
    sys.exit(not (shares["sm__inst_issued"] >= 0.9 and len(pipes) >= 5 and max(pipes.values()) <= 0.6))'
expect "truth/issue: slots full, no pipe above 60%" "$?" 0

sass=$(dirname "$CPPROF")/../libexec/cpprof/cpprof-runner
tests/guards/instructions.sh "$sass"
status=$?
[ $status = 77 ] || expect "the machine code holds what the bounds are proven by" "$status" 0

tests/golden/truth.sh --refresh "$CPPROF" "$bundle" docs/accuracy.md
expect "confusion table: only its diagonal" "$?" 0
sed -n '/^<!-- truth -->$/,/^<!-- end of truth -->$/p' docs/accuracy.md
if [ -n "${OUT:-}" ] && [ -d "$OUT" ]; then cp docs/accuracy.md "$OUT/"; fi
finish
