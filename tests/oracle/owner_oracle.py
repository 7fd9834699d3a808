#!/usr/bin/env python3
"""Who launched the work of a trace, computed a second time: `cpprof stats --by op|module|frame|range|step`.

    owner_oracle.py CPPROF FILE... [--traces N] [--seed S]   Kineto JSON, also .gz; a bundle goes through `cpprof export`

Each FILE, and N traces made up here, are read with other code than cpprof has. Scopes are found by looking at each one
for each call, and totals, counts, bytes and idle time of every row are compared; the rows must add up to all of the
work, and to all of the idle time. Files that are not there are skipped (77 when nothing is left to do).
"""
import argparse
import collections
import gzip
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from decimal import Decimal

WORK = {"kernel": "kernels", "gpu_memcpy": "memory", "gpu_memset": "memsets", "gpu_migration": "migrations"}
CALLS = ("cuda_runtime", "cuda_driver")
NOBODY = {"op": "(no operator)", "module": "(no module)", "frame": "(no frame)", "range": "(no range)",
          "step": "(no step)"}
UNKNOWN = "(launch not recorded)"
STEP = re.compile(r"ProfilerStep#[0-9]+")


class Row:
    """A row of the trace with its times in nanoseconds."""

    def __init__(self, row, rank, place):
        args = row.get("args", {})
        self.name, self.kind, self.place = row["name"], row["cat"], place
        self.start = int(Decimal(str(row["ts"])) * 1000)
        self.end = self.start + int(Decimal(str(row["dur"])) * 1000)
        self.thread = args.get("thread", row.get("tid"))
        self.rank = args.get("rank", rank)
        self.correlation, self.bytes = args.get("correlation", 0), int(args.get("bytes", 0)) if self.kind in WORK else 0
        self.sequence, self.forward = args.get("Sequence number", -1), args.get("Fwd thread id", 0)
        self.unfinished = "unfinished" in args
        self.device = args.get("device", -1)

    def holds(self, time):
        return self.start <= time and (time < self.end or self.unfinished)


def rows_of(data):
    trace = json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data, parse_float=Decimal)
    is_list = isinstance(trace, list)
    rank = -1 if is_list else trace.get("distributedInfo", {}).get("rank", -1)
    known = set(WORK) | set(CALLS) | {"cpu_op", "python_function", "user_annotation", "cuda_sync", "overhead"}
    return [Row(r, rank, place) for place, r in enumerate(trace if is_list else trace["traceEvents"])
            if r.get("ph") == "X" and r.get("cat") in known and "dur" in r]


def is_frame(name):
    found = re.match(r"(?s)([^(]*(?:\((?![0-9]+\): )[^(]*)*)\([0-9]+\): ", name)
    return bool(found) and found[1] != "" and not found[1].startswith("torch/") and "-packages/torch/" not in found[1]


def chosen(rows, by, step):
    tests = {"op": lambda r: r.kind == "cpu_op",
             "module": lambda r: r.kind == "python_function" and r.name.startswith("nn.Module: "),
             "frame": lambda r: r.kind == "python_function" and is_frame(r.name)
             and not r.name.startswith("nn.Module: "),
             "range": lambda r: r.kind == "user_annotation",
             "step": lambda r: r.kind == "user_annotation" and step.fullmatch(r.name)}
    found = [r for r in rows if tests[by](r)]
    return outer(found) if by == "step" else found


def outer(steps):
    """Without those inside another one on the same thread."""
    return [s for s in steps if not any(o is not s and (o.rank, o.thread) == (s.rank, s.thread) and
                                        o.start <= s.start and s.end <= o.end for o in steps)]


def innermost(scopes, time):
    """The open scope that began last; of those that began together, the one that ends first; then the file's last."""
    return max((s for s in scopes if s.holds(time)), key=lambda s: (s.start, -s.end, s.place), default=None)


