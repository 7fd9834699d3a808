"""Does a Perfetto trace keep the rules of its format, and does it hold what the Chrome trace of the same input holds?

    perfetto_rules.py FILE.pftrace[.gz] CHROME.json [GAPS.json] [CHECK.json] [inside_series.csv]

It decodes the file by itself. Every field must be known, every number must lead to a text or a track that was described
before, slices of a track must nest and end, and slices, arguments and arrows must be those of CHROME.json. Counters must
add up to the time and the bytes of the slices, gaps to the answer of 'cpprof gaps --format json', and broken rules must
lie where 'cpprof check --format json' says. Samples must be those of the first launch of each arm in inside_series.csv."""
import csv
import gzip
import json
import struct
import sys
from collections import Counter, defaultdict

VARINT, FIXED64, BYTES = 0, 1, 2
SLICE_BEGIN, SLICE_END, INSTANT, COUNTER = 1, 2, 3, 4

# Of each message, its fields: a name, and "int", "fixed", "double", "text", or the message in it; * for repeated.
MESSAGES = {
    "trace": {1: ("packets*", "packet")},
    "packet": {
        6: ("clocks", "clocks"),
        8: ("timestamp", "int"),
        10: ("sequence", "int"),
        11: ("event", "event"),
        12: ("interned", "interned"),
        13: ("flags", "int"),
        59: ("defaults", "defaults"),
        60: ("track", "track"),
        87: ("first", "int"),
    },
    "clocks": {1: ("clock*", "clock"), 2: ("primary", "int")},
    "clock": {1: ("id", "int"), 2: ("time", "int")},
    "defaults": {58: ("clock", "int")},
    "interned": {1: ("category*", "text_of"), 2: ("name*", "text_of"), 3: ("key*", "text_of"), 29: ("value*", "text_of")},
    "text_of": {1: ("iid", "int"), 2: ("text", "text")},
    "track": {
        1: ("uuid", "int"),
        2: ("name", "text"),
        3: ("process", "process"),
        5: ("parent", "int"),
        8: ("counter", "counter"),
        11: ("order", "int"),
        12: ("rank", "int"),
        14: ("description", "text"),
    },
    "process": {1: ("pid", "int"), 6: ("name", "text"), 8: ("labels*", "text")},
    "counter": {6: ("unit", "text")},
    "event": {
        3: ("category*", "int"),
        4: ("arguments*", "argument"),
        9: ("type", "int"),
        10: ("name", "int"),
        11: ("track", "int"),
        44: ("value", "double"),
        47: ("flows*", "fixed"),
    },
    "argument": {1: ("key", "int"), 4: ("whole", "int"), 12: ("array*", "argument"), 17: ("value", "int")},
}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            if byte == 0 and shift > 7:
                raise ValueError("a varint is longer than it must be")
            if value >= 1 << 64:
                raise ValueError("a varint has more than 64 bits")
            return value, at


def signed(value):
    return value - (1 << 64) if value >= 1 << 63 else value


def decode_field(data, at, kind, wire):
    if kind == "int" and wire == VARINT:
        value, at = varint(data, at)
        return signed(value), at
    if kind in ("fixed", "double") and wire == FIXED64:
        return struct.unpack_from("<Q" if kind == "fixed" else "<d", data, at)[0], at + 8
    if kind in ("int", "fixed", "double") or wire != BYTES:
        raise ValueError(f"wire type {wire} for {kind}")
    length, at = varint(data, at)
    if at + length > len(data):
        raise ValueError("a length leads behind the end")
    piece = data[at : at + length]
    return (piece.decode("utf-8") if kind == "text" else decode(piece, kind)), at + length


def decode(data, message):
    found, at = {}, 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag >> 3 not in MESSAGES[message]:
            raise ValueError(f"field {tag >> 3} of {message} is not known")
        name, kind = MESSAGES[message][tag >> 3]
        value, at = decode_field(data, at, kind, tag & 7)
        if name.endswith("*"):
            found.setdefault(name[:-1], []).append(value)
        elif name in found:
            raise ValueError(f"{message} has two of {name}")
        else:
            found[name] = value
    return found


def is_unsafe(code):
    return code < 32 or 127 <= code < 160 or code in (0x2028, 0x2029) or 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069


