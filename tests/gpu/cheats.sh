#!/usr/bin/env bash
# Does no solution pass that does not do the work of its task, and is no honest one refused?
#
#   tests/gpu/cheats.sh FOLDER [REPEATS [NAME...]]      NAME: cached_output, honest/persistent
#
# Each file of tests/gpu/cheats/, and of its folders, says in its first line what it is: `cheat`, `honest`, `unfound` (a
# cheat that passes, and docs/trust.md says why), `uncounted` (honest, and inconclusive: docs/trust.md). Each runs
# REPEATS times (1), one run at a time on each GPU that is visible. A cheat is run by itself first, timed in one process
# and not counted: where fewer looks at it find wrong outputs, a whole run would, too, and the next times are as short.
# Solutions of a task share whole runs, six in each: each of them is timed in processes of its own. Alone are those that
# no graph can hold or no counter shows, and cheats that may look at others or disturb them. ALONE=1 gives each a run of
# its own.
# FOLDER keeps what is known: a second call goes on where the first one stopped, after BATCH_S seconds (500), which ends
# with 75. Prints what is not as it must be, and a total.
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

# answer BUNDLE STATUS SOLUTION: "outcome<TAB>why" of one solution: the words of cpprof; at the end of `why` its notes, and
# what launches took on new inputs and on the same again
answer() {
    python3 - "$1" "$2" "$3" <<'END'
import json, sys
name = "/" + sys.argv[3]
try:
    verdict = json.load(open(sys.argv[1] + "/verdict.json"))
except (OSError, ValueError):
    print("no run\texit status " + sys.argv[2])
    sys.exit()
rows = [row for row in verdict.get("solutions", []) if row["solution"].endswith(name)]
bad = [row for row in rows if row["status"] != "pass"]
# No time of its own is worth anything where it did not pass.
fast = [row for row in rows if row["status"] == "pass" and row["verdict"] == "faster"]
notes = {f["id"] for f in verdict.get("findings", []) if (f.get("variant") or "").endswith(name)}
notes &= {"other-work"}
said = "".join(" [" + note + "]" for note in sorted(notes))
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

# was_wrong FILE: had the solution wrong outputs, which no time or counter was needed for?
was_wrong() { grep -qsE $'^fail\t.*% of the values at .* are wrong' "$1"; }

# is_wrong TASK REPEAT NAME: leaves FOLDER/NAME.REPEAT.txt
is_wrong() {
    local bundle=$keep/$3.$2.cpprof status=0
    rm -rf "$bundle"
    "$cpprof" run --task "$libraries/libtask_$1.so" --solution "$3=$libraries/$3.so" --processes 1 --iters 100 --cache both \
        --metrics none -o "$bundle" >"$keep/$3.$2.out" 2>&1 || status=$?
    answer "$bundle" $status "$3" >"$keep/$3.$2.new"
    was_wrong "$keep/$3.$2.new" || return 1
    mv "$keep/$3.$2.new" "$keep/$3.$2.txt"
    rm -rf "$bundle" "$keep/$3.$2.out"
}

# run_job TASK REPEAT NAME...: leaves FOLDER/NAME.REPEAT.txt for each, and the bundle where an outcome is not as it must be
run_job() {
    local task=$1 repeat=$2 status=0 solutions=() left=() name outcome why as_expected=1
    local bundle=$keep/$3.$2.cpprof said=$keep/$3.$2.out
    shift 2
    for name in "$@"; do
        [ "${kind_of[$name]}" = cheat ] && { [ "$repeat" = 1 ] || was_wrong "$keep/$name.1.txt"; } && is_wrong "$task" "$repeat" "$name" && continue
        solutions+=(--solution "$name=$libraries/$name.so")
        left+=("$name")
    done
    [ ${#left[@]} -gt 0 ] || return 0
    set -- "${left[@]}"
    rm -rf "$bundle"
    "$cpprof" run --task "$libraries/libtask_$task.so" --solution "base=$libraries/${task%%_*}_naive.so" "${solutions[@]}" \
        --baseline base --processes 3 --iters 100 --cache both -o "$bundle" >"$said" 2>&1 || status=$?
    for name in "$@"; do
        answer "$bundle" $status "$name" >"$keep/$name.$repeat.new"
        mv "$keep/$name.$repeat.new" "$keep/$name.$repeat.txt"
        IFS=$'\t' read -r outcome why <"$keep/$name.$repeat.txt"
        is_as_expected "${kind_of[$name]}" "$outcome" "$why" || as_expected=0
    done
    [ $as_expected = 0 ] || rm -rf "$bundle" "$said"
}

names=("$@")
together=6
[ -z "${ALONE:-}" ] || together=1
if [ ${#names[@]} -eq 0 ]; then
    mapfile -t names < <(cd "$sources" && printf '%s\n' {,cache/,cached/,graphs/,kept/,process/,streams/,honest/,honest/kernels/,honest/streams/}*.cu | sed 's/\.cu$//')
fi
cannot_share=" grid_from_data conditional_node texture_reads "
declare -A kind_of
declare -A task_of
for name in "${names[@]}"; do
    read -r _ kind task _ <"$sources/$name.cu" || { echo "there is no $sources/$name.cu" >&2 && exit 2; }
    kind_of[${name##*/}]=$kind
    case $kind:$(sed -n 's/^ \* Kind: //p' "$sources/$name.cu") in
    honest:* | cheat:patient | cheat:'in silence' | cheat:'fake work' | cheat:large | cheat:kept* | cheat:'left out' | cheat:precision) ;;
    *) cannot_share+="${name##*/} " ;;
    esac
    task_of[${name##*/}]=${task%:}
done

# add_jobs REPEAT: the runs of all solutions
jobs=() # TASK REPEAT NAME...
add_jobs() {
    local name task
    local -A waiting=() # honest solutions of each task
    for name in "${names[@]##*/}"; do
        task=${task_of[$name]}
        [[ $cannot_share != *" $name "* ]] || { jobs+=("$task $1 $name") && continue; }
        waiting[$task]+=" $name"
        [ "$(wc -w <<<"${waiting[$task]}")" -lt $together ] || { jobs+=("$task $1${waiting[$task]}") && waiting[$task]=; }
    done
    for task in "${!waiting[@]}"; do
        [ -z "${waiting[$task]}" ] || jobs+=("$task $1${waiting[$task]}")
    done
}
for repeat in $(seq "$repeats"); do
    add_jobs "$repeat"
done

# Takes the next job that nobody has taken, until there is none or the time is over.
work_on() {
    local job task repeat name solutions todo
    export CUDA_VISIBLE_DEVICES=$1
    for job in "${jobs[@]}"; do
        read -r task repeat solutions <<<"$job"
        todo=()
        for name in $solutions; do
            [ -f "$keep/$name.$repeat.txt" ] || todo+=("$name")
        done
        [ ${#todo[@]} -gt 0 ] || continue
        [ "$SECONDS" -lt "$batch_s" ] || return 0
        ! mkdir "$keep/claims/${solutions%% *}.$repeat" 2>/dev/null || run_job "$task" "$repeat" "${todo[@]}"
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
done_runs=0 all_runs=0
for job in "${jobs[@]}"; do
    read -r task repeat solutions <<<"$job"
    for name in $solutions; do
        all_runs=$((all_runs + 1))
        [ -f "$keep/$name.$repeat.txt" ] || continue
        IFS=$'\t' read -r outcome why <"$keep/$name.$repeat.txt"
        kind=${kind_of[$name]}
        done_runs=$((done_runs + 1))
        checks=$((checks + 1))
        count["$kind $outcome"]=$((${count["$kind $outcome"]:-0} + 1))
        is_as_expected "$kind" "$outcome" "$why" && continue
        failed=$((failed + 1))
        printf 'FAILED: %s %s.%s: %s: %s\n' "$kind" "$name" "$repeat" "$outcome" "$(printf '%s' "$why" | cut -c 1-200)"
    done
done
for word in "${!count[@]}"; do
    printf '%4d %s\n' "${count[$word]}" "$word"
done | sort -k 2
if [ "$done_runs" -lt $all_runs ]; then
    echo "$done_runs of $all_runs outcomes in $SECONDS s on ${#gpus[@]} GPUs: call it again with $keep"
    exit 75
fi
finish
