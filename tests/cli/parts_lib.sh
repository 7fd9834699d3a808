# Of parts.sh and mpi.sh: folders of traces, and a reader that dies.
# needs: $make_trace, $work, a folder of its own; sets $failed
# shellcheck shell=bash disable=SC2154,SC2034

complain() {
    echo "$*"
    failed=1
}

# Ranks with GPU work alone, one that is cut, and a readme: native traces, as `cpprof capture` writes them.
make_native() { # FOLDER
    mkdir -p "$1"
    for rank in 0 1 2 3 4; do
        "$make_trace" shard $((2000 + 500 * rank)) "$1/rank$rank.bin" >/dev/null
    done
    head -c 100000 "$1/rank4.bin" >"$1/rank5.bin"
    echo "no trace" >"$1/readme"
}

# Ranks with calls, waits and NVTX ranges, as PyTorch writes them; rank 2 has a range that no other has.
make_kineto() { # FOLDER
    mkdir -p "$1"
    python3 - "$1" <<'PYTHON'
import json
import random
import sys

for rank in range(5):
    numbers = random.Random(rank)
    rows, host, gpu = [], 1000.0 + 7 * rank, 0.0

    def row(kind, name, start, length, thread, **args):
        rows.append({"ph": "X", "cat": kind, "name": name, "pid": 1, "tid": thread, "ts": round(start, 3),
                     "dur": round(length, 3), "args": args})

    for step in range(60):
        begin = host
        for k, name in enumerate(["gemm", "relu", "ncclDevKernel_AllReduce", ""]):
            call, length = 3 + 2 * numbers.random(), 5 + 30 * numbers.random()
            number = 4 * step + k + 1
            row("cuda_runtime", "cudaLaunchKernel" if name else "cudaMemcpyAsync", host, call, 9, correlation=number)
            gpu = max(gpu, host + call + 1)
            where = {"correlation": number, "device": 0, "stream": 7, "context": 1}
            if name:
                row("kernel", name, gpu, length, 7, **where)
            else:
                row("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", gpu, length, 7, bytes=4096, **where)
            gpu += length
            host += call + 3 * numbers.random()
        if step % 5 == 4 and rank != 1:  # rank 1 never waits
            row("cuda_runtime", "cudaDeviceSynchronize", host, max(0.5, gpu - host), 9, correlation=9000 + step)
            host = max(host + 0.5, gpu)
        row("user_annotation", "rare" if rank == 2 and step == 7 else "step", begin, host - begin, 9)
    with open(f"{sys.argv[1]}/rank{rank}.json", "w", encoding="utf-8") as file:
        json.dump({"schemaVersion": 1, "distributedInfo": {"rank": rank, "world_size": 5}, "traceEvents": rows}, file)
PYTHON
}

# Two traces that state the same rank, and a trace too few for the job.
make_doubtful() { # KINETO-FOLDER; makes twins and missing
    mkdir -p twins missing
    cp "$1"/rank[0-4].json twins && cp "$1/rank3.json" twins/rank4.json
    cp "$1"/rank[0-3].json missing
}

# What a call prints, and its status, to $work/NAME.
say() { # NAME COMMAND...
    say_name=$1
    shift
    status=0
    "$@" >"$work/$say_name.out" 2>"$work/$say_name.err" || status=$?
    echo "exit $status" >>"$work/$say_name.out"
}

same() { # WHAT A B
    cmp -s "$work/$2.out" "$work/$3.out" && cmp -s "$work/$2.err" "$work/$3.err" && return
    complain "$1: another answer than that of one process:"
    diff "$work/$2.out" "$work/$3.out" | head -5
    diff "$work/$2.err" "$work/$3.err" | head -5
}

children_of() { # PID
    for stat in /proc/[0-9]*/stat; do
        { read -r line <"$stat"; } 2>/dev/null || continue
        # shellcheck disable=SC2086  # words on purpose
        set -- "$1" ${line##*) }
        [ "$3" != "$1" ] || [ "$2" = Z ] || echo "${stat%/stat}" | tr -dc '0-9\n'
    done
}

# Those of $work/pipe, which somebody else must have open for writing: until then a reader waits in open.
readers_at_pipe() { # PARENT...
    for parent in "$@"; do
        for child in $(children_of "$parent"); do
            for open in "/proc/$child/fd/"*; do
                [ "$(readlink "$open")" != "$work/pipe" ] || { echo "$child" && break; }
            done
        done
    done
}

kill_reader() { # PARENT...
    exec 7<>"$work/pipe"
    reader=''
    for _ in {1..600}; do
        reader=$(readers_at_pipe "$@")
        [ -z "$reader" ] || break
        sleep 0.1
    done
    [ -n "$reader" ] && kill -KILL "$reader" || complain "no reader waits at the pipe"
    exec 7>&-
    [ -n "$reader" ]
}

# The trace whose reader died is named, the status is 5, and no rule passed.
judge_killed() { # WHAT NAME
    grep -q "while reading '$work/pipe': the process that read it was ended by signal 9" "$work/$2.err" ||
        complain "$1: the trace is not named: $(cat "$work/$2.err")"
    grep -q '^exit 5$' "$work/$2.out" || complain "$1: $(grep '^exit' "$work/$2.out"), not 5"
    grep -q '"status": "inconclusive"' "$work/$2.out" || complain "$1: no rule is inconclusive"
    ! grep -q '"status": "pass"' "$work/$2.out" || complain "$1: a rule passed"
}