def visible(text):
    """As utf8_add_visible: control characters are written out."""
    return "".join((f"\\x{ord(c):02x}" if ord(c) < 256 else f"\\u{{{ord(c):04x}}}") if is_unsafe(ord(c)) else c for c in text)


class Trace:
    def __init__(self, data):
        self.bad = []
        self.texts = {kind: {} for kind in ("category", "name", "key", "value")}
        self.tracks, self.open, self.last = {}, defaultdict(list), {}
        self.slices, self.flows, self.instants = [], Counter(), []
        self.counters = defaultdict(list)
        self.begin_ns = None
        for number, packet in enumerate(decode(data, "trace")["packets"]):
            self.take_packet(number, packet)
        self.bad += [f"{self.path(t)}: {len(s)} slices do not end" for t, s in self.open.items() if s]

    def complain(self, text):
        self.bad.append(text)

    def take_packet(self, number, packet):
        first = {"first": 1, "flags": 1, "defaults": {"clock": 6}, "sequence": 1}
        expected = first if not number else {"flags": 2, "sequence": 1}
        state = {k: packet[k] for k in ("first", "flags", "defaults", "sequence") if k in packet}
        if state != expected:
            self.complain(f"packet {number} has {state}")
        for kind, entries in packet.get("interned", {}).items():
            for entry in entries:
                if entry["iid"] in self.texts[kind] or entry["iid"] < 1:
                    self.complain(f"{kind} {entry['iid']} is written twice")
                self.texts[kind][entry["iid"]] = self.safe(entry["text"])
        if "track" in packet:
            self.take_track(packet["track"])
        if "event" in packet:
            self.take_event(packet["event"], packet["timestamp"])

    def safe(self, text):
        if any(is_unsafe(ord(c)) for c in text):
            self.complain(f"{text!r} has control characters")
        return text

    def take_track(self, track):
        siblings = [t for t in self.tracks.values() if t.get("parent") == track.get("parent") and "process" not in t]
        name = track.get("name", track.get("process", {}).get("name"))
        if track["uuid"] in self.tracks or track["uuid"] < 1:
            self.complain(f"track {track['uuid']} is described twice")
        if "parent" in track and track["parent"] not in self.tracks:
            self.complain(f"track {track['uuid']} has no parent")
        if any(t["name"] == name for t in siblings if "process" not in track):
            self.complain(f"two tracks beside one another are both {name!r}")
        if "process" in track and track["process"]["pid"] in [
            t["process"]["pid"] for t in self.tracks.values() if "process" in t
        ]:
            self.complain(f"two processes have the number {track['process']['pid']}")
        if "process" in track and track["process"]["pid"] < 1:
            self.complain("a process has a number below 1")
        if "counter" in track and not track["counter"].get("unit"):
            self.complain(f"counter {name!r} has no unit")
        self.tracks[track["uuid"]] = dict(track, name=self.safe(name))

    def path(self, uuid):
        track = self.tracks[uuid]
        return (self.path(track["parent"]) if "parent" in track else ()) + (track["name"],)

    def value(self, argument):
        if "array" in argument:
            return tuple(self.value(a) for a in argument["array"])
        return argument["whole"] if "whole" in argument else self.texts["value"][argument["value"]]

    def take_event(self, event, at):
        uuid, kind = event["track"], event["type"]
        if uuid not in self.tracks:
            return self.complain(f"an event stands on track {uuid}, which nobody described")
        if ("counter" in self.tracks[uuid]) != (kind == COUNTER):
            self.complain(f"event {kind} stands on {self.path(uuid)}")
        if at < self.last.get(uuid, 0):
            self.complain(f"{self.path(uuid)}: {at} ns comes behind {self.last[uuid]} ns")
        self.last[uuid] = at
        if kind == COUNTER:
            self.counters[uuid].append((at, event["value"]))
        elif kind == SLICE_END:
            self.end_slice(uuid, at)
        else:
            self.begin(uuid, kind, event, at)

    def begin(self, uuid, kind, event, at):
        arguments = {self.texts["key"][a["key"]]: self.value(a) for a in event.get("arguments", [])}
        if len(arguments) != len(event.get("arguments", [])):
            self.complain(f"an argument stands twice at {at} ns")
        name = self.texts["name"][event["name"]]
        (category,) = [self.texts["category"][c] for c in event["category"]]
        for flow in event.get("flows", []):
            self.flows[(flow, self.path(uuid), at)] += 1
        if kind == INSTANT:
            self.instants.append((category, name, arguments))
        else:
            self.open[uuid].append((category, name, at, arguments))

    def end_slice(self, uuid, at):
        if not self.open[uuid]:
            return self.complain(f"{self.path(uuid)}: nothing is open at {at} ns")
        category, name, begin, arguments = self.open[uuid].pop()
        self.slices.append((self.path(uuid), category, name, begin, at - begin, arguments))


