#!/usr/bin/env python3
"""Why each GPU of a capture was idle, computed a second time, from its shards.

    cause_oracle.py CPPROF BUNDLE...

Reads the shards with other code than cpprof has (tests/gpu/shard_events.py), follows the definitions of docs/stats.md
("gaps"), and compares with `cpprof gaps`: the time of each device in which no kernel runs, by cause, to the nanosecond.
Prints a line for each bundle; exits 1 when one differs.
"""
import collections
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "gpu"))
import shard_events as shards  # noqa: E402

LAUNCH, COPY_CALL, SYNC_CALL = 1, 2, 3
UNFINISHED = 1
WORK = (shards.KERNEL, shards.COPY, shards.MEMSET, shards.MIGRATION)
LATENCY_NS = 20000
WAITS = 16


class Process:
    """The calls of a process: which one started what, and which ones waited."""

    def __init__(self, events):
        works = collections.defaultdict(list)
        for event in events:
            if event.kind in WORK and event.correlation and not event.flags & UNFINISHED:
                works[event.correlation].append(event)
        self.calls, self.waits = {}, collections.defaultdict(list)
        calls = [e for e in events if e.kind == shards.API and not e.flags & UNFINISHED]
        for call in calls:
            known = self.calls.get(call.correlation)
            if call.detail in (LAUNCH, COPY_CALL) and (not known or outer(call, known)):
                self.calls[call.correlation] = call
        for call in calls:
            own = works.get(call.correlation)
            is_done = call.detail == COPY_CALL and own and all(work.end_ns <= call.end_ns for work in own)
            if call.detail == SYNC_CALL or is_done:
                self.waits[call.thread].append(call)
        for waits in self.waits.values():
            waits.sort(key=lambda wait: (wait.end_ns, wait.start_ns))

    def cause_of(self, start, end, following):
        """Why nothing ran from start to end, before the operations that began then."""
        known = [self.calls[work.correlation] for work in following if work.correlation in self.calls]
        if not known:
            return "unknown"
        call = known[0]
        in_time = call.end_ns <= start
        rest = end - call.end_ns
        if in_time or (rest > call.end_ns - start and rest > LATENCY_NS):
            return "dependency"
        before = [wait for wait in self.waits[call.thread] if wait.end_ns <= call.start_ns][-WAITS:]
        half = (end - start) - (end - start) // 2
        if any(wait.end_ns > start and wait.end_ns - wait.start_ns >= half for wait in before):
            return "synchronisation"
        return "host_late"


def outer(call, other):
    return call.start_ns <= other.start_ns and call.end_ns >= other.end_ns


STATES = ("kernel", "copy", "memset", "migration")  # what counts where several run


def state_of(work):
    return {shards.KERNEL: "kernel", shards.MEMSET: "memset", shards.MIGRATION: "migration"}.get(work.kind, "copy")


def gaps_of(works):
    """The stretches without a kernel of a device: (start, end, the work that ends it, what runs in it)."""
    points = sorted({work.start_ns for work in works} | {work.end_ns for work in works})
    starts, ends = collections.defaultdict(list), collections.Counter()
    for work in works:
        starts[work.start_ns].append(work)
        ends[work.end_ns, state_of(work)] += 1
    running = collections.Counter()
    since, state = points[0], None
    for point in points:
        for one in STATES:
            running[one] -= ends[point, one]
        for work in starts[point]:
            running[state_of(work)] += 1
        now = next((one for one in STATES if running[one]), "idle")
        if now != state:
            if state not in (None, "kernel"):
                yield since, point, starts[point], state
            since, state = point, now


def sums_of(bundle):
    """(rank, device): time by cause."""
    sums = collections.defaultdict(collections.Counter)
    for number, shard in enumerate(shards.read_bundle(bundle)):
        process, devices = Process(shard.events), collections.defaultdict(list)
        for event in shard.events:
            if event.kind in WORK and not event.flags & UNFINISHED and event.end_ns > event.start_ns:
                devices[event.device].append(event)
        for device, works in devices.items():
            for start, end, following, state in gaps_of(works):
                cause = process.cause_of(start, end, following) if state == "idle" else state
                sums[number, device][cause] += end - start
    return sums


def told_by(cpprof, bundle):
    text = subprocess.run([cpprof, "gaps", "--format", "json", bundle], capture_output=True, text=True, check=True).stdout
    for device in json.loads(text)["traces"][0]["devices"]:
        yield {row["cause"]: row["ns"] for row in device["causes"] if row["ns"]}


def main():
    cpprof, failed = sys.argv[1], 0
    for bundle in sys.argv[2:]:
        expected = sorted(sorted(causes.items()) for causes in sums_of(bundle).values())
        got = sorted(sorted(causes.items()) for causes in told_by(cpprof, bundle))
        failed += expected != got
        print(f"{bundle}: {'the same' if expected == got else f'expected {expected}, got {got}'}")
        for causes in expected:
            print("   " + ", ".join(f"{cause} {ns / 1e6:.3f} ms" for cause, ns in causes))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
