#!/usr/bin/env python3
"""Does cpprof decide anything that is not so, where it is hard to see who is who?

    tests/oracle/identity_oracle.py JUDGE_MANY [--cpprof CPPROF] [--traces N] [--seed N] [--keep FOLDER]
    tests/oracle/identity_oracle.py JUDGE_MANY --only TRACE_SEED    one trace again, by the seed that a complaint names

Processes are drawn, with their calls, GPUs and kernels. They are written so that their ids collide or are used again,
several ranks are in one file, several processes share a GPU, or a process is recorded several times. Rules are judged
by cpprof on what is written, and here on what was drawn, on all work or on that of a range. None may pass or fail
unless the truth does. Where the file says who is who, all must be decided. --cpprof: launches of some traces are
counted, too.
"""
import argparse
import collections
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

from trace_writer import COPY_NAMES, Row, is_work, write_kineto, write_nsys_sqlite

Trace = collections.namedtuple("Trace", "rows gpus kind is_clean write")


# ---- what is drawn ----

def draw_process(rng, pid, devices, begin, reuse=None, first_id=1, count=None):
    """Calls and kernels of a process. reuse: so many ids are used in turn. Each kernel remembers its call in bytes."""
    rows, now, free = [], begin, {}
    hasty = rng.random() < 0.4
    for i in range(count or rng.randint(2, 24)):
        now += rng.randint(2000, 9000 if hasty else 120000)
        corr = first_id + (i % reuse if reuse else i)
        end = now + rng.randint(1000, 6000)
        rows.append(Row("api", now, end, -1, 0, "cudaLaunchKernel", -1, corr, 0, thread=pid % 1000 + 1, process=pid))
        device, stream = rng.choice(devices), rng.choice([7, 7, 13])
        for _ in range(rng.randint(2, 3) if rng.random() < 0.05 else 1):
            start = max(now + rng.randint(3000, 20000), free.get((device, stream), 0))
            length = rng.randint(5000, 90000)
            free[device, stream] = start + length
            kind = "kernel" if rng.random() < 0.9 else "p2p"
            name = rng.choice("ab") if kind == "kernel" else COPY_NAMES[kind][0]
            rows.append(Row(kind, start, start + length, device, stream, name, -1, corr, now, 0, process=pid))
        now = end
    return rows + draw_ranges(rng, [row for row in rows if row.kind == "api"])


def draw_ranges(rng, calls):
    """Ranges around calls of a process, on their thread or another one, with room at both ends."""
    rows, at = [], 0
    while rng.random() < 0.8 and at < len(calls):
        first = rng.randrange(at, len(calls))
        last = rng.randrange(first, min(first + 6, len(calls)))
        thread = calls[0].thread + rng.choice([0, 0, 500])
        rows.append(Row("nvtx", calls[first].start - 700, calls[last].end + 700, -1, 0, rng.choice(["step", "warm"]), -1, 0, 0,
                        thread, process=calls[0].process))
        at = last + 1
    return rows


def is_plain(rows):
    """Has each id one call, or one kernel behind each call but the last, and no more?"""
    calls, works = collections.defaultdict(list), collections.defaultdict(list)
    for row in filter(lambda row: row.kind != "nvtx", rows):
        (calls if row.kind == "api" else works)[row.corr].append(row.start)
    for corr, starts in calls.items():
        starts.sort()
        if len(starts) < 2:
            continue
        for here, after in zip(starts, starts[1:] + [float("inf")]):
            inside = sum(here < start < after for start in works[corr])
            if inside != 1 and not (after == float("inf") and inside == 0):
                return False
    return True


def gpus_of(rows, gpu=lambda row: row.device):
    gpus = collections.defaultdict(list)
    for row in rows:
        if is_work(row):
            gpus[gpu(row)].append(row)
    return gpus


def device_pid(row):
    return row.device if is_work(row) else row.process


def draw_single(rng):
    reuse = rng.choice([None, None, 1, 2, 3, 5])
    rows = draw_process(rng, rng.randint(100, 4000), rng.choice([[0], [0, 1], [1], [0, 1, 2]]), 10**6, reuse)
    name = rng.choice(["json", "sqlite"])
    processes = {row.process for row in rows}
    write = (lambda folder: kineto(folder, rows, device_pid)) if name == "json" else (
        lambda folder: sqlite(folder, rows, [(0, d, pid) for pid in processes for d in [0]]))
    return Trace(rows, gpus_of(rows), f"single {name} reuse {reuse}", is_plain(rows), write)


