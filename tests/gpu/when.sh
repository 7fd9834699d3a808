#!/usr/bin/env bash
# What does a collector that waits for a condition cost, and does it record what the condition says? A loop runs alone,
# again alone, and under capture and profile with conditions that never hold, in turn: with kernels of 45 us, which keep
# the GPU busy as training does, and with kernels of a microsecond, where each launch costs more than its kernel. A minute
# and a half.
#
#   tests/gpu/when.sh [INTO]     INTO: where the lengths of all steps go (default: nowhere)
#   TURNS=5
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
steps_program=$test_programs/when_steps
need_program "$steps_program"
turns=${TURNS:-5}
into=${1:-}
kernels=200 # of a step
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run_arm() { # ARM
    local program=("$steps_program" "${load[@]}") into_bundle=(-q -o "$work/one.cpprof")
    case $1 in
    alone | again) "${program[@]}" ;;
    capture-step) "$CPPROF" capture "${into_bundle[@]}" --range step --when 1000000 -- "${program[@]}" ;;
    capture-slower) "$CPPROF" capture "${into_bundle[@]}" --range step --when slower:100 -- "${program[@]}" ;;
    capture-file) "$CPPROF" capture "${into_bundle[@]}" --when file -- "${program[@]}" ;;
    profile-step) "$CPPROF" profile "${into_bundle[@]}" --range step --when 1000000 -- "${program[@]}" ;;
    esac
}

# ---- dormant ----

arms=(alone again capture-step capture-slower capture-file profile-step)
recorded=0 failures=0
run_load() { # NAME STEPS FLOATS: into $work/NAME
    local turn i arm load=("$2" "$3")
    mkdir "$work/$1"
    for ((turn = 0; turn < turns; turn++)); do
        for ((i = 0; i < ${#arms[@]}; i++)); do
            arm=${arms[$((turn % 2 ? ${#arms[@]} - 1 - i : i))]}
            run_arm "$arm" >"$work/$1/$arm.$turn" 2>"$work/errors" || failures=$((failures + 1))
            [ -d "$work/one.cpprof" ] || continue
            load_facts "$work/one.cpprof"
            recorded=$((recorded + fact[kernels]))
            rm -rf "$work/one.cpprof"
        done
    done
    [ -z "$into" ] || cp -r "$work/$1" "$into/"
}
run_load launches 1000 65536
echo "kernels of a microsecond:"
python3 tests/gpu/when_cost.py "$work"/launches/* # what it says depends on the host, so it is no check
run_load busy 100 16777216
echo "kernels of 45 us:"
python3 tests/gpu/when_cost.py "$work"/busy/*
expect 'a dormant collector costs at most 0.1% of a step of a busy GPU, or no more than turns differ' "$?" 0
expect 'runs that failed' "$failures" 0
expect 'kernels that a dormant collector recorded' "$recorded" 0

# ---- three steps ----

"$CPPROF" capture -o "$work/three.cpprof" --range step --when 20..22 -- "$steps_program" 100 >/dev/null 2>"$work/errors"
expect 'the program ends as it does alone' "$?" 0
expect_match 'the summary says what was recorded' "$(cat "$work/errors")" "recorded: occurrences 20 to 22 of range 'step', of 100 seen"
load_facts "$work/three.cpprof"
expect 'kernels of exactly three steps' "${fact[kernels]}" $((3 * kernels))
expect 'copies of exactly three steps' "${fact[copies]}" 3
expect 'nothing is missing' "${fact[missing]}" none

# ---- a file, twice; what is between is not idle ----

"$CPPROF" capture -o "$work/file.cpprof" --when file --duration 100ms --flush-period 100ms -- "$steps_program" 8000 >/dev/null 2>"$work/errors" &
capture=$!
sleep 1.5 && touch "$work/file.cpprof/record"
sleep 1 && touch "$work/file.cpprof/record"
wait "$capture"
expect_match 'two touches record twice' "$(cat "$work/errors")" "recorded: 2 stretches of time, after 'record' in its folder was touched"
python3 - "$CPPROF" "$work/file.cpprof" <<'END'
import json, subprocess, sys
report = json.loads(subprocess.run([sys.argv[1], "report", sys.argv[2], "--format", "json"], capture_output=True, check=True).stdout)
spans = [device["span_ns"] for device in report["gaps"]["traces"][0]["devices"]]
print(f"span: {spans[0] / 1e6:.0f} ms")
sys.exit(not 100e6 < spans[0] < 400e6)
END
expect 'the span is that of what was recorded' "$?" 0

# ---- samples of what is recorded ----

"$CPPROF" profile -q -o "$work/profile.cpprof" --range step --when 8000..8400 -- "$steps_program" 8500 >/dev/null 2>"$work/errors"
load_facts "$work/profile.cpprof"
expect 'kernels of exactly 401 steps' "${fact[kernels]}" $((401 * kernels))
python3 - "$work/profile.cpprof" <<'END'
import json, sys
manifest = json.load(open(sys.argv[1] + "/manifest.json"))
for process in manifest["processes"]:
    print("samples:", process.get("samples"), process.get("missing"))
sys.exit(not any(process.get("samples", {}).get("samples", 0) > 100 for process in manifest["processes"]))
END
expect 'the GPU was sampled while recording was on' "$?" 0
finish
