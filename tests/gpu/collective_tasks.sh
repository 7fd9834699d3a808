#!/usr/bin/env bash
# Are tasks on several GPUs judged: do honest all-reduces and exchanges pass, is each cheat refused, and what happens where
# there are fewer GPUs than ranks? Two GPUs, four minutes. INTO keeps the bundles (default: a folder that is removed), and
# what it has already is not run again: a second call goes on where the first one stopped, after BATCH_S seconds (500),
# which ends with 75.
#
#   tests/gpu/collective_tasks.sh [INTO]
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
cpprof=$(realpath "$CPPROF")
CPPROF=$cpprof
libraries=$(realpath "$test_programs/cheats" 2>/dev/null) || skip "no cheats: install with -DCPPROF_INSTALL_TESTS=ON"
[ -e "$libraries/libtask_exchange.so" ] || skip "no libtask_exchange.so: install again"
gpus=$(cuda_gpus)
[ "$gpus" -ge 2 ] || skip "two GPUs are needed, here: $gpus"
into=${1:-}
batch_s=${BATCH_S:-500} new_runs=0
[ -n "$into" ] || batch_s=86400
[ -n "$into" ] || { into=$(mktemp -d) && trap 'rm -rf "$into"' EXIT; }
mkdir -p "$into"
cd "$into" || exit 2
unset CPPROF_JUDGE CPPROF_SALT
visible=${CUDA_VISIBLE_DEVICES:-0}
one_gpu=${visible%%,*}
nccl=$(python3 -c 'import os, nvidia.nccl as n; print(os.path.join(list(n.__path__)[0], "lib"))' 2>/dev/null) &&
    export LD_LIBRARY_PATH="$nccl${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

# quiet CHECK...: says only what failed
quiet() {
    "$@" >check.txt
    grep '^FAILED' check.txt | cut -c 1-300
}

# run NAME TASK BASE SOLUTION OPTION...: its exit status in $status, what it said in NAME.out. Ends the script when the time
# is over.
run() {
    local name=$1 task=$2 base=$3 solution=$4 begin=$SECONDS
    shift 4
    if [ ! -s "$name.status" ]; then
        if [ "$SECONDS" -ge "$batch_s" ] && [ "$new_runs" -gt 0 ]; then
            echo "up to $name in $SECONDS s, $failed checks failed: call it again with the same INTO"
            exit 75
        fi
        new_runs=$((new_runs + 1))
        status=0
        timeout 60 "$cpprof" run --task "$libraries/libtask_$task.so" --solution "base=$libraries/$base.so" --solution "it=$libraries/$solution.so" \
            --baseline base -o "$name.cpprof" --force "$@" >"$name.out" 2>&1 || status=$?
        echo "$status $((SECONDS - begin))" >"$name.status"
    fi
    read -r status seconds <"$name.status"
}

# explain NAME: enough to find out what broke
explain() {
    echo "    $1: exit status $status, $seconds s"
    tail -n 8 "$1.out" | cut -c 1-240 | sed 's/^/    /'
    python3 - "$1.cpprof" <<'END'
import csv, json, sys
def tell(what, lines):
    for line in list(dict.fromkeys(lines))[:4]:
        print("    %s: %s" % (what, line[:360]))
try:
    tell("failed process", ("%s %s %s" % (f["role"], f["index"], f["detail"]) for f in json.load(open(sys.argv[1] + "/manifest.json")).get("failures", [])))
    tell("check", (" ".join(row[key] for key in ("variant", "shape", "process", "phase", "bad_ratio", "hint"))
                   for row in csv.DictReader(open(sys.argv[1] + "/verify.csv")) if row["pass"] != "yes"))
    tell("row", ("%s %s %s %s: %s" % tuple(row[key] for key in ("solution", "shape", "cache", "status", "why"))
                 for row in json.load(open(sys.argv[1] + "/verdict.json"))["solutions"] if row["status"] != "pass"))
except (OSError, ValueError, KeyError) as e:
    print("    not all of a bundle: %r" % e)
END
}