def nanoseconds(us):
    return round(us * 1000)


def freeze(arguments):
    return tuple(sorted((k, tuple(v) if isinstance(v, list) else v) for k, v in arguments.items()))


def in_nanoseconds(arguments):
    """Lanes of the inside have two arguments in us in JSON."""
    return {
        (k[:-2] + "ns" if k.endswith(" us") else visible(k)): nanoseconds(v) if k.endswith(" us") else v
        for k, v in arguments.items()
    }


def chrome_rows(trace):
    names = {}
    for row in trace["traceEvents"]:
        if row["ph"] == "M" and row["name"] in ("process_name", "thread_name"):
            names[(row["name"], row["pid"], row["tid"] if row["name"] == "thread_name" else 0)] = row["args"]["name"]
    slices, arrows = Counter(), Counter()
    for row in trace["traceEvents"]:
        if row["ph"] == "M":
            continue
        process = next(v for k, v in names.items() if k[0] == "process_name" and k[1] == row["pid"])
        path = (visible(process), visible(names[("thread_name", row["pid"], row["tid"])]))
        if row["ph"] == "X":
            args = {k: visible(v) if isinstance(v, str) else v for k, v in in_nanoseconds(row["args"]).items()}
            slices[
                (path, row["cat"], visible(row["name"]), nanoseconds(row["ts"]), nanoseconds(row["dur"]), freeze(args))
            ] += 1
        else:
            arrows[(row["id"], path, nanoseconds(row["ts"]))] += 1
    return slices, arrows


def differences(what, ours, theirs):
    for item, count in ((ours - theirs) + (theirs - ours)).items():
        yield f"{what} {item}: {ours[item]} in the one, {theirs[item]} in the other ({count})"


def check_slices(trace, slices):
    ours = Counter()
    for path, category, name, begin, length, arguments in trace.slices:
        arguments = dict(arguments)
        length = arguments.pop("real duration ns", length)
        if category not in ("gap", "broken rule"):
            ours[(path, category, name, begin, length, freeze(arguments))] += 1
    return list(differences("slice", ours, slices))


def union(intervals):
    total, until = 0, None
    for begin, end in sorted(intervals):
        if until is None or begin > until:
            until = begin
        total += max(0, end - until)
        until = max(until, end)
    return total


WORK = ("kernel", "gpu_memcpy", "gpu_memset", "gpu_migration")


def integral(values):
    return sum(value * (after[0] - at) for (at, value), after in zip(values, values[1:]))


def check_counters(trace, slices):
    bad, seen = [], 0
    for uuid, values in trace.counters.items():
        path = trace.path(uuid)
        if values[-1][1] != 0:
            bad.append(f"{path} does not end at 0")
        if path[0].startswith("samples of "):
            continue
        rows = [(r, n) for r, n in slices.items() if r[0][0] == path[0] and r[1] in WORK]
        if path[1] == "busy":
            expected = 100 * union([(r[3], r[3] + r[4]) for r, _ in rows])
        else:
            direction = path[1].split()[1]
            copies = [(dict(r[5]), n) for r, n in rows if r[1] == "gpu_memcpy" and dict(r[5]).get("direction") == direction]
            expected = sum(args.get("bytes", 0) * n for args, n in copies)
        if abs(integral(values) - expected) > 1e-6 * expected + 1e-6:
            bad.append(f"{path}: {integral(values)} instead of {expected}")
        if any(value < 0 or (path[1] == "busy" and value > 100) for _, value in values):
            bad.append(f"{path} has impossible values")
        seen += 1
    work = {r[0][0] for r in slices if r[1] in WORK and r[4]}
    busy = {trace.path(uuid)[0] for uuid in trace.counters if trace.path(uuid)[-1] == "busy"}
    if work - busy and not is_launches_only(trace):
        bad.append(f"no counter for {work - busy}")
    return bad


