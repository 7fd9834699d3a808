"""Which events does a trace shard hold? The layouts are those of include/cpprof/shard.h and event.h."""
import struct
import warnings
import zlib
from typing import NamedTuple

import numpy as np

from .trouble import CpprofError, CpprofWarning

HEADER = struct.Struct("<8sIIIIiIqq")
CHUNK = struct.Struct("<IIQ")
HEADER_BYTES_MAX = RECORD_BYTES_MAX = 4096
STRINGS, EVENTS, DROPPED, END, OBJECT_NAMES, NAMES_LEFT_OUT = range(1, 7)
UNFINISHED = 1

EVENT = np.dtype([
    ("start_ns", "<i8"), ("end_ns", "<i8"), ("size_bytes", "<u8"), ("kind", "<u2"), ("flags", "<u2"), ("name", "<u4"),
    ("device", "<i2"), ("rank", "<i2"), ("context", "<u4"), ("stream", "<u4"), ("correlation", "<u4"),
    ("thread", "<u4"), ("grid", "<u4", (3,)), ("block", "<u2", (3,)), ("registers", "<u2"),
    ("shared_static_bytes", "<u4"), ("shared_dynamic_bytes", "<u4"), ("local_bytes", "<u4"), ("detail", "<u4"),
    ("graph_node", "<u8")])
assert (HEADER.size, CHUNK.size, EVENT.itemsize) == (48, 16, 96)

# What events() returns: the record with words for `kind`, `name` and `detail`, and what is known beside it.
RESOLVED = np.dtype([(name, {"kind": object, "name": object, "detail": object, "rank": np.int32}.get(name, EVENT[name]))
                     for name in EVENT.names] + [("process", np.uint32), ("duration_ns", np.float64)])

KINDS = (None, "kernel", "copy", "memset", "migration", "api", "sync", "range", "overhead")
COPIES = (None, "h2d", "d2h", "d2d", "p2p", "h2h")
DETAILS = { # by kind, the words of `detail`; a kernel's is a cluster, a range's a domain
    "copy": COPIES,
    "migration": COPIES,
    "api": (None, "launch", "copy", "sync"),
    "sync": (None, "event", "stream event", "stream", "context"),
}
DEAD_PROCESS = "the process ended before its trace was closed; the last events may be missing"


class Shard(NamedTuple):
    """The events of one process with the numbers of their strings, and the strings by number."""
    path: object
    process: int
    rank: int
    events: np.ndarray
    strings: list


class Reader:
    """Takes the chunks of one shard; the first bad one refuses the whole file."""

    def __init__(self, path, data):
        self.path, self.data, self.offset = path, data, 0
        self.strings, self.batches = [None], []
        self.dropped = self.names_left_out = self.unknown_chunks = 0
        self.ended = False

    def refuse(self, found, expected):
        raise CpprofError(f"{self.path}: byte {self.offset}", found, expected,
                          "record it again or take an undamaged copy; `cpprof report` shows the events before it")

    def read(self):
        if len(self.data) < HEADER.size:
            self.refuse(f"the file has {len(self.data)} bytes", f"at least the {HEADER.size} bytes of a shard's header")
        magic, version, first, record_bytes, process, rank, _, _, _ = HEADER.unpack_from(self.data)
        if magic != b"CPPROFSH" or version != 1:
            self.refuse(f"it begins with {magic!r}, version {version}", "a trace shard: b'CPPROFSH', version 1")
        if not HEADER.size <= first <= HEADER_BYTES_MAX or not EVENT.itemsize <= record_bytes <= RECORD_BYTES_MAX:
            self.refuse(f"a header of {first} bytes, records of {record_bytes}", "48 to 4096, and 96 to 4096")
        self.record_bytes, self.offset = record_bytes, first
        while self.offset != len(self.data):
            self.take_chunk()
        events = np.concatenate(self.batches) if self.batches else np.empty(0, EVENT)
        return Shard(self.path, process, rank, self.checked(events), self.strings)

    def take_chunk(self):
        if len(self.data) - self.offset < CHUNK.size:
            self.refuse("the file ends in the middle of a chunk's header", f"{CHUNK.size} bytes")
        kind, checksum, size = CHUNK.unpack_from(self.data, self.offset)
        payload = self.data[self.offset + CHUNK.size:self.offset + CHUNK.size + size]
        if len(payload) != size:
            self.refuse(f"the file ends in the middle of a chunk: {len(payload)} bytes are left", f"{size}")
        if zlib.crc32(payload) != checksum:
            self.refuse(f"a chunk has the checksum {zlib.crc32(payload)}", f"{checksum}")
        if self.ended or (kind == END and payload):
            self.refuse("a chunk stands behind the end", "the end of the file")
        TAKERS.get(kind, Reader.take_unknown)(self, payload)
        self.offset += CHUNK.size + size

    def take_strings(self, payload):
        at = 0
        while at < len(payload):
            if len(payload) - at < 8:
                self.refuse("a string is cut", "its number and length")
            number, size = struct.unpack_from("<II", payload, at)
            if number != len(self.strings) or size > len(payload) - at - 8:
                self.refuse(f"string {number} of {size} bytes", f"string {len(self.strings)} inside its chunk")
            self.strings.append(payload[at + 8:at + 8 + size].decode("utf-8", "replace"))
            at += 8 + size

    def take_events(self, payload):
        if len(payload) % self.record_bytes:
            self.refuse("a chunk of events holds part of a record", f"records of {self.record_bytes} bytes")
        records = np.frombuffer(payload, np.uint8).reshape(-1, self.record_bytes)[:, :EVENT.itemsize]
        events = np.ascontiguousarray(records).view(EVENT).reshape(-1)
        highest = max(events["name"].max(initial=0), events["detail"][events["kind"] == 7].max(initial=0))
        if highest >= len(self.strings):
            self.refuse(f"an event has string {highest}", f"one of the {len(self.strings) - 1} before it")
        if np.any((events["end_ns"] < events["start_ns"]) & ~is_unfinished(events)):
            self.refuse("an event ends before it begins", "end_ns >= start_ns")
        self.batches.append(events)

    def take_dropped(self, payload):
        if len(payload) % 16:
            self.refuse("a chunk of dropped counts holds part of a row", "rows of 16 bytes")
        self.dropped += sum(count for _, _, count in struct.iter_unpack("<IIQ", payload))

    def take_end(self, _payload):
        self.ended = True

    def take_nothing(self, payload):
        """Names of streams and threads, which events() does not have."""

    def take_unknown(self, _payload):
        self.unknown_chunks += 1

    def take_names_left_out(self, payload):
        if len(payload) != 8:
            self.refuse(f"a count of left out names has {len(payload)} bytes", "8")
        self.names_left_out += struct.unpack("<Q", payload)[0]

    def checked(self, events):
        """Without what no reader can use; a warning for each thing that is not whole."""
        known = (events["kind"] > 0) & (events["kind"] < len(KINDS))
        lone_ends = ((events["kind"] == 7) & (events["name"] == 0) & (events["start_ns"] == events["end_ns"]) &
                     ~is_unfinished(events))
        self.warn(not self.ended, DEAD_PROCESS)
        self.warn(self.dropped, f"{self.dropped} records were dropped while tracing")
        self.warn(self.names_left_out, f"'(too many names)' stands {self.names_left_out} times for another name")
        self.warn(self.unknown_chunks, f"{self.unknown_chunks} chunks of an unknown type are left out")
        self.warn(not known.all(), f"{(~known).sum()} events of an unknown kind are left out")
        self.warn(lone_ends.any(), f"{lone_ends.sum()} ranges had begun before recording did; they are left out")
        return events[known & ~lone_ends]

    def warn(self, is_so, words):
        if is_so:
            warnings.warn(f"{self.path}: {words}", CpprofWarning, stacklevel=2)


