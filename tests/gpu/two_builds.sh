#!/usr/bin/env bash
# Is a toggle of the compiler judged as two programs: which of them runs cp.async, is it the same result, and is it
# faster? examples/two-builds, some ten seconds.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
cpprof=$(realpath "$CPPROF")
programs=$(realpath "$test_programs")
need_program "$programs/prefetch-plain"
need_program "$programs/prefetch-cpasync"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2

status=0
"$cpprof" run --variant plain="$programs/prefetch-plain" --variant cpasync="$programs/prefetch-cpasync" --kernels prefetch \
    --baseline plain --processes 3 -o two.cpprof >said 2>&1 || status=$?
expect "exit status" "$status" 0
[ -e two.cpprof/verdict.json ] || { tail -n 5 said; finish; exit 1; }

# copies BUILD: cp.async instructions that its kernel executed, of one launch
copies() {
    python3 -c 'import csv, sys
print(max(float(row["value"]) for row in csv.DictReader(open("two.cpprof/metrics.csv"))
          if row["variant"] == sys.argv[1] and row["metric"] == "sm__sass_inst_executed_op_ldgsts.sum"))' "$1" 2>&1 | tail -n 1
}
expect "cp.async of the plain build" "$(copies plain)" 0.0
expect_match "cp.async of the other one" "$(copies cpasync)" '^[1-9]'
expect "results that are right, and others" "$(awk -F, 'NR > 1 {print $1, $11}' two.cpprof/verify.csv | sort -u | tr '\n' ' ')" \
    'cpasync yes plain yes '
expect_match "a verdict" "$(python3 -c 'import json
for row in json.load(open("two.cpprof/verdict.json"))["rows"]:
    print(row["candidate"], row["verdict"])')" '^cpasync (faster|slower|equivalent)$'
expect "both builds are in the manifest" "$(python3 -c 'import json
print(len({f["crc32"] for p in json.load(open("two.cpprof/manifest.json"))["programs"] for f in p["files"]}))')" 2
head -n 1 said | cut -c 1-200
finish
