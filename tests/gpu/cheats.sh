#!/usr/bin/env bash
# Does no solution pass that does not do the work of its task, and is no honest one refused?
#
#   tests/gpu/cheats.sh [FOLDER [NAME...]]      NAME: cached_output, honest/persistent
#
# FOLDER keeps what is known: a second call goes on where the first one stopped. Each file of tests/gpu/cheats/ and its
# folder honest/ says in its first line what it is. About ten seconds each on one GPU; after BATCH_S seconds (default 540)
# it stops, says so and ends with 75.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
cpprof=$(realpath "$CPPROF")
libraries=$(realpath "$test_programs/cheats" 2>/dev/null) || skip "no cheats: install with -DCPPROF_INSTALL_TESTS=ON"
sources=$PWD/tests/gpu/cheats
keep=${1:-${OUT:+$OUT/cheats}}
[ $# -eq 0 ] || shift
[ -n "$keep" ] || keep=$(mktemp -d)
mkdir -p "$keep"
keep=$(realpath "$keep")
batch_s=${BATCH_S:-540}

# answer BUNDLE STATUS: "outcome<TAB>why" of its solution `it`: the words of cpprof
answer() {
    python3 - "$1" "$2" <<'END'
import json, sys
try:
    verdict = json.load(open(sys.argv[1] + "/verdict.json"))
except OSError:
    print("no run\texit status " + sys.argv[2])
    sys.exit()
rows = [row for row in verdict.get("solutions", []) if row["solution"].endswith("/it")]
bad = [row for row in rows if row["status"] != "pass"]
# No time of its own is worth anything where it did not pass.
fast = [row for row in rows if row["status"] == "pass" and row["verdict"] == "faster"]
if not rows:
    print("no run\tit has no row, exit status " + sys.argv[2])
elif bad:
    print(bad[0]["status"] + "\t" + bad[0]["why"].replace("\n", " "))
else:
    shown = (fast or rows)[0]
    print("pass\t" + shown["verdict"] + (", %.2fx" % shown["speedup"] if shown["speedup"] else ""))
END
}

# run_one NAME TASK: leaves FOLDER/NAME.txt
run_one() {
    local status=0
    rm -rf "$keep/$1.cpprof"
    "$cpprof" run --task "$libraries/libtask_$2.so" --solution "base=$libraries/${2%_loose}_naive.so" --solution "it=$libraries/$1.so" \
        --baseline base --processes 3 --iters 100 --cache both -o "$keep/$1.cpprof" >"$keep/$1.out" 2>&1 || status=$?
    answer "$keep/$1.cpprof" $status >"$keep/$1.new"
    mv "$keep/$1.new" "$keep/$1.txt"
}

# first line: /* KIND TASK: WHAT */; what is `unfound` passes, and docs/trust.md says why
names=("$@")
[ ${#names[@]} -gt 0 ] || mapfile -t names < <(cd "$sources" && printf '%s\n' *.cu honest/*.cu | sed 's/\.cu$//')
for name in "${names[@]}"; do
    read -r _ kind task _ <"$sources/$name.cu"
    name=${name#honest/}
    [ -f "$keep/$name.txt" ] || {
        if [ "$SECONDS" -ge "$batch_s" ]; then
            echo "stopped after $SECONDS s: call it again with $keep"
            exit 75
        fi
        run_one "$name" "${task%:}"
    }
    IFS=$'\t' read -r outcome why <"$keep/$name.txt"
    printf '%-8s %-24s %-13s %s\n' "$kind" "$name" "$outcome" "$(printf '%s' "$why" | cut -c 1-150)"
    checks=$((checks + 1))
    case $kind/$outcome in
    cheat/fail | honest/pass | unfound/fail) ;;
    unfound/pass) echo "         it is among what docs/trust.md does not find" ;;
    # Without a gain there was nothing to cheat with; what cannot be had here (cuBLAS) is no cheat that passed.
    cheat/pass) case $why in faster*) failed=$((failed + 1)) && echo "FAILED: the cheat $name passes" ;; esac ;;
    cheat/inconclusive) ;;
    *) failed=$((failed + 1)) && echo "FAILED: $kind $name: $outcome" ;;
    esac
done
finish
