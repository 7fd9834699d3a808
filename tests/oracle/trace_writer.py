"""Traces as other tools write them, from rows whose truth is known: Kineto JSON, and nsys's CSV and SQLite.

Times are whole ns. `step` rounds them, as a tool does that writes fewer digits. The oracles share this.
"""
import collections
import json
import os
import sqlite3

KINDS = {"kernel": "kernel", "h2d": "gpu_memcpy", "d2h": "gpu_memcpy", "d2d": "gpu_memcpy", "p2p": "gpu_memcpy",
         "memset": "gpu_memset"}
COPY_NAMES = {"h2d": ("Memcpy HtoD (Pinned -> Device)", "[CUDA memcpy Host-to-Device]"),
              "d2h": ("Memcpy DtoH (Device -> Pinned)", "[CUDA memcpy Device-to-Host]"),
              "d2d": ("Memcpy DtoD (Device -> Device)", "[CUDA memcpy Device-to-Device]"),
              "p2p": ("Memcpy PtoP (Device -> Device)", "[CUDA memcpy Peer-to-Peer]"),
              "memset": ("Memset (Device)", "[CUDA memset]")}
COPY_KINDS = {"h2d": 1, "d2h": 2, "d2d": 8, "p2p": 10}
DIGITS = {1: 3, 10: 2, 100: 1, 1000: 0}

# kind: one of KINDS, "api" or "nvtx". process: its pid. rank: of a file, for those who write several.
Row = collections.namedtuple("Row", "kind start end device stream name rank corr bytes thread context process",
                             defaults=(1, 1))


def is_work(row):
    return row.kind in KINDS


def rounded(value, step):
    return (value + step // 2) // step * step


def microseconds(ns, digits):
    sign, ns = ("-", -ns) if ns < 0 else ("", ns)
    whole, rest = divmod(ns, 1000)
    return f"{sign}{whole}" + (f".{rest:03d}"[:digits + 1] if digits else "")


def kineto_row(row, step, pid):
    category = KINDS.get(row.kind) or {"api": "cuda_runtime", "nvtx": "user_annotation"}[row.kind]
    arguments = {"correlation": row.corr} if row.corr else {}
    if is_work(row):
        arguments.update(device=row.device, stream=row.stream, context=row.context)
        if row.bytes:
            arguments["bytes"] = row.bytes
    return (f'{{"ph":"X","cat":"{category}","name":{json.dumps(row.name)},"pid":{pid},"tid":{row.thread},'
            f'"ts":{microseconds(rounded(row.start, step), DIGITS[step])},'
            f'"dur":{microseconds(rounded(row.end - row.start, step), DIGITS[step])},"args":{json.dumps(arguments)}}}')


def write_kineto(path, rows, step=1, head=None, pid=None, labels=None):
    """head: further members of the document. pid(row): the default is its process. labels: {pid: process label}."""
    lines = [kineto_row(row, step, pid(row) if pid else row.process) for row in rows]
    lines += [f'{{"ph":"M","name":"process_labels","pid":{own},"tid":0,"ts":0,"args":{{"labels":{json.dumps(label)}}}}}'
              for own, label in (labels or {}).items()]
    members = "".join(f"{json.dumps(key)}:{json.dumps(value)},\n" for key, value in (head or {}).items())
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"schemaVersion":1,' + members + '"traceEvents":[\n' + ",\n".join(lines) + "\n]}\n")


CSV_HEAD = ("Start ({0}),Duration ({0}),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (B),"
            "Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,Strm,Name\n")


def csv_row(row, step, gpu):
    start, length = rounded(row.start, step), rounded(row.end - row.start, step)
    times = (start, length) if step == 1 else (microseconds(start, DIGITS[step]), microseconds(length, DIGITS[step]))
    name = row.name if row.kind == "kernel" else COPY_NAMES[row.kind][1]
    grid = "1,1,1,32,1,1,8,0,0" if row.kind == "kernel" else ",,,,,,,,"
    size = "" if row.kind == "kernel" else str(row.bytes)
    return (f"{times[0]},{times[1]},{row.corr},{grid},{size},,,,{gpu} ({row.device}),{row.context},{row.stream},{name}\n")


def write_nsys_csv(path, rows, step=1, gpu="GPU"):
    """Work alone, as in nsys's cuda_gpu_trace, in the order of the starts."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(CSV_HEAD.format("ns" if step == 1 else "us"))
        file.writelines(csv_row(row, step, gpu) for row in sorted(filter(is_work, rows), key=lambda row: row.start))


SQLITE_TABLES = """
CREATE TABLE StringIds(id integer primary key, value text);
CREATE TABLE META_DATA_EXPORT(name text, value text);
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.17.2');
CREATE TABLE ENUM_CUDA_MEMCPY_OPER(id integer primary key, name text, label text);
INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES (1, 'CUDA_MEMCPY_KIND_HTOD', 'Host-to-Device'),
    (2, 'CUDA_MEMCPY_KIND_DTOH', 'Device-to-Host'), (8, 'CUDA_MEMCPY_KIND_DTOD', 'Device-to-Device'),
    (10, 'CUDA_MEMCPY_KIND_PTOP', 'Peer-to-Peer');
CREATE TABLE TARGET_INFO_GPU(vmId int, id int, name text, busLocation text, uuid text, computeMajor int, computeMinor int);
CREATE TABLE TARGET_INFO_CUDA_DEVICE(gpuId int, cudaId int, pid int);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start int, end int, deviceId int, contextId int, streamId int, correlationId int,
    globalPid int, demangledName int, shortName int, gridX int, gridY int, gridZ int, blockX int, blockY int, blockZ int);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start int, end int, deviceId int, contextId int, streamId int, correlationId int,
    globalPid int, bytes int, copyKind int, srcKind int, dstKind int);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(start int, end int, deviceId int, contextId int, streamId int, correlationId int,
    globalPid int, value int, bytes int, memKind int);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start int, end int, eventClass int, globalTid int, correlationId int, nameId int);
