#!/usr/bin/env bash
# Does doctor say of this machine what other tools say of it? Its text is
# printed; text and JSON are left in $OUT where that is set.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
command -v python3 >/dev/null || skip "python3 is needed"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
folder=${OUT:-$work}

# Without variables that would be missing or notes by themselves.
unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH
"$CPPROF" doctor --directory "$work" >"$folder/doctor.txt"
status=$?
cat "$folder/doctor.txt"
"$CPPROF" doctor --directory "$work" --format json >"$folder/doctor.json"
expect "text and JSON end alike" "$?" "$status"

# ask EXPRESSION: of the document `d`; `level` maps a check's name to its worst level
ask() {
    python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))
order = ["ok", "note", "missing"]
level = {}
for c in d["checks"]:
    level[c["check"]] = max(level.get(c["check"], "ok"), c["level"], key=order.index)
print(eval(sys.argv[2]))' "$folder/doctor.json" "$1"
}

expect "the schema" "$(ask 'd["schema"]')" cpprof.doctor/1
expect "every missing check stops a command, and no other" \
    "$(ask 'all((c["level"] == "missing") == bool(c["stops"]) for c in d["checks"])')" True
expect "what is not ok has advice" "$(ask 'all(c["advice"] for c in d["checks"] if c["level"] != "ok")')" True
expect "4 when something is missing, else 0" "$(ask '4 if any(c["stops"] for c in d["checks"]) else 0')" "$status"
for check in runner driver CUDA 'CUDA versions' GPU CUPTI "CUPTI's subscriber" counters 'room for bundles'; do
    expect_match "$check is there" "$(ask "level.get(\"$check\")")" '^(ok|note)$'
done
expect "run works" "$(ask 'd["commands"]["run"]')" True

expect "NVML was found" "$(ask '"NVML" in level')" False
for fact in name pci compute_capability sm_count memory_bytes sm_clock_mhz sm_clock_max_mhz memory_clock_max_mhz temperature_c power_mw \
    power_limit_mw throttle_reasons persistence compute_mode processes; do
    expect "every GPU has its $fact" "$(ask "all(g.get(\"$fact\") is not None for g in d[\"devices\"])")" True
done
count=$(ask 'len(d["devices"])')
expect "a link for every pair" "$(ask 'len(d["links"])')" "$((count * (count - 1) / 2))"

if command -v nvidia-smi >/dev/null; then
    smi() { nvidia-smi --query-gpu="$1" --format=csv,noheader,nounits | head -n 1; }
    expect "as many GPUs as nvidia-smi lists" "$count" "$(nvidia-smi -L | grep -c '^GPU ')"
    expect_match "the driver that nvidia-smi names" "$(ask 'next(c["found"] for c in d["checks"] if c["check"] == "driver")')" \
        "^$(smi driver_version)"
    by_pci="next(g for g in d['devices'] if g['pci'][-10:].lower() == '$(smi pci.bus_id | tail -c 11 | tr '[:upper:]' '[:lower:]')')"
    expect "the name that nvidia-smi gives" "$(ask "${by_pci}['name']")" "$(smi name)"
    expect "the most that the SM clock does" "$(ask "${by_pci}['sm_clock_max_mhz']")" "$(smi clocks.max.sm)"
    expect "the power limit" "$(ask "round(${by_pci}['power_limit_mw'] / 1000)")" "$(smi enforced.power.limit | awk '{printf "%.0f", $1}')"
    expect "persistence mode" "$(ask "${by_pci}['persistence']")" "$(smi persistence_mode | sed 's/Enabled/True/; s/Disabled/False/')"
    expect "the compute processes that nvidia-smi sees, ours not among them" \
        "$(ask 'sum(p["kind"] == "compute" for g in d["devices"] for p in g["processes"] or [])')" \
        "$(nvidia-smi --query-compute-apps=pid --format=csv,noheader | grep -c '[0-9]')"
    [ "$count" -gt 1 ] && nvidia-smi topo -m
fi

# Another profiler in the environment is refused by name, and nothing else changes.
CUDA_INJECTION64_PATH=/is/not/there.so "$CPPROF" doctor --directory "$work" >"$work/injected.txt"
expect "an injection that is set is missing" "$?" 4
expect_match "and is named" "$(cat "$work/injected.txt")" "missing: environment: CUDA_INJECTION64_PATH is '/is/not/there.so'"

# CUDA that sees no GPU: all that needs none is still said.
CUDA_VISIBLE_DEVICES='' "$CPPROF" doctor --directory "$work" >"$work/hidden.txt"
hidden=$?
echo "with CUDA_VISIBLE_DEVICES='' the status is $hidden:"
head -n 1 "$work/hidden.txt"
expect "a hidden GPU is missing" "$hidden" 4
expect_match "the driver is still found" "$(cat "$work/hidden.txt")" '^driver +driver +ok'
finish
