#!/usr/bin/env python3
"""Does cpprof judge rules as somebody would who counts by hand?

    tests/oracle/rule_oracle.py CPPROF [--traces N] [--rules N] [--seed N] [--seconds N] [--keep FOLDER]
    tests/oracle/rule_oracle.py CPPROF --only TRACE_SEED    one trace again, by the seed that a complaint names

Random traces of one or several ranks are written as Chrome JSON or as CSV of
nsys, exact or rounded; random rules are judged on them by `cpprof check` and
here, from docs/rules.md and docs/overlap.md alone: by counting what is active
between neighbouring moments, with whole numbers and fractions. On exact times
every row must agree. On rounded ones the true times decide, and so they do
where work lasts across later kernels of its stream: a rule may be inconclusive
or vacuous there, and never wrong. A mismatch is kept and ends the test with 1.
"""
import argparse
import collections
import fractions
import fnmatch
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

from trace_writer import COPY_NAMES, Row as Event, is_work, write_kineto, write_nsys_csv

F = fractions.Fraction
KERNEL_NAMES = ["gemm", "tile", "ncclAllReduce", "x"]
INT64_MAX = 2**63 - 1
FAR_NS = 2**61
COMM = re.compile("nccl")


# ---- what is true ----

def class_takes(word, event):
    if word == "any":
        return is_work(event)
    if word == "copy":
        return event.kind in ("h2d", "d2h", "d2d")
    if word == "comm":
        return event.kind == "kernel" and bool(COMM.search(event.name))
    if word == "compute":
        return event.kind == "kernel" and not COMM.search(event.name)
    return event.kind == word


class Selector:
    def __init__(self, rng, ranks):
        words = ["kernel"] * 4 + ["copy"] * 2 + ["h2d", "d2h", "d2d", "memset", "any", "any", "comm", "compute", "api"]
        self.word = rng.choice(words)
        self.filters = []
        if rng.random() < 0.4:
            options = ["stream", "device", "name", "name~", "nvtx"] + ["rank"] * ranks
            key = rng.choice(options if self.word != "api" else ["name", "nvtx"])
            value = {"stream": lambda: rng.choice([7, 8, 9]), "device": lambda: rng.randrange(2),
                     "rank": lambda: rng.randrange(3), "name": lambda: rng.choice(["gemm", "t*", "x", "[gt]*", "cuda*", "cudaMemcpy*", "cudaLaunch*"]),
                     "name~": lambda: rng.choice(["^ge|ti", "m$", "e", "(l|m)+", "cl.ll"]),
                     "nvtx": lambda: rng.choice(["step", "st*", "load"]) + rng.choice(["", "", "@thread"])}[key]()
            self.filters.append((key, value))
        self.is_bare = not self.filters and self.word not in ("comm", "compute")
        self.by_range = any(key == "nvtx" for key, _ in self.filters)
        self.of_host = self.word == "api"

    def text(self):
        parts = [f'{"name=~" if key == "name~" else key + "="}' + (f'"{value}"' if key[0] == "n" else str(value))
                 for key, value in self.filters]
        return self.word + (f"[{', '.join(parts)}]" if parts else "")

    def only_work(self):
        """All names that it takes have a word of calls that launch, copy, set or wait, and none is a host function's."""
        return any(key == "name" and value == "cudaMemcpy*" for key, value in self.filters)

    def takes(self, event, trace):
        if not class_takes(self.word, event):
            return False
        for key, value in self.filters:
            if key == "name" and not fnmatch.fnmatchcase(event.name, value):
                return False
            if key == "name~" and not re.search(value, event.name):
                return False
            if key == "nvtx" and not trace.in_range(event, value):
                return False
            if key in ("stream", "device", "rank") and getattr(event, key) != value:
                return False
        return True


def segments(sets):
    """(length, how many of each set are active) between neighbouring moments."""
    moments = sorted({moment for events in sets for e in events for moment in (e.start, e.end)})
    changes = [collections.Counter() for _ in sets]
    for change, events in zip(changes, sets):
        for e in events:
            if e.end > e.start:
                change[e.start] += 1
                change[e.end] -= 1
    active = [0] * len(sets)
    out = []
    for here, there in zip(moments, moments[1:]):
        active = [count + change[here] for count, change in zip(active, changes)]
        out.append((there - here, tuple(active)))
    return out


def busy(a):
    return sum(length for length, (n,) in segments([a]) if n)