class Owners:
    def __init__(self, rows, by, step):
        self.by, self.scopes = by, chosen(rows, by, step)
        self.lanes = collections.defaultdict(list)
        self.ranks = collections.defaultdict(list)
        for scope in self.scopes:
            self.lanes[scope.rank, scope.thread].append(scope)
            self.ranks[scope.rank].append(scope)
        self.operators = [r for r in rows if r.kind == "cpu_op" and r.sequence >= 0]
        self.forwards = collections.defaultdict(list)
        for operator in self.operators:
            if not operator.forward and operator.end > operator.start:
                self.forwards[operator.rank, operator.sequence].append(operator)
        self.numbers = self.number_steps() if by == "step" else {}

    def number_steps(self):
        numbers = {}
        for rank, steps in self.ranks.items():
            count = collections.Counter(step.name for step in steps)
            seen = collections.Counter()
            for step in sorted(steps, key=lambda s: s.start):
                seen[step.name] += 1
                numbers[step] = step.name if count[step.name] == 1 else f"{step.name} {seen[step.name]}"
        return numbers

    def of_forward(self, call):
        """The module or frame of the operator whose backward pass launches this."""
        backward = innermost([o for o in self.operators if o.rank == call.rank and o.thread == call.thread
                              and o.forward], call.start)
        group = self.forwards.get((call.rank, backward.sequence), []) if backward else []
        if len({operator.thread for operator in group}) != 1:
            return None
        forward = max(group, key=lambda o: (o.start, -o.end, o.place))
        return innermost(self.lanes[forward.rank, forward.thread], forward.start)

    def of(self, call):
        if call is None:
            return UNKNOWN
        if self.by == "step":
            found = [s for s in self.ranks[call.rank] if s.holds(call.start)]
            return self.numbers[found[0]] if found else NOBODY["step"]
        scope = innermost(self.lanes[call.rank, call.thread], call.start)
        if not scope and self.by == "range":
            scope = innermost(self.ranks[call.rank], call.start)
        if not scope and self.by in ("module", "frame"):
            scope = self.of_forward(call)
        return scope.name if scope else NOBODY[self.by]


def is_launch(call):
    return any(word in call.name for word in ("Launch", "Memcpy", "Memset"))


def expected(rows, by, window=None, step=STEP):
    """{(section, name, rank): (count, total, bytes, idle)}, and whether the trace has anything that could own work."""
    owners, sums = Owners(rows, by, step), collections.defaultdict(lambda: [0, 0, 0, 0])
    calls, first, devices = {}, {}, collections.defaultdict(list)
    for row in rows:
        if row.kind not in ("cpu_op", "python_function"):
            first[row.rank] = min(first.get(row.rank, row.start), row.start)
        if row.kind in CALLS and row.correlation and is_launch(row):
            calls.setdefault((row.rank, row.correlation), []).append(row)
    for row in rows:
        if window and not window[0] <= row.start - first.get(row.rank, 0) < window[1]:
            continue
        if row.kind in CALLS:
            section, call = "api", row
        elif row.kind in WORK:
            section = WORK[row.kind]
            group = calls.get((row.rank, row.correlation)) if row.correlation else None
            call = min(group, key=lambda c: (c.start, -c.end)) if group else None
        else:
            continue
        owner = owners.of(call)
        if step is not STEP and owner in (NOBODY["step"], UNKNOWN):
            continue  # --range leaves it out
        row_sum = sums[section, owner, row.rank if by == "step" else -1]
        row_sum[0] += 1
        row_sum[1] += 0 if row.unfinished else row.end - row.start
        row_sum[2] += row.bytes
        if section == "api":
            row_sum[3] = None
        elif row.end > row.start and not row.unfinished:
            devices[row.rank, row.device].append((row.start, call is None, row.correlation, row.end, row_sum))
    for work in devices.values():
        add_idle(work)
    return {key: tuple(value) for key, value in sums.items()}, bool(owners.scopes)


def add_idle(work):
    """Each gap of a device belongs to the work whose start ends it: known before unknown, then the lowest id."""
    works = sorted(work, key=lambda w: w[:3])
    until = works[0][3]
    for start, _, _, end, row_sum in works:
        row_sum[3] += max(start - until, 0)
        until = max(until, end)


