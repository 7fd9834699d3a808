# lib.sh - what the GPU scripts share: where cpprof is, and how a check is said.
# shellcheck shell=bash disable=SC2034
CPPROF=${CPPROF:-dist/bin/cpprof}
test_programs=$(dirname "$CPPROF")/../libexec/cpprof/tests
guests=$test_programs/cpprof-guests
floor=$test_programs/collector_floor
export PYTHONDONTWRITEBYTECODE=1
failed=0
checks=0

if [ ! -x "$CPPROF" ]; then
    echo "no installed cpprof at '$CPPROF': see tests/gpu/all.sh" >&2
    exit 2
fi

# expect WHAT GOT WANTED
expect() {
    checks=$((checks + 1))
    if [ "$2" = "$3" ]; then
        echo "ok: $1"
    else
        echo "FAILED: $1: got '$2', wanted '$3'"
        failed=$((failed + 1))
    fi
}

# expect_match WHAT TEXT REGEX
expect_match() {
    checks=$((checks + 1))
    if printf '%s' "$2" | grep -qE -- "$3"; then
        echo "ok: $1"
    else
        echo "FAILED: $1: '$2' does not match '$3'"
        failed=$((failed + 1))
    fi
}

# expect_at_least WHAT GOT LEAST      whole numbers
expect_at_least() {
    checks=$((checks + 1))
    if [ "$2" -ge "$3" ] 2>/dev/null; then
        echo "ok: $1 ($2)"
    else
        echo "FAILED: $1: got '$2', wanted at least $3"
        failed=$((failed + 1))
    fi
}

# screen BUNDLE, everything BUNDLE: the first screen, and all of the report, without wrapped lines
screen() { COLUMNS=5000 "$CPPROF" report --brief --format text "$1"; }
everything() { COLUMNS=5000 "$CPPROF" report --full --format text "$1"; }

# load_facts BUNDLE: what it says of itself, in the array "fact" (bundle_facts.py has the keys)
declare -A fact
load_facts() {
    local key value
    fact=()
    while read -r key value; do
        fact[$key]=$value
    done < <(python3 tests/gpu/bundle_facts.py "$CPPROF" "$1")
}

# cuda_gpus: how many GPUs CUDA sees, which may be fewer than nvidia-smi lists
cuda_gpus() {
    "$CPPROF" doctor --format json 2>/dev/null | grep -cE '^ *"ordinal": [0-9]'
}

# gpu_short_name: h100 of "NVIDIA H100 80GB HBM3"
gpu_short_name() {
    nvidia-smi --query-gpu=name --format=csv,noheader | sed -n '1{s/^NVIDIA //;s/ .*//;p}' | tr '[:upper:]' '[:lower:]'
}

# need_program FILE
need_program() {
    [ -x "$1" ] || skip "no $(basename "$1"): install with -DCPPROF_INSTALL_TESTS=ON"
}

# need_torch: PyTorch with a GPU
need_torch() {
    python3 -c 'import sys, torch; sys.exit(not torch.cuda.is_available())' 2>/dev/null || skip "PyTorch with CUDA is needed"
}

# A check that could not be made is no passed check: all.sh counts it as failed.
skip() {
    echo "SKIPPED: $*"
    exit 77
}

finish() {
    echo "$((checks - failed)) of $checks checks passed"
    [ "$failed" = 0 ]
}

# gain BUNDLE SHAPE: the gain of the one comparison at that shape, from verdict.json
gain() {
    awk -v shape="\"shape\": \"$2\"," 'index($0, shape) {found = 1} found && /"gain":/ {gsub(/[^0-9.e-]/, "", $2); print $2; exit}' \
        "$1/verdict.json"
}

# verdicts BUNDLE: "shape verdict" lines, one a comparison
verdicts() {
    python3 -c 'import json, sys
for row in json.load(open(sys.argv[1]))["rows"]:
    print(row["shape"], row["verdict"])' "$1/verdict.json" 2>/dev/null
}