def hidden(a, b):
    return sum(length for length, (n, m) in segments([a, b]) if n and m)


def gap_max(a):
    longest, gap, seen = 0, 0, False
    for length, (n,) in segments([a]):
        if n:
            longest, gap, seen = max(longest, gap), 0, True
        elif seen:
            gap += length
    return longest


def concurrency(a):
    return max((n for _, (n,) in segments([a])), default=0)


def alternations(a, b):
    both = set(map(id, a)) & set(map(id, b))
    order = sorted([(e.start, 0) for e in a if id(e) not in both] + [(e.start, 1) for e in b if id(e) not in both])
    return sum(x[1] != y[1] for x, y in zip(order, order[1:]))


def violations(a):
    count = 0
    until = {}
    for e in sorted(a, key=lambda e: e.start):
        lane = (e.device, e.stream if is_work(e) else e.thread)
        count += e.start < until.get(lane, e.start)
        until[lane] = max(until.get(lane, e.end), e.end)
    return count


def quantile(values, share):
    values = sorted(values)
    place = share * (len(values) - 1)
    low = int(place)
    return values[low] + (place - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def starters(trace, a):
    return [(e, call) for e in a if (call := trace.call_of(e))]


def launches(trace, a, share):
    calls = {(call.rank, call.corr): call for _, call in starters(trace, a)}
    return quantile([c.end - c.start for c in calls.values()], share) if calls else None


def queues(trace, a, share):
    waits = [e.start - call.start for e, call in starters(trace, a)]
    return quantile(waits, share) if waits else None


def idle(a):
    span = max(e.end for e in a) - min(e.start for e in a)
    return 1 - F(busy(a), span) if span else None


# name: operands, unit, value(trace, a, b)
FUNCTIONS = {
    "overlap": (2, "ratio", lambda t, a, b: F(hidden(a, b), busy(a)) if busy(a) else None),
    "overlap_ns": (2, "ns", lambda t, a, b: hidden(a, b)),
    "exposed": (2, "ns", lambda t, a, b: busy(a) - hidden(a, b)),
    "busy": (1, "ns", lambda t, a, b: busy(a)),
    "idle": (0, "ratio", lambda t, a, b: idle(a)),
    "gap_max": (1, "ns", lambda t, a, b: gap_max(a)),
    "count": (1, "count", lambda t, a, b: len(a)),
    "bytes": (1, "bytes", lambda t, a, b: min(sum(e.bytes for e in a), INT64_MAX)),
    "concurrency": (1, "count", lambda t, a, b: concurrency(a)),
    "alternations": (2, "count", lambda t, a, b: alternations(a, b)),
    "dur_p50": (1, "ns", lambda t, a, b: quantile([e.end - e.start for e in a], F(1, 2))),
    "dur_p99": (1, "ns", lambda t, a, b: quantile([e.end - e.start for e in a], F(99, 100))),
    "launch_p50": (1, "ns", lambda t, a, b: launches(t, a, F(1, 2))),
    "launch_p99": (1, "ns", lambda t, a, b: launches(t, a, F(99, 100))),
    "queue_p50": (1, "ns", lambda t, a, b: queues(t, a, F(1, 2))),
    "queue_p99": (1, "ns", lambda t, a, b: queues(t, a, F(99, 100))),
    "serial": (1, "count", lambda t, a, b: violations(a)),
    "before": (2, "ns", lambda t, a, b: max(e.end for e in a) - min(e.start for e in b)),
}
PREDICATES = ("serial", "before")
TOTALS = ("count", "bytes")
JOINING = ("launch_p50", "launch_p99", "queue_p50", "queue_p99")
ORDERED = ("serial", "alternations")
COMPARISONS = {">=": lambda a, b: a >= b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b,
               "<": lambda a, b: a < b, "==": lambda a, b: a == b, "!=": lambda a, b: a != b}


class Term:
    def __init__(self, name, operands, factor=F(1)):
        self.name, self.operands, self.factor = name, operands, factor
        self.needs = operands if operands else [idle_operand]

    def text(self):
        head = "" if self.factor == 1 else f"{decimal(self.factor)} * "
        return f"{head}{self.name}({', '.join(s.text() for s in self.operands)})"

    def is_total(self):
        return self.name in TOTALS

    def sets(self, trace, place):
        return [trace.select(s, place) for s in self.needs]

    def value(self, trace, sets):
        got = FUNCTIONS[self.name][2](trace, sets[0], sets[1] if len(sets) > 1 else None)
        return None if got is None else self.factor * got


class Everything(Selector):
    def __init__(self):
        self.word, self.filters, self.by_range, self.of_host, self.is_bare = "any", [], False, False, True


idle_operand = Everything()


class Number:
    def __init__(self, value, text):
        self.number, self.words, self.needs, self.name = value, text, [], ""

    def text(self):
        return self.words

    def is_total(self):
        return True

    def value(self, trace, sets):
        return self.number

    def sets(self, trace, place):
        return []


def decimal(value):
    """Exact, in as many digits as it takes; of halves, fifths and their powers."""
    sign = "-" if value < 0 else ""
    whole, rest = divmod(abs(value), 1)
    digits = ""
    while rest:
        digit, rest = divmod(rest * 10, 1)
        digits += str(digit)
    return f"{sign}{whole}{'.' if digits else ''}{digits}"


class Trace:
    def __init__(self, events, ranges):
        self.events, self.ranges = events, ranges
        self.scope = events
        self.ranks = {e.rank for e in events + ranges} # that the scope asks about
        self.calls = {}
        for e in sorted(events, key=lambda e: e.start):
            if e.kind == "api" and e.corr:
                self.calls.setdefault((e.rank, e.corr), e)

    def call_of(self, event):
        return self.calls.get((event.rank, event.corr)) if is_work(event) and event.corr else None

    def in_range(self, event, pattern):
        name, own, _ = pattern.partition("@thread")
        host = self.call_of(event) if is_work(event) else event
        return bool(host) and any(r.rank == host.rank and (r.thread == host.thread or not own) and
                                  r.start <= host.start < r.end and fnmatch.fnmatchcase(r.name, name)
                                  for r in self.ranges)

    def places(self):
        return sorted({(e.rank, e.device) for e in self.scope})

    def select(self, selector, place):
        return [e for e in self.scope if (place is None or (e.rank, e.device) == place) and selector.takes(e, self)]

    def has_false_times(self):
        """Work of a stream lasts across two later kernels of it: one of their times cannot be so."""
        own = sorted((e for e in self.events if is_work(e) and e.end > e.start), key=lambda e: e.start)
        return any(sum(k.kind == "kernel" and k.end <= around.end and
                       (k.rank, k.device, k.stream) == (around.rank, around.device, around.stream)
                       for k in own[place + 1:]) >= 2 for place, around in enumerate(own))

    def has_unlaunched(self):
        return any(is_work(e) and not self.call_of(e) for e in self.scope)

    def has_ranges(self, rank):
        return any(r.rank == rank for r in self.ranges)

    def has_calls(self, rank):
        return any(e.kind == "api" and e.rank == rank for e in self.events)

    def has_other_calls(self, rank):
        return any(e.kind == "api" and e.rank == rank and e.name == OTHER_CALL for e in self.events)

    def filter(self, options):
        first = {}
        for e in self.events + self.ranges:
            first[e.rank] = min(first.get(e.rank, e.start), e.start)
        kept, seen = [], collections.Counter()
        for e in sorted(self.events, key=lambda e: e.start):
            if options["window"] and not options["window"][0] <= e.start - first[e.rank] < options["window"][1]:
                continue
            if options["ranks"] and e.rank not in options["ranks"]:
                continue
            if is_work(e) and (options["streams"] and e.stream not in options["streams"] or
                               options["devices"] and e.device not in options["devices"]):
                continue
            if e.kind == "kernel":
                seen[e.name, e.rank, e.device] += 1
                if seen[e.name, e.rank, e.device] <= options["skip"]:
                    continue
            kept.append(e)
        self.scope = kept
        self.ranks = {rank for rank in self.ranks if not options["ranks"] or rank in options["ranks"]}


# ---- what is expected of a rule ----

def blind(trace, term, place, more_is_fine):
    """A pass that the trace has no ground for."""
    if term.name in JOINING and not term.needs:
        return False
    for s in term.needs:
        ranks = {place[0]} if place else trace.ranks if s.of_host else {e.rank for e in trace.scope if is_work(e)}
        for rank in ranks:
            host = trace.has_calls(rank) or trace.has_ranges(rank)
            if s.of_host and not trace.has_calls(rank):
                return True
            if (s.of_host and not trace.has_other_calls(rank) and not more_is_fine
                    and (not trace.select(s, place) or not s.only_work())):
                return True # a call of that name may not have been asked for
            if s.by_range and (not host and s.of_host or host and not trace.has_ranges(rank)):
                return True
        if s.by_range and (not s.of_host and trace.has_unlaunched() or
                           all(not trace.call_of(e) for e in trace.scope if is_work(e))):
            return True
    return False


EQUAL = F(1, 2**51)


def holds(comparison, left, right):
    """None where a double may say either."""
    apart, scale = abs(left - right), max(abs(left), abs(right))
    if apart and apart <= 64 * EQUAL * scale:
        return None
    return COMPARISONS[comparison](left, right)


def judge_at(trace, rule, place):
    left, comparison, right = rule
    value, threshold = left.value(trace, left.sets(trace, place)), right.value(trace, right.sets(trace, place))
    if value is None or threshold is None:
        return {"vacuous"}
    verdict = holds(comparison, value, threshold)
    outcomes = set()
    if verdict in (True, None):
        more_is_fine = left.is_total() and isinstance(right, Number) and comparison in (">=", ">")
        weak = blind(trace, left, place, more_is_fine) or blind(trace, right, place, more_is_fine)
        outcomes.add("inconclusive" if weak else "pass")
    if verdict in (False, None):
        outcomes.add("fail")
    return outcomes


def is_all_exposed(trace, term, place):
    """Nothing runs beside A on a known device without B; that B is anywhere, where it names some of a kind."""
    b = term.operands[1]
    here = all(place[("rank", "device").index(key)] == value for key, value in b.filters if key in ("rank", "device"))
    return place[1] >= 0 and not b.of_host and here and (b.is_bare or bool(trace.select(b, None)))


def occurs(trace, term, place):
    if term.name == "exposed" and not term.sets(trace, place)[1] and is_all_exposed(trace, term, place):
        return bool(term.sets(trace, place)[0])
    if term.is_total():
        return place is None or place[1] < 0 or not any(s.of_host for s in term.needs)
    return all(term.sets(trace, place))


def expected(trace, rule):
    """{(rank, device): statuses that are right}; the place None is anywhere."""
    left, _, right = rule
    if not any(is_work(e) for e in trace.scope):
        return {None: {"vacuous"}}
    if left.is_total() and right.is_total():
        return {None: judge_at(trace, rule, None)}
    rows = {place: judge_at(trace, rule, place) for place in trace.places()
            if occurs(trace, left, place) and occurs(trace, right, place)}
    return rows or {None: {"vacuous"}}


# ---- random rules ----

def threshold_near(rng, unit, near):
    """A number that decides something, with its text."""
    if unit == "ratio":
        percent = F(rng.choice([0, 10, 25, 33, 50, 57, 75, 90, 100])) if near is None or rng.random() < 0.5 \
            else F(round(near * 1000), 10)
        return percent / 100, decimal(percent) + "%"
    base = F(rng.randrange(0, 400)) if near is None else F(near)
    value = int(base) + rng.choice([0, 0, 0, 1, -1, 2, 10, -10, rng.randrange(-50, 50)])
    if rng.random() < 0.05:
        value = rng.choice([INT64_MAX, 0, 2**53 + 1])
    value = max(value, 0)
    if unit == "ns":
        return (F(value), f"{value} ns") if rng.random() < 0.7 else (F(value), decimal(F(value, 1000)) + " us")
    return F(value), f"{value}" if unit == "count" or rng.random() < 0.5 else f"{value} B"


def random_term(rng, name, ranks):
    return Term(name, [Selector(rng, ranks) for _ in range(FUNCTIONS[name][0])])


def random_rule(rng, trace, ranks, with_order):
    names = [n for n in FUNCTIONS if with_order or n not in ORDERED]
    left = random_term(rng, rng.choice(names), ranks)
    if left.name in PREDICATES:
        return (left, "<=", Number(F(0), ""))
    comparison = rng.choice(list(COMPARISONS))
    unit = FUNCTIONS[left.name][1]
    if rng.random() < 0.2:
        same = [n for n in names if FUNCTIONS[n][1] == unit and n not in PREDICATES]
        right = random_term(rng, rng.choice(same), ranks)
        right.factor = rng.choice([F(1), F(1, 2), F(2), F(97, 100), F(5, 4)])
        return (left, comparison, right)
    near = None
    for place in trace.places():
        if occurs(trace, left, None if left.is_total() else place):
            near = left.value(trace, left.sets(trace, None if left.is_total() else place))
    if near is not None and near < 0:
        near = None
    value, text = threshold_near(rng, unit, near)
    return (left, comparison, Number(value, text))


def text_of(rule):
    left, comparison, right = rule
    return left.text() if left.name in PREDICATES else f"{left.text()} {comparison} {right.text()}"


# ---- random traces ----

OTHER_CALL = "cudaGetDevice" # neither launches nor copies nor sets nor waits

def random_events(rng, rank, base, step, unique, extreme):
    """Work on two devices and three streams, with the calls that started most of it."""
    span = rng.choice([40, 200, 1000]) * step
    starts = set()

    def start():
        while True:
            at = rng.randrange(span)
            if not unique or at not in starts:
                starts.add(at)
                return base + at

    events, ranges = [], []
    devices = rng.choice([1, 1, 2])
    count, corr = rng.randrange(1, 14), 0
    with_calls, lost = rng.random() < 0.8, rng.random() < 0.2
    for _ in range(count):
        kind = rng.choice(["kernel"] * 4 + ["h2d", "d2h", "d2d", "memset"])
        at = start()
        length = rng.choice([0, rng.randrange(1, 6) * step, rng.randrange(span // 2 + 1), rng.randrange(step + 1)])
        corr += 1
        size = rng.choice([0, 1, 4096, rng.randrange(1 << 30)] + ([INT64_MAX // 3, INT64_MAX - 1] if extreme else []))
        work = Event(kind, at, at + length, rng.randrange(devices), rng.choice([7, 8, 9]),
                     rng.choice(KERNEL_NAMES) if kind == "kernel" else COPY_NAMES[kind][0], rank,
                     corr, 0 if kind == "kernel" else size, 0)
        events.append(work)
        if with_calls and not (lost and rng.random() < 0.3):
            before = at - rng.randrange(3 * step, 30 * step)
            name = "cudaLaunchKernel" if kind == "kernel" else "cudaMemcpyAsync" if kind != "memset" else "cudaMemsetAsync"
            events.append(Event("api", before, before + rng.randrange(1, 5 * step), -1, 0, name, rank, corr, 0,
                                rng.choice([1, 2])))
    for _ in range(rng.randrange(3) if with_calls else 0):
        corr += 1
        at = base + rng.randrange(-20 * step, span)
        events.append(Event("api", at, at + rng.randrange(1, 5 * step), -1, 0, OTHER_CALL, rank, corr, 0,
                            rng.choice([1, 2])))
    for _ in range(rng.randrange(3) if with_calls else 0):
        at = base + rng.randrange(-20 * step, span)
        ranges.append(Event("nvtx", at, at + rng.randrange(1, span), -1, 0, rng.choice(["step", "load"]), rank, 0, 0,
                            rng.choice([1, 2])))
    return events, ranges


# ---- one trace, its rules, and cpprof ----

def random_case(rng, folder):
    step = rng.choice([1, 1, 1, 10, 100, 1000])
    is_csv = rng.random() < 0.35
    ranks = rng.choice([1, 1, 2, 3])
    unique = rng.random() < 0.75
    extreme = not is_csv and rng.random() < 0.15
    base = rng.choice([0, 10**6, 1727743122000000000]) if not extreme else rng.choice([-FAR_NS + 10**6, FAR_NS - 10**7])
    base = base // step * step
    events, ranges, paths = [], [], []
    for rank in range(ranks):
        own, spans = random_events(rng, rank if ranks > 1 else -1, base, step, unique, extreme)
        if is_csv:
            own, spans = [e for e in own if is_work(e)], []
            own = [e._replace(name=COPY_NAMES[e.kind][1]) if e.kind != "kernel" else e for e in own]
        path = os.path.join(folder, f"rank{rank}.{'csv' if is_csv else 'json'}")
        write_nsys_csv(path, own, step) if is_csv else write_kineto(path, own + spans, step)
        events, ranges, paths = events + own, ranges + spans, paths + [path]
    return Trace(events, ranges), paths, step, ranks, unique


def random_scope(rng, step, unique, ranks):
    options = {"window": None, "streams": set(), "devices": set(), "ranks": set(), "skip": 0}
    words = []
    if rng.random() < 0.6:
        return options, words
    if step == 1 and rng.random() < 0.5:
        low = rng.randrange(0, 150)
        options["window"] = (low, low + rng.randrange(1, 800))
        words += ["--window", f"{low}ns:{options['window'][1]}ns"]
    for key, option, values in (("streams", "--stream", [7, 8, 9]), ("devices", "--device", [0, 1]),
                                ("ranks", "--rank", list(range(ranks)) if ranks > 1 else [])):
        if values and rng.random() < 0.3:
            value = rng.choice(values)
            options[key].add(value)
            words += [option, str(value)]
    if unique and step == 1 and rng.random() < 0.4:
        options["skip"] = rng.randrange(1, 3)
        words += ["--skip-first", str(options["skip"])]
    return options, words


def ask(program, paths, words, rules):
    command = [program, "check", *paths, *words, "--format", "json"]
    for rule in rules:
        command += ["--assert", text_of(rule)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode not in (0, 1, 3, 5) or not done.stdout:
        raise AssertionError(f"{' '.join(command)}\nexit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def rows_by_rule(answer, rules):
    """The rows of each rule, in the order of the rules: equal texts stand behind one another."""
    rows = answer["results"] if "results" in answer else answer["assertions"]
    out, at = [], 0
    for rule in rules:
        text, own = text_of(rule), {}
        while at < len(rows) and rows[at]["rule"] == text:
            rank, device = rows[at]["rank"], rows[at]["device"]
            place = None if rank is None and device is None else (-1 if rank is None else rank, -1 if device is None else device)
            if place in own:
                break
            own[place] = rows[at]
            at += 1
        out.append(own)
    return out


def compare(rule, wanted, got, is_open):
    """Decisions, those that were made, and what is wrong with them."""
    wrong, decided = [], 0
    if not is_open and set(wanted) != set(got) and not (set(wanted) == {(-1, -1)} and set(got) == {None}):
        return 1, 0, [f"judged at {sorted(map(str, got))} instead of {sorted(map(str, wanted))}"]
    for place, row in got.items():
        right = wanted.get(place, wanted.get((-1, -1)) if place is None else None)
        status = row["status"]
        if right is None and is_open:
            continue
        allowed = right | ({"inconclusive", "vacuous"} if is_open else set())
        decided += status in ("pass", "fail")
        if status not in allowed:
            wrong.append(f"at {place}: {status} ({row['value']} against {row['threshold']}; {row['reason']}) "
                         f"instead of {' or '.join(sorted(allowed))}")
    return len(got), decided, wrong


def run_case(program, seed, rule_count, folder):
    rng = random.Random(seed)
    trace, paths, step, ranks, unique = random_case(rng, folder)
    if not any(is_work(e) for e in trace.events):
        return 0, 0, []
    options, words = random_scope(rng, step, unique, ranks)
    is_open = step > 1 or trace.has_false_times()
    trace.filter(options)
    rules = [random_rule(rng, trace, ranks > 1, unique) for _ in range(rule_count)]
    rules = list({text_of(rule): rule for rule in rules}.values())
    answer = ask(program, paths, words, rules)
    asked, decided, wrong = 0, 0, []
    for rule, got in zip(rules, rows_by_rule(answer, rules)):
        n, d, complaints = compare(rule, expected(trace, rule), got, is_open)
        asked, decided = asked + n, decided + d
        wrong += [f"seed {seed}, step {step} ns, {' '.join(words)}: {text_of(rule)}: {c}" for c in complaints]
    return asked, decided, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("program")
    parser.add_argument("--traces", type=int, default=150)
    parser.add_argument("--rules", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0, help="as many traces as that takes; 0: --traces")
    parser.add_argument("--only", type=int, help="the seed of one trace, as complaints name it")
    parser.add_argument("--keep", help="a folder for traces that were judged wrong")
    o = parser.parse_args()
    asked = decided = traces = 0
    wrong, begin = [], time.monotonic()
    if o.only is not None:
        o.traces, o.seconds = 1, 0
    while (time.monotonic() - begin < o.seconds if o.seconds else traces < o.traces) and len(wrong) < 20:
        seed = o.seed * 10**7 + traces if o.only is None else o.only
        with tempfile.TemporaryDirectory() as folder:
            n, d, complaints = run_case(o.program, seed, o.rules, folder)
            if complaints and o.keep:
                shutil.copytree(folder, os.path.join(o.keep, str(seed)), dirs_exist_ok=True)
        asked, decided, traces, wrong = asked + n, decided + d, traces + 1, wrong + complaints
    for complaint in wrong:
        print(complaint)
    print(f"{traces} traces, {asked} decisions asked, {decided} made, {len(wrong)} wrong, {time.monotonic() - begin:.0f} s")
    return 1 if wrong or (o.only is None and decided * 3 < asked) else 0


if __name__ == "__main__":
    sys.exit(main())
