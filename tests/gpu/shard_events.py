"""Reads trace shards as docs/formats.md describes them, without cpprof.

A second reading of the format: what the scripts compare with other profilers does
not go through our own reader.
"""
import collections
import glob
import gzip
import os
import struct

KERNEL, COPY, MEMSET, MIGRATION, API = 1, 2, 3, 4, 5
SRC_PAGEABLE, DST_PAGEABLE = 2, 4
STRINGS, EVENTS, DROPPED, END = 1, 2, 3, 4

Event = collections.namedtuple("Event", "start_ns end_ns size_bytes kind flags name device stream correlation "
                                        "detail graph_node thread")
Shard = collections.namedtuple("Shard", "path process rank events dropped ended")
RECORD = struct.Struct("<qqQHHIhhIIII12s6sHIIIIQ")
assert RECORD.size == 96


def read_strings(payload, strings):
    at = 0
    while at < len(payload):
        number, size = struct.unpack_from("<II", payload, at)
        strings[number] = payload[at + 8:at + 8 + size].decode("utf-8", "replace")
        at += 8 + size


def read_events(payload, record_bytes, strings):
    for at in range(0, len(payload) - record_bytes + 1, record_bytes):
        (start, end, size, kind, flags, name, device, _rank, _context, stream, correlation, thread, _grid, _block,
         _registers, _static, _dynamic, _local, detail, node) = RECORD.unpack_from(payload, at)
        yield Event(start, end, size, kind, flags, strings.get(name, ""), device, stream, correlation, detail, node, thread)


def read_shard(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        data = file.read()
    magic, _version, at, record_bytes, process, rank = struct.unpack_from("<8sIIIIi", data)
    if magic != b"CPPROFSH":
        raise ValueError(f"{path} is no shard")
    strings, events, dropped, ended = {}, [], 0, False
    while at + 16 <= len(data):
        kind, _checksum, size = struct.unpack_from("<IIQ", data, at)
        payload = data[at + 16:at + 16 + size]
        at += 16 + size
        if len(payload) < size:
            break
        if kind == STRINGS:
            read_strings(payload, strings)
        elif kind == EVENTS:
            events.extend(read_events(payload, record_bytes, strings))
        elif kind == DROPPED:
            dropped += sum(struct.unpack_from("<Q", payload, i + 8)[0] for i in range(0, size, 16))
        elif kind == END:
            ended = True
    return Shard(path, process, rank, events, dropped, ended)


def read_bundle(bundle):
    return [read_shard(path) for path in sorted(glob.glob(os.path.join(bundle, "trace-*.bin*")))]