def told(cpprof, path, by, *scope):
    """What cpprof says in the same form; None when it refuses the trace."""
    run = subprocess.run([cpprof, "stats", "--by", by, "--format", "json", *scope, path], capture_output=True)
    if run.returncode not in (0, 5):
        raise SystemExit(f"{path} --by {by}: exit status {run.returncode}, {run.stderr.decode()}")
    if not run.stdout:
        return None
    page = json.loads(run.stdout)
    rows = {}
    for section in ("kernels", "memory", "memsets", "migrations", "api"):
        for row in page[section]:
            rank = row.get("rank")
            key = section, row["name"], -1 if rank is None else rank
            assert key not in rows, f"two rows {key}"
            rows[key] = row["count"], row["total_ns"], row["size_bytes"], row.get("idle_ns")
    assert page["traces"][0]["gpu_ns"] == sum(value[1] for key, value in rows.items() if key[0] != "api")
    return rows


def check(cpprof, path, data, window=None):
    rows, scope = rows_of(data), [f"--window={window[0]}ns:{window[1]}ns"] if window else []
    cases = [(by, scope, *expected(rows, by, window)) for by in NOBODY]
    names = collections.Counter(row.name for row in rows if row.kind == "user_annotation" and row.name.isalnum())
    if names:  # each occurrence of the most frequent range is a step, and nothing else is asked for
        name = min(names, key=lambda text: (-names[text], text))
        want, _ = expected(rows, "step", step=re.compile(name))
        cases.append(("step", [f"--range=^{name}$"], want, are_apart(rows, name)))
    checked = 0
    for by, options, want, has_any in cases:
        got = told(cpprof, path, by, *options)
        if got is None and not has_any:
            continue
        if got != want:
            got = got or {}
            wrong = [(key, want.get(key), got.get(key)) for key in {**want, **got} if want.get(key) != got.get(key)]
            print(f"{path} --by {by} {options}: row, expected, got: {wrong[:4]}")
            return -1
        checked += 1
    return checked


def are_apart(rows, name):
    """No two ranges of the name are open at once on a rank."""
    ranges = outer([row for row in rows if row.kind == "user_annotation" and row.name == name])
    ranges.sort(key=lambda row: (row.rank, row.start))
    return all(a.rank != b.rank or a.end <= b.start for a, b in zip(ranges, ranges[1:]))


# ---- traces that are made up ----

FILES = ("train.py(3): step", "torch/nn/linear.py(1): forward", "<built-in method mm>", "nn.Module: Linear_0",
         "a b/site-packages/torch/x.py(2): f", "net(x).py(12): forward", "nn.Module: Net_1", "(5): f", "x(y): f")


def scope_of(rng, kind, tid, rank):
    start = rng.randrange(60)
    name = {"cpu_op": rng.choice(("aten::mm", "aten::add", "Back ward")), "python_function": rng.choice(FILES),
            "user_annotation": rng.choice(("data", "forward", "\u0007|<b>"))}[kind]
    args = {"rank": rank}
    if kind == "cpu_op" and rng.random() < 0.7:
        args.update({"Sequence number": rng.randrange(6), "Fwd thread id": rng.choice((0, 0, 1))})
    length = rng.choice((0, 1, 3, 10, 40))
    if kind == "user_annotation":  # no two are open at just the same time: none of them would be the inner one
        length = f"{length}.{rng.randrange(1000):03}"
    return {"ph": "X", "cat": kind, "name": name, "ts": start, "dur": length, "tid": tid, "args": args}


def made_up(rng):
    rows, threads, ranks = [], (1, 2), rng.choice(((0,), (0, 1)))
    for _ in range(rng.randrange(4, 40)):
        rows.append(scope_of(rng, rng.choice(("cpu_op", "python_function", "user_annotation")), rng.choice(threads),
                             rng.choice(ranks)))
    for rank in ranks:
        for start in range(0, 60, 15):
            if rng.random() < 0.8:
                rows.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{start // 30}", "ts": start,
                             "dur": rng.choice((15, 9)), "tid": 1, "args": {"rank": rank}})
    for correlation in range(1, rng.randrange(2, 30)):
        add_launch(rng, rows, correlation, rng.choice(threads), rng.choice(ranks))
    rng.shuffle(rows)
    return rows


