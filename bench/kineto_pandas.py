#!/usr/bin/env python3
"""How long do a DataFrame and a few sums take for what `cpprof overlap --definitions hta` says?

usage: kineto_pandas.py TRACE.json[.gz]        exit 77 where pandas is missing

What Holistic Trace Analysis does at its core, from its public definitions: load
the JSON, make a table of it, leave out the last profiler step, and compute idle,
compute and non-compute time and the share of communication under computation.
"""
import gzip
import json
import math
import sys

try:
    import pandas
except ImportError:
    print("skipped: this python3 has no pandas (Debian: apt-get install python3-pandas)", file=sys.stderr)
    sys.exit(77)


def load(path):
    with open(path, "rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    with (gzip.open if packed else open)(path, "rb") as file:
        document = json.load(file)
    return pandas.DataFrame(document["traceEvents"] if isinstance(document, dict) else document)


def merged(table):
    """Disjoint intervals that cover what the rows of the table cover."""
    rows = table[["start", "end"]].sort_values("start")
    latest = rows["end"].cummax().shift()
    return rows.groupby((rows["start"] > latest).cumsum()).agg({"start": "min", "end": "max"})


def covered(*tables):
    union = merged(pandas.concat(tables))
    return int((union["end"] - union["start"]).sum())


def of_counted_steps(events, work):
    """Work whose call began at or before the start of the last profiler step."""
    steps = events[events["name"].str.contains("ProfilerStep", na=False)]
    if steps.empty:
        return work
    calls = events[events["cat"].isin(["cuda_runtime", "cuda_driver", "Runtime"])]
    calls = pandas.DataFrame({"correlation": calls["args"].map(correlation), "call": calls["ts"]})
    work = work.merge(calls.drop_duplicates("correlation"), on="correlation")
    return work[work["call"] <= steps["ts"].max()]


def correlation(args):
    return args.get("correlation") if isinstance(args, dict) else None


def main(path):
    events = load(path)
    events = events[events["ph"] == "X"]
    work = events[events["cat"].str.lower().isin(["kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset"])]
    work = pandas.DataFrame({
        "name": work["name"],
        "is_kernel": work["cat"].str.lower() == "kernel",
        "correlation": work["args"].map(correlation),
        "start": work["ts"].map(math.ceil),
        "end": (work["ts"] + work["dur"]).map(math.floor),
    })
    work = of_counted_steps(events, work)
    is_comm = work["is_kernel"] & work["name"].str.contains("nccl", case=False)
    comm, compute = work[is_comm], work[work["is_kernel"] & ~is_comm]
    span = int(work["end"].max() - work["start"].min())
    busy, compute_us, comm_us = covered(work), covered(compute), covered(comm)
    together = comm_us + compute_us - covered(comm, compute)
    print(f"events {len(work)} span {span} idle {span - busy} compute {compute_us} non-compute {busy - compute_us} "
          f"comm {comm_us} hidden {100 * together / max(comm_us, 1):.2f}%")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    main(sys.argv[1])