TAKERS = {STRINGS: Reader.take_strings, EVENTS: Reader.take_events, DROPPED: Reader.take_dropped, END: Reader.take_end,
          OBJECT_NAMES: Reader.take_nothing, NAMES_LEFT_OUT: Reader.take_names_left_out}


def is_unfinished(events):
    return (events["flags"] & UNFINISHED) != 0


def read_shard(path, data):
    """The shard in these bytes; `path` is for messages."""
    return Reader(path, data).read()


def _words(words, numbers):
    """The word of each number; the number itself, as a text, where there is none."""
    found, places = np.unique(numbers, return_inverse=True)
    table = np.empty(len(found), dtype=object)
    table[:] = [words[number] if number < len(words) else str(number) for number in found.tolist()]
    return table[places]


def _cluster(number):
    """The detail of a kernel: '2x1x1', None without clusters."""
    return f"{number & 255}x{number >> 8 & 255}x{number >> 16}" if number else None


def _details(shard):
    events = shard.events
    details = np.full(len(events), None, dtype=object)
    for number in np.unique(events["kind"]).tolist():
        kind, of_kind = KINDS[number], events["kind"] == number
        numbers = events["detail"][of_kind]
        if kind == "kernel":
            found, places = np.unique(numbers, return_inverse=True)
            details[of_kind] = np.array([*map(_cluster, found.tolist()), None], dtype=object)[places]
        elif kind == "range":
            details[of_kind] = _words(shard.strings, numbers)
        elif kind in DETAILS:
            details[of_kind] = _words(DETAILS[kind], numbers)
    return details


def _resolve(shard):
    events = shard.events
    out = np.empty(len(events), dtype=RESOLVED)
    for name in EVENT.names:
        if name not in ("kind", "name", "detail"):
            out[name] = events[name]
    out["kind"] = _words(KINDS, events["kind"])
    out["name"] = _words(shard.strings, events["name"])
    out["detail"] = _details(shard)
    out["rank"], out["process"] = shard.rank, shard.process
    out["duration_ns"] = events["end_ns"] - events["start_ns"]
    unfinished = is_unfinished(events)
    out["duration_ns"][unfinished] = np.nan
    out["end_ns"][unfinished] = np.iinfo(np.int64).min
    return out


def join_shards(shards):
    """The events of all shards as one array of RESOLVED, in the order of their starts."""
    if not shards:
        return np.empty(0, dtype=RESOLVED)
    events = np.concatenate([_resolve(shard) for shard in shards])
    return events[np.argsort(events["start_ns"], kind="stable")]
