"""Did capture and the PyTorch profiler see the same work?

against_pytorch.py COUNTS.json BUNDLE [COUNTS.json BUNDLE]...

Each pair: counts of kernels by name, of copies by direction and memory, of memsets
must be equal. Over all pairs: the medians of the total kernel times differ by no
more than 1 %. Shards are read by shard_events.py, not by cpprof. Exit 1 when not so.
"""
import collections
import ctypes
import json
import re
import statistics
import sys

from shard_events import COPY, DST_PAGEABLE, KERNEL, MEMSET, SRC_PAGEABLE, read_bundle

TOLERANCE = 0.01
DIRECTIONS = {0: "?", 1: "HtoD", 2: "DtoH", 3: "DtoD", 4: "PtoP", 5: "HtoH"}


def demangler():
    library = ctypes.CDLL("libstdc++.so.6")
    library.__cxa_demangle.restype = ctypes.c_void_p
    libc = ctypes.CDLL(None)
    libc.free.argtypes = [ctypes.c_void_p]

    def demangle(name):
        if not name.startswith("_Z"):
            return name
        status = ctypes.c_int()
        text = library.__cxa_demangle(name.encode(), None, None, ctypes.byref(status))
        if not text:
            return name
        plain = ctypes.string_at(text).decode("utf-8", "replace")
        libc.free(text)
        return plain

    return demangle


def pytorch_copy(name):
    """'Memcpy HtoD (Pinned -> Device)' -> 'HtoD', with '*' where the host's memory is pageable."""
    found = re.match(r"Memcpy (\w+)", name)
    return (found.group(1) if found else name) + ("*" if "Pageable" in name else "")


def theirs(path, demangle):
    with open(path, encoding="utf-8") as file:
        counts = json.load(file)
    kernels, copies = collections.Counter(), collections.Counter()
    for name, (count, _ns) in counts["kernels"].items():
        kernels[demangle(name)] += count
    for name, (count, _ns) in counts["copies"].items():
        copies[pytorch_copy(name)] += count
    memsets = collections.Counter(memset=sum(count for count, _ns in counts["memsets"].values()))
    return kernels, copies, memsets, sum(ns for _count, ns in counts["kernels"].values())


def ours(bundle, demangle):
    kernels, copies, memsets, kernel_ns = collections.Counter(), collections.Counter(), collections.Counter(memset=0), 0
    for shard in read_bundle(bundle):
        for event in shard.events:
            if event.kind == KERNEL:
                kernels[demangle(event.name)] += 1
                kernel_ns += event.end_ns - event.start_ns
            elif event.kind == COPY:
                pageable = event.flags & (SRC_PAGEABLE | DST_PAGEABLE)
                copies[DIRECTIONS.get(event.detail, "?") + ("*" if pageable else "")] += 1
            elif event.kind == MEMSET:
                memsets["memset"] += 1
    return kernels, copies, memsets, kernel_ns


def compare(what, mine, their):
    different = [name for name in mine.keys() | their.keys() if mine[name] != their[name]]
    for name in sorted(different, key=lambda name: -abs(mine[name] - their[name]))[:10]:
        print(f"FAILED {what}: {mine[name]} captured, {their[name]} by PyTorch: {name[:150]}")
    if not different:
        print(f"ok {what}: {sum(mine.values())}, {len(mine)} names")
    return not different


def main():
    demangle = demangler()
    good, times, pairs = True, ([], []), sys.argv[1:]
    for counts, bundle in zip(pairs[::2], pairs[1::2]):
        their, mine = theirs(counts, demangle), ours(bundle, demangle)
        if not mine[0]:
            print(f"FAILED: no kernels in {bundle}")
            good = False
        for what, a, b in zip(("kernels", "copies", "memsets"), mine, their):
            good = compare(what, a, b) and good
        times[0].append(mine[3])
        times[1].append(their[3])
    captured, profiled = (statistics.median(values) for values in times)
    difference = captured / profiled - 1
    within = abs(difference) <= TOLERANCE
    print(f"{'ok' if within else 'FAILED'} kernel time: {captured / 1e6:.3f} ms captured, {profiled / 1e6:.3f} ms by PyTorch, "
          f"{difference:+.2%} ({len(times[0])} runs of each: {[round(t / 1e6, 3) for t in times[0]]}, "
          f"{[round(t / 1e6, 3) for t in times[1]]})")
    return 0 if good and within else 1


if __name__ == "__main__":
    sys.exit(main())