LABELS = {
    "before": lambda rank, own: json.dumps(f"[TP{rank:02d}] {own}"),
    "behind": lambda rank, own: json.dumps(f"{own} rank {rank}"),
    "underscore": lambda rank, own: json.dumps(f"{rank}_{own}"),
    "offset": lambda rank, own: rank * 10**7 + own,
    "none": lambda rank, own: own,
    "name": lambda rank, own: own,
}


def draw_merged(rng):
    """Ranks in one file. Without labels, and with names alone, their pids are told apart by nothing else."""
    style, count = rng.choice(list(LABELS)), rng.randint(2, 4)
    one_device = style != "name" and rng.random() < 0.6
    rows, names = [], {}
    for rank in range(count):
        pid = 4242 if style not in ("none", "name") and rng.random() < 0.5 else 4000 + 17 * rank
        device = 0 if one_device else rank
        rows += [row._replace(rank=rank) for row in draw_process(rng, pid, [device], 10**6 + rng.randint(0, 10**6))]
        names.update({pid: f"[rank {rank}] python", device: f"[rank {rank}] python"})

    def pid_of(row):
        return LABELS[style](row.rank, device_pid(row))

    write = (lambda folder: kineto(folder, rows, pid_of, names if style == "name" else None))
    gpus = gpus_of(rows, lambda row: row.rank)  # what was added to pids is seen from kernels
    clean = style != "none" and (style != "offset" or all(map(kernels, gpus.values())))
    return Trace(rows, gpus, f"merged {style}", clean, write)


def draw_shared(rng):
    """Processes of an nsys export, some of which share a GPU."""
    count, machine = rng.randint(2, 3), rng.randint(1, 3)
    table = rng.choice(["numbers", "uuids", "one GPU", "one process", "nothing"])
    machine = 1 if table == "one GPU" else machine
    rows, devices, place = [], [], {}
    for index in range(count):
        pid = 100 * (index + 1)
        visible = rng.sample(range(machine), rng.randint(1, machine))
        rows += draw_process(rng, pid, list(range(len(visible))), 10**6 + rng.randint(0, 10**6))
        for device, gpu in enumerate(visible):
            place[pid, device] = gpu
            devices.append((gpu, device, pid))
    told = {"numbers": devices, "uuids": devices, "one process": [d for d in devices if d[2] == 100]}.get(table, [])
    gpus = [] if table == "nothing" else [(0, n, "GPU", "", f"GPU-{n}", 9, 0) for n in range(machine)]
    truth = gpus_of(rows, lambda row: place[row.process, row.device])
    clean = table not in ("nothing", "one process")
    return Trace(rows, truth, f"shared {table}", clean and is_known(rows), lambda folder: sqlite(folder, rows, told, gpus))


def is_known(rows):
    """Whether all processes have work: calls of others are left out."""
    return {row.process for row in rows} == {row.process for row in rows if is_work(row)}


def draw_cycles(rng):
    """Recordings of a process, one after the other; or processes with one id in containers, at the same time."""
    count, apart, pid = rng.randint(2, 4), rng.random() < 0.7, 1981897
    parts, begin, first_id = [], 10**9, 1
    again = rng.random() < 0.5
    for index in range(count):
        rows = draw_process(rng, pid, [0], begin, first_id=first_id)
        parts.append([row._replace(rank=index) for row in rows])
        first_id = 1 if again else first_id + 100
        begin = begin + 20 * 10**9 if apart else begin
    rows = [row for part in parts for row in part]

    def write(folder):
        for index, part in enumerate(parts):
            path = os.path.join(folder, f"host_{pid}.{1700000000 + index}.pt.trace.json")
            write_kineto(path, part, pid=device_pid)
        return folder

    overlap = not apart
    return Trace(rows, gpus_of(rows, (lambda row: row.rank) if overlap else lambda row: 0),
                 "containers" if overlap else "cycles", overlap and all_meet(parts), write)


def all_meet(parts):
    """Does each overlap the others, so that none can be taken for a later recording of another?"""
    spans = [(min(r.start for r in p), max(r.end for r in p)) for p in parts]
    return all(a[0] < b[1] and b[0] < a[1] for a in spans for b in spans)


def kineto(folder, rows, pid, names=None):
    path = os.path.join(folder, "trace.json")
    write_kineto(path, rows, pid=pid, labels=names)
    return path


