#!/usr/bin/env python3
"""Where the GPU's time went, computed a second time, from traces of other tools.

    time_oracle.py CPPROF FILE...      nsys SQLite, CSV of nsys (cuda_gpu_trace), Kineto JSON; all may be .gz

Reads each file with other code than cpprof has, and compares: the span of each device, the time in which a kernel
runs, in which only copies run, those of pageable memory among them, and the rest. The parts must add up to the span,
the text must say what the JSON says, and the first kernel must be the one with most time. Files that are not there are
skipped (77 when all are).
"""
import collections
import csv
import gzip
import io
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
from decimal import Decimal

KERNEL, COPY, PAGEABLE, MEMSET = range(4)


def content(path):
    data = open(path, "rb").read()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def kineto(data):
    """Yields (device, kind, name, start, end)."""
    trace = json.loads(data, parse_float=Decimal)
    for row in trace["traceEvents"] if isinstance(trace, dict) else trace:
        kinds = {"kernel": KERNEL, "gpu_memcpy": COPY, "gpu_memset": MEMSET}
        if row.get("ph") != "X" or row.get("cat") not in kinds:
            continue
        start = Decimal(row["ts"]) * 1000
        end = start + Decimal(row["dur"]) * 1000
        kind = PAGEABLE if "ageable" in row["name"] else kinds[row["cat"]]
        yield row["args"]["device"], kind, row["name"], int(start), int(end)


def columns(connection, table):
    return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]


def sqlite(data):
    with tempfile.NamedTemporaryFile(suffix=".sqlite") as file:
        file.write(data)
        file.flush()
        connection = sqlite3.connect(file.name)
        strings = dict(connection.execute("SELECT id, value FROM StringIds"))
        prefix = "CUPTI_ACTIVITY_KIND_"
        # Processes of a machine with one GPU share it.
        has_one = columns(connection, "TARGET_INFO_GPU") and len(list(connection.execute("SELECT 1 FROM TARGET_INFO_GPU"))) == 1
        for table, kind in (("KERNEL", KERNEL), ("MEMCPY", COPY), ("MEMSET", MEMSET)):
            has = columns(connection, prefix + table)
            if not has:
                continue
            process = "globalPid" if "globalPid" in has else "0"
            name = "demangledName" if table == "KERNEL" else "0"
            memory = "srcKind, dstKind" if table == "MEMCPY" else "-1, -1"
            query = f"SELECT {process}, deviceId, {name}, start, end, {memory} FROM {prefix}{table}"
            for pid, device, text, start, end, source, target in connection.execute(query):
                pageable = 0 in (source, target)  # in nsys's ENUM_CUDA_MEM_KIND
                yield (0 if has_one else pid, device), PAGEABLE if pageable else kind, strings.get(text, ""), start, end


def gpu_trace(data):
    lines = data.decode().splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith(("Start (ns)", '"Start (ns)')))
    for row in csv.DictReader(io.StringIO("\n".join(lines[first:]))):
        start = int(row["Start (ns)"])
        end = start + int(row["Duration (ns)"])
        name = row["Name"]
        kind = MEMSET if name == "[CUDA memset]" else COPY if name.startswith("[CUDA mem") else KERNEL
        if "Pageable" in (row["SrcMemKd"], row["DstMemKd"]):
            kind = PAGEABLE
        yield row["Device"], kind, name, start, end


def events_of(data):
    if data.startswith(b"SQLite format 3"):
        return sqlite(data)
    return kineto(data) if data.lstrip()[:1] in (b"{", b"[") else gpu_trace(data)


def measure(events):
    """Time in which a kernel runs, only copies, pageable ones among them, only memsets: by a walk over all starts and ends."""
    steps = sorted([(start, 1, kind) for _, kind, _, start, end in events if end > start] +
                   [(end, -1, kind) for _, kind, _, start, end in events if end > start])
    running, sums, before = [0, 0, 0, 0], collections.Counter(), steps[0][0] if steps else 0
    for time, change, kind in steps:
        if running[KERNEL]:
            sums["kernel"] += time - before
        elif running[COPY] or running[PAGEABLE]:
            sums["copy"] += time - before
            sums["pageable"] += (time - before) * (running[PAGEABLE] > 0)
        elif running[MEMSET]:
            sums["memset"] += time - before
        running[kind] += change
        before = time
    span = max(e[4] for e in events) - min(e[3] for e in events)
    idle = span - sums["kernel"] - sums["copy"] - sums["memset"]
    return span, sums["kernel"], sums["pageable"], sums["copy"] - sums["pageable"], sums["memset"], idle


def told(device):
    parts = {part["part"]: part["ns"] for part in device["parts"]}
    idle = sum(parts[key] for key in ("host_late", "synchronisation", "dependency", "unknown"))
    if sum(parts.values()) != device["span_ns"]:
        raise SystemExit(f"the parts of {device} do not add up to the span")
    return (device["span_ns"], parts["compute"] + parts["communication"], parts["copy_pageable"], parts["copy"],
            parts["memset"], idle)


def run(cpprof, *arguments):
    return subprocess.run([cpprof, "report", *arguments], capture_output=True, text=True, check=True).stdout


def check(cpprof, path):
    places = collections.defaultdict(list)
    for event in events_of(content(path)):
        places[event[0]].append(event)
    expected = sorted(measure(events) for events in places.values())
    page = json.loads(run(cpprof, "--format", "json", path))
    got = sorted(told(device) for device in page["time"])
    if expected != got:
        return f"span, kernels, pageable, copies, memsets, idle: expected {expected}, got {got}"
    kernels = collections.Counter()
    for events in places.values():
        for _, kind, name, start, end in events:
            kernels[name] += (end - start) * (kind == KERNEL)
    all_kernels = [r["total_ns"] for r in page["stats"]["kernels"]]
    if kernels and (max(kernels.values()) != all_kernels[0] or sum(kernels.values()) != sum(all_kernels)):
        return f"the first kernel takes {max(kernels.values())} of {sum(kernels.values())} ns, not {all_kernels[0]}"
    for kind, rows in page["owners"].items():
        sums = [sum(row[member] for row in rows or ()) for member in ("total_ns", "idle_ns")]
        if rows and sums != [page["stats"]["traces"][0]["gpu_ns"], sum(device[5] for device in expected)]:
            return f"owners by {kind} take {sums} ns, and are not all of the work and of the idle time"
    text = run(cpprof, "--brief", "--format", "text", path)
    if not re.search(r"^all of it .* 100\.0%$|^where .* all of it$", text, re.MULTILINE):
        return "the first screen has no table of the time"
    return None


def main():
    cpprof, paths = sys.argv[1], [path for path in sys.argv[2:] if os.path.exists(path)]
    if not paths:
        print("skipped: no traces")
        sys.exit(77)
    failed = 0
    for path in paths:
        wrong = check(cpprof, path)
        failed += wrong is not None
        print(f"{path}: {wrong or 'the same'}")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