CREATE TABLE NVTX_EVENTS(start int, end int, eventType int, globalTid int, text text, textId int, domainId int);
"""


class Names:
    def __init__(self):
        self.ids = {}

    def __getitem__(self, name):
        return self.ids.setdefault(name, len(self.ids) + 1)


def global_pid(row):
    return row.process << 24


def sqlite_row(row, names):
    """A table, and a row of it."""
    place = (row.start, row.end, row.device, row.context, row.stream, row.corr, global_pid(row))
    if row.kind == "kernel":
        return "CUPTI_ACTIVITY_KIND_KERNEL", (*place, names[row.name], names[row.name], 1, 1, 1, 32, 1, 1)
    if row.kind == "memset":
        return "CUPTI_ACTIVITY_KIND_MEMSET", (*place, 0, row.bytes, 2)
    if row.kind in COPY_KINDS:
        return "CUPTI_ACTIVITY_KIND_MEMCPY", (*place, row.bytes, COPY_KINDS[row.kind], 1, 2)
    if row.kind == "api":
        return "CUPTI_ACTIVITY_KIND_RUNTIME", (row.start, row.end, 0, global_pid(row) + row.thread, row.corr, names[row.name])
    return "NVTX_EVENTS", (row.start, row.end, 59, global_pid(row) + row.thread, row.name, None, 0)


def write_nsys_sqlite(path, rows, gpus=(), cuda_devices=()):
    """gpus: rows of TARGET_INFO_GPU, cuda_devices: of TARGET_INFO_CUDA_DEVICE. Times are exact."""
    if os.path.exists(path):
        os.remove(path)
    names, tables = Names(), collections.defaultdict(list)
    for row in rows:
        table, values = sqlite_row(row, names)
        tables[table].append(values)
    tables["StringIds"] = [(number, name) for name, number in names.ids.items()]
    tables["TARGET_INFO_GPU"], tables["TARGET_INFO_CUDA_DEVICE"] = list(gpus), list(cuda_devices)
    file = sqlite3.connect(path, isolation_level=None)
    file.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN;" + SQLITE_TABLES)
    for table, own in tables.items():
        if own:
            file.executemany(f"INSERT INTO {table} VALUES ({','.join('?' * len(own[0]))})", own)
    file.execute("COMMIT")
    file.close()