# rows NAME: "solution shape cache status verdict" lines; exit_of NAME: the exit status that they ask for; checks_of NAME: how
# many checks of outputs there were, and how many of them did not pass
rows() {
    python3 -c 'import json, sys
for row in json.load(open(sys.argv[1]))["solutions"]:
    print(row["solution"], row["shape"], row["cache"], row["status"], row["verdict"], *["links are missing"] * ("links are missing" in row["why"]))' "$1.cpprof/verdict.json" 2>&1
}
exit_of() {
    case $(rows "$1") in
    *' pass slower'*) echo 1 ;;
    *' pass inconclusive'* | *'links are missing'*) echo 3 ;;
    *) echo 0 ;;
    esac
}
checks_of() {
    python3 -c 'import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
print(len(rows), sum(row["pass"] != "yes" for row in rows))' "$1.cpprof/verify.csv" 2>&1
}
hints() {
    python3 -c 'import csv, re, sys
def short(hint):
    return re.sub("[0-9]+ of [0-9]+ bad values", "values", re.sub("(; )?(on the host, |inside, )?salt [0-9a-f]+$", "", hint))
print(" | ".join(sorted({short(row["hint"]) for row in csv.DictReader(open(sys.argv[1])) if row["pass"] != "yes"})))' "$1.cpprof/verify.csv" 2>&1
}

# times NAME SOLUTION: medians, and how many timed outputs were verified in each process; a line for each shape
times() {
    python3 - "$1.cpprof" "$2" <<'END'
import csv, json, re, statistics, sys
found, verdicts, verified = {}, {}, {}
try:
    for row in csv.DictReader(open(sys.argv[1] + "/timing.csv")):
        found.setdefault((row["variant"], row["shape"], row["cache"]), []).append((float(row["duration_ns"]) / 1e3, int(row["batch"])))
    for row in csv.DictReader(open(sys.argv[1] + "/verify.csv")):
        kept = re.search("([0-9]+) timed outputs", row["hint"])
        if kept:
            verified.setdefault((row["variant"], row["shape"], row["phase"].endswith("cold")), []).append(kept[1])
    for row in json.load(open(sys.argv[1] + "/verdict.json"))["solutions"]:
        verdicts[row["solution"], row["shape"], row["cache"]] = "%s %s" % (row["verdict"], "%.2fx" % row["speedup"] if row["speedup"] else "")
except (OSError, ValueError, KeyError) as e:
    print("    not all of a bundle: %r" % e)
for key, times in found.items():
    us, batches = zip(*times)
    print("time: %s %s %s: median %.2f us, %.2f to %.2f, %d times, batches of %d; verified %s; %s" % (
        key[0].replace("/it", "/" + sys.argv[2]), *key[1:], statistics.median(us), min(us), max(us), len(us), max(batches), " ".join(verified.get((key[0], key[1], key[2] == "cold"), ["none"])), verdicts.get(key, "no row")))
END
}

# passes NAME SOLUTION ROWS: all rows of an honest pair pass
passes() {
    local before=$failed
    quiet expect "$1: exit status" "$status" "$(exit_of "$1")"
    quiet expect_match "$1: checks of outputs, and those that did not pass" "$(checks_of "$1")" '^[1-9][0-9]* 0$'
    quiet expect "$1: rows that pass, or whose counts lack links" "$(rows "$1" | grep -c ' pass \|links are missing')" "$3"
    [ "$failed" = "$before" ] || explain "$1"
    times "$1" "$2"
    echo "$1: $(checks_of "$1" | cut -d ' ' -f 1) checks of outputs, exit status $status, $seconds s"
}

# ---- honest solutions ----