def add_launch(rng, rows, correlation, tid, rank):
    start, kind = rng.randrange(60), rng.choice(("kernel", "kernel", "gpu_memcpy", "gpu_memset"))
    args = {"correlation": correlation, "rank": rank}
    call = {"kernel": "cudaLaunchKernel", "gpu_memcpy": "cudaMemcpyAsync", "gpu_memset": "cudaMemsetAsync"}[kind]
    if rng.random() < 0.9:
        rows.append({"ph": "X", "cat": "cuda_runtime", "name": call, "ts": start, "dur": 4, "tid": tid, "args": args})
    if rng.random() < 0.3:
        rows.append({"ph": "X", "cat": "cuda_driver", "name": "cuLaunchKernel", "ts": start + 1, "dur": 2, "tid": tid,
                     "args": args})
    if rng.random() < 0.1:
        rows.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaFuncGetAttributes", "ts": max(start - 1, 0),
                     "dur": 1, "tid": tid, "args": args})
    for part in range(rng.choice((0, 1, 1, 2))):
        rows.append({"ph": "X", "cat": kind, "name": "k" if kind == "kernel" else "Memcpy HtoD",
                     "ts": start + rng.randrange(30), "dur": f"{rng.randrange(9)}.{rng.randrange(1000):03}",
                     "tid": 7, "args": {**args, "device": 0, "stream": 2 * correlation + part, "context": 1,
                                        **({} if kind == "kernel" else {"bytes": 64 + part})}})


def text_of(rows):
    """Durations with a fraction are numbers in the file."""
    return re.sub(r'"dur": "([0-9.]+)"', r'"dur": \1', json.dumps(rows)).encode()


def check_made_up(cpprof, seed, folder):
    rng = random.Random(seed)
    data = text_of(made_up(rng))
    if not any(row.kind in WORK for row in rows_of(data)):
        return 0
    path = os.path.join(folder, f"seed{seed}.json")
    with open(path, "wb") as file:
        file.write(data)
    return check(cpprof, path, data, rng.choice((None, (5000, 40000))))


def check_idle(cpprof, path):
    """The rows of any of the tables add up to the idle time that `cpprof gaps` finds."""
    gaps = json.loads(subprocess.run([cpprof, "gaps", "--format", "json", path], capture_output=True).stdout)
    idle = sum(device["idle_ns"] for trace in gaps["traces"] for device in trace["devices"])
    for by in NOBODY:
        rows = told(cpprof, path, by)
        if rows and sum(row[3] or 0 for row in rows.values()) != idle:
            raise SystemExit(f"{path} --by {by}: the idle time is not {idle} ns")


def check_file(cpprof, path, folder):
    check_idle(cpprof, path)
    if not os.path.isdir(path):
        with open(path, "rb") as file:
            return check(cpprof, path, file.read())
    exported = os.path.join(folder, "exported.json")
    subprocess.run([cpprof, "export", "--to", "chrome", "--mangled", "-o", exported, "--force", path], check=True,
                   capture_output=True)
    with open(exported, "rb") as file:
        return check(cpprof, path, file.read())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cpprof")
    parser.add_argument("--traces", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    files = [path for path in options.files if os.path.exists(path)]
    if not files and not options.traces:
        print("skipped: no traces")
        sys.exit(77)
    results = []
    with tempfile.TemporaryDirectory() as folder:
        results += [check_file(options.cpprof, path, folder) for path in files]
        results += [check_made_up(options.cpprof, options.seed + i, folder) for i in range(options.traces)]
    failed = sum(result < 0 for result in results)
    print(f"{len(results)} traces, {sum(max(result, 0) for result in results)} tables compared, {failed} differ")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