def sqlite(folder, rows, devices, gpus=((0, 0, "GPU", "", "GPU-0", 9, 0),)):
    path = os.path.join(folder, "trace.sqlite")
    write_nsys_sqlite(path, rows, gpus=gpus, cuda_devices=devices)
    return path


def draw(seed):
    rng = random.Random(seed)
    trace = rng.choice([draw_single, draw_single, draw_merged, draw_merged, draw_shared, draw_cycles])(rng)
    scope = rng.choice([None, None, "step", "step@thread"])
    part = trace._replace(gpus=in_scope(trace, scope), is_clean=trace.is_clean and (not scope or all_have_ranges(trace.rows)))
    options = [f"--range={scope}"] if scope and part.gpus else []
    return trace, part if options else trace, options, draw_rules(rng, part if options else trace)


# ---- what is true ----

def union(rows):
    total, until = 0, None
    for start, end in sorted((r.start, r.end) for r in rows):
        if until is None or start > until:
            total, until = total + end - start, end
        elif end > until:
            total, until = total + end - until, end
    return total


def idle(rows):
    span = max(r.end for r in rows) - min(r.start for r in rows)
    return 1 - union(rows) / span


def queues(rows):
    return [r.start - r.bytes for r in rows]


def owner(row):
    return row.rank, row.process


def is_in(row, ranges, name, own_thread=False):
    """Did its call begin in a range of this name? It makes all calls on one thread."""
    return any(r.name == name and owner(r) == owner(row) and r.start <= row.bytes < r.end
               and (not own_thread or r.thread == row.process % 1000 + 1) for r in ranges)


def ranges_of(rows):
    return [row for row in rows if row.kind == "nvtx"]


def in_scope(trace, scope):
    if not scope:
        return trace.gpus
    name, _, own_thread = scope.partition("@")
    ranges = ranges_of(trace.rows)
    gpus = {gpu: [row for row in rows if is_in(row, ranges, name, own_thread)] for gpu, rows in trace.gpus.items()}
    return {gpu: rows for gpu, rows in gpus.items() if rows}


def all_have_ranges(rows):
    return {owner(row) for row in rows} == {owner(row) for row in ranges_of(rows)}


def kernels(rows):
    return [row for row in rows if row.kind == "kernel"]


def most_at_once(rows):
    edges = sorted([(r.end, -1) for r in rows] + [(r.start, 1) for r in rows])
    now = most = 0
    for _, by in edges:
        now += by
        most = max(most, now)
    return most