run two_stages allreduce ranks_naive ranks_two_stages --shape small,mib4 --processes 3 --iters 40
passes two_stages two_stages 4
quiet expect_match "two_stages: the shapes that are only verified" "$(cut -d, -f 2 two_stages.cpprof/verify.csv | sort -u | tr '\n' ' ')" 'one .*ragged'
run push exchange shift_pull shift_push --processes 3 --iters 40
passes push shift_push 2
if python3 -c 'import ctypes; ctypes.CDLL("libnccl.so.2")' 2>/dev/null; then
    run nccl allreduce ranks_naive ranks_nccl --shape small,mib4 --processes 3 --iters 40
    passes nccl nccl 4
else
    echo "not tried: NCCL, since the loader finds no libnccl.so.2"
fi
if [ "$gpus" -gt 2 ]; then
    run all_gpus allreduce ranks_naive ranks_two_stages --shape "n=65536,gpus=$((gpus < 8 ? gpus : 8))" --processes 3 --iters 40
    passes all_gpus two_stages 2
fi

# ---- other judges ----

CPPROF_JUDGE=inside run inside allreduce ranks_naive ranks_two_stages --shape small --processes 3 --iters 40
passes inside two_stages 2
quiet expect_match "inside: who judged" "$(tail -n 1 inside.cpprof/verify.csv)" 'inside, salt'
if [ "$(id -u)" = 0 ]; then
    run isolated allreduce ranks_naive ranks_two_stages --shape small --processes 3 --iters 40 --isolate
    passes isolated two_stages 2
else
    echo "not tried: --isolate, which only root has"
fi

# ---- cheats ----

# refused NAME TASK BASE WORDS: a wrong result, with the rule that was broken
refused() {
    local before=$failed
    run "$1" "$2" "$3" "$1" --shape small --processes 3 --iters 20 --metrics none
    quiet expect "$1: exit status" "$status" 1
    quiet expect_match "$1: first line" "$(head -n 1 "$1.out")" '^(WRONG RESULT|CONTRADICTED|WRONG KERNEL)'
    quiet expect_match "$1: why" "$(hints "$1")" "$4"
    quiet expect "$1: checks of its baseline that did not pass" "$(grep -c '^[a-z]*/base,.*,no,' "$1.cpprof/verify.csv")" 0
    [ "$failed" = "$before" ] || explain "$1"
    echo "$1: exit status $status, $seconds s: $(hints "$1" | cut -c 1-300)"
}
refused outputs_swapped exchange shift_pull 'allowed: '
refused rank_not_joined allreduce ranks_naive 'not joined|never written'
refused rank_left_out allreduce ranks_naive 'never written|allowed: '
refused kept_on_one_rank allreduce ranks_naive 'allowed: '
refused beyond_on_one_rank allreduce ranks_naive 'wrote beyond the end of out of rank 1'
refused input_of_a_peer allreduce ranks_naive 'wrote into its input in of rank 1'
refused copies_too_early allreduce ranks_naive 'never written|allowed: '
refused superbatch_of_ranks allreduce ranks_naive 'never written|allowed: '

# ---- fewer GPUs than ranks ----

export CUDA_VISIBLE_DEVICES=$one_gpu
run one_rank allreduce ranks_naive ranks_two_stages --shape n=65536,gpus=1 --processes 3 --iters 20
before=$failed
quiet expect "one rank, one GPU: rows that pass" "$(rows one_rank | grep -c ' pass ')" 2
quiet expect_match "one rank, one GPU: checks of outputs, and those that did not pass" "$(checks_of one_rank)" '^[1-9][0-9]* 0$'
[ "$failed" = "$before" ] || explain one_rank
run too_few allreduce ranks_naive ranks_two_stages --shape small --processes 3 --iters 20 --metrics none
quiet expect_match "two ranks, one GPU: exit status" "$status" '^[34]$'
quiet expect_match "two ranks, one GPU: why not" "$(tr -s '\n ' ' ' <too_few.out)" 'needs 2 GPUs, and there is 1'
[ "$status" = 3 ] || [ "$status" = 4 ] || explain too_few
finish