SAMPLED = {
    "active": "SMs active",
    "issue": "issue",
    "tensor": "tensor",
    "fma": "fma",
    "xu": "xu",
    "l1_request": "L1 requests",
    "l1_fill": "L1 fills",
    "l2": "L2",
    "dram": "DRAM",
}


def expected_samples(path):
    """Of each counter, its values in %; behind the last one 0."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    first, expected = {}, {}
    for row in rows:
        arm = (row["variant"], row["shape"])
        if row["launch"] != first.setdefault(arm, row["launch"]):
            continue
        process = (f"samples of {visible(arm[0])}", f"{visible(arm[1])}, launch {row['launch']}")
        begin = int(row["begin_ns"])
        for column, name in SAMPLED.items():
            if row[column]:
                values = expected.setdefault((*process, name), [])
                values[-1:] = [(begin, 100 * float(row[column])), (begin + int(row["taken_ns"]), 0)]
    return expected


def written_samples(trace):
    written = {}
    for uuid, values in trace.counters.items():
        track = trace.tracks[uuid]
        process = trace.tracks[track["parent"]]
        if process["name"].startswith("samples of "):
            (labels,) = process["process"]["labels"]
            key = (process["name"], labels, track["name"])
            if key in written or track["counter"]["unit"] != "%":
                trace.complain(f"{key} is there twice, or not in %")
            written[key] = values
    return written


def check_samples(trace, path):
    written, expected = written_samples(trace), expected_samples(path) if path else {}
    for key in sorted(written.keys() ^ expected.keys()):
        yield f"{key} is {'not expected' if key in written else 'missing'}"
    for key in sorted(written.keys() & expected.keys()):
        pairs = list(zip(written[key], expected[key]))
        if len(written[key]) != len(expected[key]):
            yield f"{key} has {len(written[key])} values instead of {len(expected[key])}"
        elif wrong := [p for p in pairs if p[0][0] != p[1][0] or abs(p[0][1] - p[1][1]) > 1e-9 * p[1][1]]:
            yield f"{key} has {wrong[0][0]} instead of {wrong[0][1]}"


def is_launches_only(trace):
    return any("launches only" in arguments for category, _, arguments in trace.instants if category == "about")


def check_gaps(trace, gaps):
    ours = Counter()
    for path, category, name, _, length, _ in trace.slices:
        if category == "gap":
            ours[(path[0], name)] += length
    theirs = Counter()
    for device in gaps["traces"][0]["devices"]:
        rank, number = device.get("rank"), device.get("device")
        name = ("" if rank is None else f"rank {rank}: ") + ("GPU unknown" if number is None else f"GPU {number}")
        for cause in device["causes"]:
            theirs[(name, cause["cause"].replace("_", " "))] += cause["ns"]
    return list(differences("gap", +ours, +theirs))


def check_rules(trace, check):
    """Times of counterexamples count from another zero than those of the trace."""
    begin = next(a["begin ns"] for c, _, a in trace.instants if c == "about")
    ours = Counter((r["rule"], at + begin, length) for _, c, _, at, length, r in trace.slices if c == "broken rule")
    theirs = Counter(
        (visible(row["rule"]), x["start_ns"], x["length_ns"])
        for row in check["assertions"]
        if row["status"] == "fail"
        for x in row["counterexamples"]
    )
    return list(differences("broken rule", ours, theirs)) + ([] if theirs else ["no rule is broken"])


def main():
    with (gzip.open if sys.argv[1].endswith(".gz") else open)(sys.argv[1], "rb") as file:
        data = file.read()
    trace = Trace(data)
    bad = trace.bad
    with open(sys.argv[2], encoding="utf-8", newline="") as file:
        slices, arrows = chrome_rows(json.load(file))
    bad += check_slices(trace, slices)
    bad += differences("arrow", trace.flows, arrows)
    bad += check_counters(trace, slices)
    series = [path for path in sys.argv[3:] if path.endswith("inside_series.csv")]
    bad += check_samples(trace, series[0] if series else None)
    for path in [path for path in sys.argv[3:] if path not in series]:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        bad += check_rules(trace, document) if document["schema"] == "cpprof.check/1" else check_gaps(trace, document)
    if sum(c == "about" for c, _, _ in trace.instants) != 1:
        bad.append("nothing is said about the trace")
    for line in bad[:10]:
        print(f"{sys.argv[1]}: {line}")
    if not slices:
        print(f"{sys.argv[1]}: no slices")
    sys.exit(1 if bad or not slices else 0)


main()
