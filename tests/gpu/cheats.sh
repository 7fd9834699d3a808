#!/usr/bin/env bash
# Does no solution pass that does not do the work of its task, and is no honest one refused?
#
#   tests/gpu/cheats.sh FOLDER [REPEATS [NAME...]]      NAME: cached_output, honest/persistent
#
# Each file of tests/gpu/cheats/, and of its folders, says in its first line what it is: `cheat`, `honest`, `unfound` (a
# cheat that passes, and docs/trust.md says why), `uncounted` (honest, and inconclusive: docs/trust.md). Each runs
# REPEATS times (1), about ten seconds each, one at a time on each GPU that is visible. FOLDER keeps what is known: a
# second call goes on where the first one stopped, after BATCH_S seconds (500), which ends with 75. Prints what is not as
# it must be, and a total.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
cpprof=$(realpath "$CPPROF")
libraries=$(realpath "$test_programs/cheats" 2>/dev/null) || skip "no cheats: install with -DCPPROF_INSTALL_TESTS=ON"
sources=$PWD/tests/gpu/cheats
keep=${1:-${OUT:+$OUT/cheats}}
[ -n "$keep" ] || keep=$(mktemp -d)
repeats=${2:-1}
[[ $repeats =~ ^[0-9]+$ ]] || { echo "usage: tests/gpu/cheats.sh FOLDER [REPEATS [NAME...]]" >&2 && exit 2; }
shift $(($# < 2 ? $# : 2))
mkdir -p "$keep"
keep=$(realpath "$keep")
batch_s=${BATCH_S:-500}
rm -rf "$keep/claims"
mkdir "$keep/claims"

# answer BUNDLE STATUS: "outcome<TAB>why" of its solution `it`: the words of cpprof; at the end of `why` its notes, and
# what launches took on new inputs and on the same again
answer() {
    python3 - "$1" "$2" <<'END'
import csv, json, re, sys
try:
    verdict = json.load(open(sys.argv[1] + "/verdict.json"))
except (OSError, ValueError):
    print("no run\texit status " + sys.argv[2])
    sys.exit()
rows = [row for row in verdict.get("solutions", []) if row["solution"].endswith("/it")]
bad = [row for row in rows if row["status"] != "pass"]
# No time of its own is worth anything where it did not pass.
fast = [row for row in rows if row["status"] == "pass" and row["verdict"] == "faster"]
notes = {f["id"] for f in verdict.get("findings", []) if (f.get("variant") or "").endswith("/it")}
notes &= {"inputs-just-before", "other-work"}
try:
    checks = csv.DictReader(open(sys.argv[1] + "/verify.csv"))
    took = [re.match(r"new (\d+) ns, again (\d+) ns", row["hint"]) for row in checks if row["variant"].endswith("/it")]
except OSError:
    took = []
said = "".join(" [" + note + "]" for note in sorted(notes))
said += "".join(sorted({" %s/%s" % t.groups() for t in took if t}))
if not rows:
    print("no run\tit has no row, exit status " + sys.argv[2])
elif bad:
    print(bad[0]["status"] + "\t" + bad[0]["why"].replace("\n", " ") + said)
else:
    shown = (fast or rows)[0]
    print("pass\t" + shown["verdict"] + (", %.2fx" % shown["speedup"] if shown["speedup"] else "") + said)
END
}

# is_as_expected KIND OUTCOME WHY. Without a gain there was nothing to cheat with; what cannot be had here (cuBLAS) is
# no cheat that passed.
is_as_expected() {
    case $1/$2 in
    cheat/pass) case $3 in faster*) return 1 ;; esac ;;
    cheat/fail | cheat/inconclusive | honest/pass | unfound/pass | unfound/fail | uncounted/inconclusive | uncounted/pass) ;;
    *) return 1 ;;
    esac
}

# run_one NAME TASK JOB: leaves FOLDER/JOB.txt, and the bundle where the outcome is no other than this
run_one() {
    local status=0 outcome why kind
    rm -rf "$keep/$3.cpprof"
    "$cpprof" run --task "$libraries/libtask_$2.so" --solution "base=$libraries/${2%_loose}_naive.so" --solution "it=$libraries/$1.so" \
        --baseline base --processes 3 --iters 100 --cache both -o "$keep/$3.cpprof" >"$keep/$3.out" 2>&1 || status=$?
    answer "$keep/$3.cpprof" $status >"$keep/$3.new"
    mv "$keep/$3.new" "$keep/$3.txt"
    IFS=$'\t' read -r outcome why <"$keep/$3.txt"
    kind=$4
    ! is_as_expected "$kind" "$outcome" "$why" || rm -rf "$keep/$3.cpprof" "$keep/$3.out"
}

names=("$@")
[ ${#names[@]} -gt 0 ] || mapfile -t names < <(cd "$sources" && printf '%s\n' *.cu process/*.cu streams/*.cu honest/*.cu honest/streams/*.cu | sed 's/\.cu$//')
jobs=() # NAME TASK JOB KIND
for repeat in $(seq "$repeats"); do
    for name in "${names[@]}"; do
        read -r _ kind task _ <"$sources/$name.cu" || { echo "there is no $sources/$name.cu" >&2 && exit 2; }
        jobs+=("${name##*/} ${task%:} ${name##*/}.$repeat $kind")
    done
done

# Takes the next job that nobody has taken, until there is none or the time is over.
work_on() {
    local job name task id kind
    export CUDA_VISIBLE_DEVICES=$1
    for job in "${jobs[@]}"; do
        read -r name task id kind <<<"$job"
        [ ! -f "$keep/$id.txt" ] || continue
        [ "$SECONDS" -lt "$batch_s" ] || return 0
        ! mkdir "$keep/claims/$id" 2>/dev/null || run_one "$name" "$task" "$id" "$kind"
    done
}

if [ -n "${CUDA_VISIBLE_DEVICES:-}" ]; then
    IFS=, read -r -a gpus <<<"$CUDA_VISIBLE_DEVICES"
else
    mapfile -t gpus < <(nvidia-smi --query-gpu=index --format=csv,noheader 2>/dev/null)
fi
[ ${#gpus[@]} -gt 0 ] || skip "a GPU is needed"
for gpu in "${gpus[@]}"; do
    work_on "$gpu" &
done
wait

declare -A count
done_jobs=0
for job in "${jobs[@]}"; do
    read -r name task id kind <<<"$job"
    [ -f "$keep/$id.txt" ] || continue
    IFS=$'\t' read -r outcome why <"$keep/$id.txt"
    done_jobs=$((done_jobs + 1))
    checks=$((checks + 1))
    count["$kind $outcome"]=$((${count["$kind $outcome"]:-0} + 1))
    is_as_expected "$kind" "$outcome" "$why" && continue
    failed=$((failed + 1))
    printf 'FAILED: %s %s: %s: %s\n' "$kind" "$id" "$outcome" "$(printf '%s' "$why" | cut -c 1-200)"
done
for word in "${!count[@]}"; do
    printf '%4d %s\n' "${count[$word]}" "$word"
done | sort -k 2
if [ "$done_jobs" -lt ${#jobs[@]} ]; then
    echo "$done_jobs of ${#jobs[@]} runs in $SECONDS s on ${#gpus[@]} GPUs: call it again with $keep"
    exit 75
fi
finish