def draw_rules(rng, trace):
    """Pairs of a rule and what it is for each GPU: True, False, or None where the truth is too near to tell."""
    gpus, rules = list(trace.gpus.values()), []
    of_kernels = [kernels(rows) for rows in gpus if kernels(rows)]
    total = sum(map(len, of_kernels))
    count = total + rng.choice([0, 0, -1, 1, -total // 2])
    rules.append((f"count(kernel) == {count}", [total == count], True))
    if trace.kind != "cycles":
        share = rng.choice([idle(rng.choice(gpus)) + rng.choice([-0.03, 0.03]), rng.random()])
        share = min(max(share, 0.01), 0.99)
        values = [idle(rows) for rows in gpus]
        rules.append((f"idle() < {100 * share:.4f}%", [None if abs(v - share) < 1e-4 else v < share for v in values], False))
    return rules + comm_rules(rng, trace) + (kernel_rules(rng, of_kernels, trace.kind) if of_kernels else [])


def kernel_rules(rng, gpus, kind):
    rules, all_queues = [("serial(kernel)", [True] * len(gpus), False)], [queue for rows in gpus for queue in queues(rows)]
    low, high = min(all_queues), max(all_queues)
    for limit in (max(low - 100, 1), high + 100):
        function = rng.choice(["queue_p50", "queue_p99"])
        rules.append((f"{function}(kernel) < {limit} ns", [limit > high] * len(gpus), False))
    if kind != "cycles":
        most = rng.choice([1, 2, most_at_once(rng.choice(gpus))])
        rules.append((f"concurrency(kernel) <= {most}", [most_at_once(rows) <= most for rows in gpus], False))
    return rules


def comm_rules(rng, trace):
    """With --comm=a|warm: kernels of that name, and copies between GPUs in such a range of their thread. And kernels of a
    range."""
    ranges, rules = ranges_of(trace.rows), []
    comm = {gpu: [row for row in rows if row.name == "a" or (row.kind == "p2p" and is_in(row, ranges, "warm", True))]
            for gpu, rows in trace.gpus.items()}
    count = sum(map(len, comm.values()))
    told = count + rng.choice([0, 0, 1, -1])
    rules.append((f"count(comm) == {told}", [told == count], True))
    held = [rows for rows in comm.values() if rows]
    if held and (trace.is_clean or trace.kind not in ("cycles", "containers")):  # times of what may be one process add up
        limit = union(rng.choice(held)) + rng.choice([-50, 50])
        rules.append((f"busy(comm) <= {limit} ns", [union(rows) <= limit for rows in held], False))
    if all_have_ranges(trace.rows):
        count = sum(row.kind == "kernel" and is_in(row, ranges, "warm") for rows in trace.gpus.values() for row in rows)
        told = count + rng.choice([0, 0, 1, -1])
        rules.append((f'count(kernel[nvtx="warm"]) == {told}', [told == count], True))
    return rules


# ---- what cpprof says ----

def complaint(trace, rules, answer):
    if "assertions" not in answer:
        return f"no answer: {answer}"
    rows = collections.defaultdict(list)
    for row in answer["assertions"]:
        rows[row["rule"]].append(row)
    for rule, truth, is_total in rules:
        said = [row["status"] for row in rows[rule]]
        if "fail" in said and all(truth):
            return f"'{rule}' fails, and holds: {rows[rule]}"
        if said and set(said) == {"pass"} and False in truth:
            return f"'{rule}' passes, and does not hold: {rows[rule]}"
        if trace.is_clean and None not in truth and (not said or not set(said) <= {"pass", "fail"}):
            return f"'{rule}' is not decided where the trace says who is who: {rows[rule]}"
        if trace.is_clean and not is_total and len(said) != len(truth):
            return f"'{rule}' is judged on {len(said)} GPUs of {len(truth)}"
    return None


def launches_complaint(trace, path, cpprof):
    """A launch whose call is known has one of the queue times that were drawn, and none is lost."""
    done = subprocess.run([cpprof, "launch", "--format", "json", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=False)
    if done.returncode == 2 and not any(r.kind == "kernel" for rows in trace.gpus.values() for r in rows):
        return None
    report = json.loads(done.stdout)["traces"][0]
    queue, drawn = report["total"]["queue"], [q for rows in trace.gpus.values() for q in queues(rows)]
    if queue["count"] and not min(drawn) <= queue["min_ns"] <= queue["max_ns"] <= max(drawn):
        return f"launch: queue times from {queue['min_ns']} to {queue['max_ns']} ns"
    if trace.is_clean and trace.kind != "cycles" and report["kernels_without_call"]:
        return f"launch: {report['kernels_without_call']} kernels have no call"
    told = any("correlation id" in c["text"] or "whose" in c["text"] for c in report["caveats"])
    if report["kernels_without_call"] and not told and not trace.is_clean:
        return "launch: calls are not known, and no caveat says so"
    return None


def try_one(judge, options, seed):
    trace, part, words, rules = draw(seed)
    folder = tempfile.mkdtemp(dir=options.folder)
    try:
        path = trace.write(folder)
        judge.stdin.write("\t".join([path, "--comm=^(a|warm)$", *words] + [rule for rule, _, _ in rules]) + "\n")
        judge.stdin.flush()
        what = complaint(part, rules, json.loads(judge.stdout.readline()))
        if not what and options.cpprof and seed % 8 == 0:
            what = launches_complaint(trace, path, options.cpprof)
        what = what and " ".join([what, *words])
        if what and options.keep:
            shutil.copytree(folder, os.path.join(options.keep, str(seed)), dirs_exist_ok=True)
    finally:
        shutil.rmtree(folder)
    return what and f"trace {seed} ({trace.kind}): {what}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("judge_many")
    parser.add_argument("--cpprof")
    parser.add_argument("--traces", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--keep")
    options = parser.parse_args()
    seeds = [options.only] if options.only is not None else range(options.seed * 10**7, options.seed * 10**7 + options.traces)
    wrong = []
    with tempfile.TemporaryDirectory() as options.folder, subprocess.Popen(
            [options.judge_many], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as judge:
        for seed in seeds:
            what = try_one(judge, options, seed)
            if what:
                wrong.append(what)
                print(what, flush=True)
            if len(wrong) == 10:
                break
        judge.stdin.close()
    print(f"{len(seeds)} traces, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
