#!/usr/bin/env python3
"""Does the Python package read what is in the files, refuse what is damaged, and run cpprof?

usage: package.py CPPROF SOURCE_TREE GUEST_PROGRAM
"""
import doctest
import gzip
import importlib.util
import json
import os
import shutil
import struct
import sys
import tempfile
import unittest
import warnings
import zlib
from pathlib import Path

import numpy as np

CPPROF, SOURCE, GUEST = (os.path.abspath(argument) for argument in sys.argv[1:4])
sys.path[:0] = [f"{SOURCE}/python/src", f"{SOURCE}/tests/gpu"]
import cpprof  # noqa: E402
import shard_events  # noqa: E402  a second reading of the shards

BUNDLES = sorted(path.parent for path in Path(SOURCE, "examples").rglob("*.cpprof/manifest.json"))
UNFINISHED_NS = -2**63  # the end of what has not ended
HOSTILE = 'say("a,\nb")\r\n, or "not"'  # a kernel's name


def fields_of(text):
    """A second reading of CSV: the rows of a text as RFC 4180 has them."""
    rows, row, field, quoted, at = [], [], "", False, 0
    while at < len(text):
        c = text[at]
        if quoted and c == '"' and text[at + 1:at + 2] == '"':
            field += '"'
            at += 1
        elif c == '"':
            quoted = not quoted
        elif quoted or c not in ",\n":
            field += c
        else:
            row.append(field)
            field = ""
            if c == "\n":
                rows.append(row)
                row = []
        at += 1
    return rows


def is_cell(value, cell, unit):
    """Is this value of a frame what the CSV has?"""
    if not cell:
        return value is None or value != value
    return value == cell if unit == "text" else value == float(cell)


def seal(folder):
    """Makes the seal of a bundle that of the files that are there."""
    manifest = json.loads((folder / "manifest.json").read_text())
    for name in list(manifest["files"]):
        data = (folder / name).read_bytes()
        manifest["files"][name] = {"bytes": len(data), "crc32": zlib.crc32(data)}
    (folder / "manifest.json").write_text(json.dumps(manifest))


def write_bundle(folder, **files):
    """A sealed bundle of these files: `timing="..."` is timing.csv, bytes are a trace."""
    folder.mkdir()
    names = {f"{name}.csv" if isinstance(data, str) else f"trace-{name[1:]}-0.bin": data
             for name, data in files.items()}
    for name, data in names.items():
        (folder / name).write_bytes(data.encode() if isinstance(data, str) else data)
    manifest = {"format": 1, "status": "complete", "files": dict.fromkeys(names)}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    seal(folder)
    return folder


def chunk(kind, payload):
    return struct.pack("<IIQ", kind, zlib.crc32(payload), len(payload)) + payload


def event(start, end, kind, name, flags=0, detail=0):
    return struct.pack("<qqQHHIhhIIII3I3HHIIIIQ", start, end, 0, kind, flags, name, 0, -1, 1, 7, 42, 0, 132, 1, 1,
                       256, 1, 1, 40, 4096, 0, 0, detail, 0)


HEADER = struct.pack("<8sIIIIiIqq", b"CPPROFSH", 1, 48, 96, 9, 3, 0, 1000, 0)
NAMES = chunk(1, b"".join(struct.pack("<II", number, len(text)) + text
                          for number, text in enumerate((b"tile", HOSTILE.encode(), b"\xff"), 1)))
END = chunk(4, b"")
ONE_EVENT = chunk(2, event(2000, 3500, 1, 1))


class InTemporaryFolder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def copy(self, name):
        return Path(shutil.copytree(Path(SOURCE, "examples", name), self.folder / "copy.cpprof"))

    def refused(self, what, *words):
        """Calling `what` is refused in these words, and names a file, what was expected, and what to do."""
        with self.assertRaises(cpprof.CpprofError) as caught:
            what()
        for word in (*words, "expected"):
            self.assertIn(word, str(caught.exception))
        self.assertTrue(caught.exception.advice)

    def warned(self, what, *words):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = what()
        said = " ".join(str(warning.message) for warning in caught if warning.category is cpprof.CpprofWarning)
        for word in words:
            self.assertIn(word, said)
        return result


class Frames(InTemporaryFolder):
    def test_frames_equal_the_files(self):
        self.assertGreater(len(BUNDLES), 30)
        cells = 0
        for path in BUNDLES:
            bundle = cpprof.load(path)
            for file in path.glob("*.csv*"):
                text = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
                header, *rows = fields_of(text.decode("utf-8"))
                frame = getattr(bundle, file.name.partition(".")[0])
                self.assertEqual(frame.rows, len(rows), file)
                self.assertLessEqual(set(header), set(frame), file)
                for name, column in zip(header, zip(*rows)):
                    wrong = [at for at, cell in enumerate(column)
                             if not is_cell(frame[name][at], cell, frame.units[name])]
                    self.assertEqual(wrong, [], f"{file}: {name}")
                    cells += len(column)
        self.assertGreater(cells, 1_000_000)

    def test_missing_is_never_zero(self):
        big = 2**60 + 1
        timing = ("variant,shape,process,block,order,iteration,cache,batch,sm_clock_hz,duration_ns\n"
                  f'"{HOSTILE.replace(chr(34), 2 * chr(34))}",s,0,,{big},{2**53},hot,,,1.5\n' "b,,1,,,,cold,2,1e9,0\n")
        frame = cpprof.load(write_bundle(self.folder / "a.cpprof", timing=timing)).timing
        self.assertEqual(frame["variant"].tolist(), [HOSTILE, "b"])
        self.assertEqual(frame["shape"].tolist(), ["s", None])
        self.assertEqual(frame["process"].dtype, np.int64)
        self.assertTrue(np.isnan(frame["block"]).all())
        self.assertEqual(frame["order"].tolist(), [big, None])  # a double has no such number
        self.assertEqual(frame["iteration"].tolist()[0], 2**53)
        self.assertTrue(np.isnan(frame["batch"][0]) and frame["batch"][1] == 2)
        self.assertEqual(frame["duration_ns"].tolist(), [1.5, 0])
        self.assertEqual(frame["throttled"].tolist(), [None, None])  # a column that bundles may lack

    def test_a_table_without_a_file_is_empty(self):
        bundle = cpprof.load(Path(SOURCE, "examples/captures/train.cpprof"))
        self.assertEqual((bundle.timing.rows, list(bundle.timing)[0]), (0, "variant"))
        with self.assertRaises(AttributeError):
            bundle.no_table
        self.assertIn("timing", dir(bundle))

    def test_bad_tables_are_refused(self):
        head = "variant,metric,min,max\n"
        for text, words in ((head + "a,m,0x1,\n", "'0x1'"), (head + "a,m,1_0,\n", "'1_0'"),
                            (head + "a,m,nan,\n", "'nan'"),
                            (head + "a,m,1e999,\n", "'1e999'"), (head + "a,m,-,\n", "'-'"),
                            (head + "a,m,\u0661,\n", "'\u0661'"),
                            (head + "a,m, 1,\n", "' 1'"), (head + "a,m,1\n", "3 fields"),
                            (head + 'a,"m"x,1,\n', "csv:2"), (head + 'a,"m', "csv:2"),
                            ("variant,metric,min\n", "'max' 0 times"),
                            ("variant,variant,metric,min,max\n", "'variant' 2 times"), ("", "csv:0")):
            with self.subTest(text):
                bundle = cpprof.load(write_bundle(self.folder / "a.cpprof", expect=text))
                self.refused(lambda bundle=bundle: bundle.expect, "expect.csv", words)
                shutil.rmtree(self.folder / "a.cpprof")

    def test_pandas(self):
        if not importlib.util.find_spec("pandas"):
            self.skipTest("no pandas")
        frame = cpprof.load(Path(SOURCE, "examples/inside/wgmma.cpprof")).inside_tiles
        data = frame.to_pandas()
        self.assertEqual(len(data), frame.rows)
        self.assertEqual((str(data["mark_7"].dtype), str(data["tile"].dtype)), ("Int64", "int64"))
        self.assertEqual(int(data["mark_7"].isna().sum()), int(np.isnan(frame["mark_7"]).sum()))
        self.assertGreater(int(data["mark_7"].isna().sum()), 0)
        self.assertEqual(data.attrs["units"]["mark_7"], "count")

    def test_arrow(self):
        try:
            import pyarrow
        except ImportError:
            self.skipTest("no pyarrow")
        frame = cpprof.load(Path(SOURCE, "examples/inside/wgmma.cpprof")).inside_tiles
        table = frame.to_arrow()
        self.assertEqual(table.schema.field("mark_7").type, pyarrow.int64())
        self.assertEqual(table["mark_7"].null_count, int(np.isnan(frame["mark_7"]).sum()))
        self.assertEqual(table.schema.field("mark_7").metadata, {b"unit": b"count"})


class Events(InTemporaryFolder):
    def load(self, data):
        shutil.rmtree(self.folder / "a.cpprof", ignore_errors=True)
        return cpprof.load(write_bundle(self.folder / "a.cpprof", t9=data))

    def test_events_equal_a_second_reading(self):
        count = 0
        for path in BUNDLES:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", cpprof.CpprofWarning)
                events = cpprof.load(path).events()
            fields = ("start_ns", "size_bytes", "device", "stream", "correlation", "graph_node", "flags")
            others = sorted((*(getattr(e, field) for field in fields), e.name or "", s.process, s.rank,
                             UNFINISHED_NS if e.flags & 1 else e.end_ns)
                            for s in shard_events.read_bundle(path) for e in s.events)
            mine = sorted(zip(*(events[field].tolist() for field in fields), [name or "" for name in events["name"]],
                              *(events[field].tolist() for field in ("process", "rank", "end_ns"))))
            self.assertEqual(mine, others, path)
            self.assertTrue((np.diff(events["start_ns"]) >= 0).all())
            count += len(events)
        self.assertGreater(count, 10_000)

    def test_words(self):
        events = self.load(HEADER + NAMES + chunk(2, b"".join((
            event(50, 60, 7, 2, detail=1), event(40, 0, 1, 1, flags=1, detail=2 | 1 << 8 | 1 << 16),
            event(30, 35, 2, 0, detail=1), event(20, 20, 5, 3, detail=9), event(10, 12, 1, 1)))) + END).events()
        self.assertEqual(events["start_ns"].tolist(), [10, 20, 30, 40, 50])
        self.assertEqual(events["kind"].tolist(), ["kernel", "api", "copy", "kernel", "range"])
        self.assertEqual(events["name"].tolist(), ["tile", "\ufffd", None, "tile", HOSTILE])
        self.assertEqual(events["detail"].tolist(), [None, "9", "h2d", "2x1x1", "tile"])
        self.assertEqual(events["duration_ns"].tolist()[:3], [2, 0, 5])
        self.assertTrue(np.isnan(events["duration_ns"][3]))
        self.assertEqual(events["end_ns"][3], UNFINISHED_NS)
        self.assertEqual((set(events["rank"]), set(events["process"])), ({3}, {9}))
        self.assertEqual(events["grid"].tolist()[0], [132, 1, 1])

    def test_larger_records(self):
        header = HEADER[:16] + struct.pack("<I", 104) + HEADER[20:]
        events = self.load(header + NAMES + chunk(2, (event(1, 2, 1, 1) + b"newmore.") * 2) + END).events()
        self.assertEqual(events["name"].tolist(), ["tile", "tile"])

    def test_a_shard_that_is_cut_anywhere_is_refused_or_said_to_be_open(self):
        whole = HEADER + NAMES + ONE_EVENT + END
        borders = {len(HEADER), len(HEADER + NAMES), len(whole) - len(END)}
        for size in range(len(whole)):
            bundle = self.load(whole[:size])
            if size in borders:
                self.warned(bundle.events, "before its trace was closed")
            else:
                self.refused(bundle.events, "trace-9-0.bin", "byte")

    def test_bad_shards_are_refused(self):
        for what, data, words in (
                ("another file", b"x" * 64, "CPPROFSH"),
                ("a newer version", HEADER[:8] + b"\2" + HEADER[9:], "version 2"),
                ("short records", HEADER[:16] + b"\1\0\0\0" + HEADER[20:], "records of 1"),
                ("a checksum", HEADER + NAMES[:-1] + b"?" + END, "checksum"),
                ("a size", HEADER + struct.pack("<IIQ", 2, 0, 2**64 - 1), "middle of a chunk"),
                ("a name", HEADER + NAMES + chunk(2, event(1, 2, 1, 4)), "string 4"),
                ("a domain", HEADER + NAMES + chunk(2, event(1, 2, 7, 1, detail=2**31)), "string 2147483648"),
                ("a name before its string", HEADER + ONE_EVENT + NAMES, "string 1"),
                ("a time", HEADER + NAMES + chunk(2, event(2, 1, 1, 1)), "ends before"),
                ("part of a record", HEADER + NAMES + chunk(2, event(1, 2, 1, 1)[:95]), "part of a record"),
                ("a string", HEADER + chunk(1, struct.pack("<II", 1, 9) + b"a"), "string 1 of 9 bytes"),
                ("a number of a string", HEADER + chunk(1, struct.pack("<II", 2**31, 0)), "string 2147483648"),
                ("something behind the end", HEADER + END + NAMES, "behind the end"),
                ("an end with content", HEADER + chunk(4, b"x"), "behind the end")):
            with self.subTest(what):
                self.refused(self.load(data).events, "trace-9-0.bin", words)

    def test_what_is_not_whole_is_said(self):
        data = (HEADER + NAMES + chunk(2, event(1, 2, 1, 1) + event(1, 2, 99, 1) + event(5, 5, 7, 0)) +
                chunk(3, struct.pack("<IIQ", 5, 0, 3)) + chunk(6, struct.pack("<Q", 2)) + chunk(77, b"new"))
        events = self.warned(self.load(data).events, "3 records were dropped", "2 times", "1 chunks of an unknown type",
                             "1 events of an unknown kind", "1 ranges had begun", "before its trace was closed")
        self.assertEqual(events["kind"].tolist(), ["kernel"])


class Seal(InTemporaryFolder):
    def test_damage_is_refused(self):
        changes = (
            (lambda f: (f / "timing.csv").unlink(), cpprof.load, ("timing.csv", "gone")),
            (lambda f: os.truncate(f / "timing.csv", 99), cpprof.load, ("99 bytes", "as it was sealed")),
            (lambda f: pack(f / "timing.csv", b"x"), lambda f: cpprof.load(f).timing, ("timing.csv", "checksum")),
            (lambda f: os.truncate(pack(f / "timing.csv"), 99), lambda f: cpprof.load(f).timing, ("timing.csv.gz",)),
            (lambda f: flip(f / "timing.csv"), lambda f: cpprof.load(f).timing, ("timing.csv", "checksum")),
            (lambda f: flip(next(f.glob("trace-*"))), lambda f: cpprof.load(f).events(), ("trace-", "checksum")),
            (lambda f: change(f, status="incomplete"), cpprof.load, ("not sealed", "'incomplete'", "record it again")),
            (lambda f: change(f, format=2), cpprof.load, ("format is 2", "install")),
            (lambda f: change(f, files=None), cpprof.load, ("no list of files",)),
            (lambda f: change(f, files={"../timing.csv": {"bytes": 1, "crc32": 1}}), cpprof.load, ("'../timing.csv'",)),
            (lambda f: (f / "manifest.json").write_text("{"), cpprof.load, ("not valid JSON",)),
            (lambda f: (f / "manifest.json").write_text("[]"), cpprof.load, ("no format",)),
            (lambda f: (f / "manifest.json").unlink(), cpprof.load, ("NAME.cpprof",)),
        )
        for damage, read, words in changes:
            with self.subTest(words):
                folder = self.copy("verdicts/win.cpprof")
                damage(folder)
                self.refused(lambda folder=folder, read=read: read(folder), *words)
                shutil.rmtree(folder)

    def test_what_was_added_after_the_seal_is_left_out(self):
        folder = self.copy("captures/train.cpprof")
        (folder / "timing.csv").write_text("variant\nsmuggled\n")
        bundle = self.warned(lambda: cpprof.load(folder), "timing.csv", "after the seal")
        self.assertEqual(bundle.timing.rows, 0)


def pack(file, more=b""):
    packed = file.with_name(file.name + ".gz")
    packed.write_bytes(gzip.compress(file.read_bytes() + more))
    file.unlink()
    return packed


def flip(file):
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


def change(folder, **members):
    file = folder / "manifest.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **members}))


# Stands in for `cpprof run`, which needs a GPU: its bundle is the example that EXAMPLE names.
STAND_IN = """#!/bin/sh
echo "$@" >>said
case $1 in
run) cp -r "$EXAMPLE" "$5"; exec "$REAL" compare "$5" --format json ;;
*) exec "$REAL" "$@" ;;
esac
"""


class Program(InTemporaryFolder):
    def setUp(self):
        super().setUp()
        os.environ["CPPROF"] = CPPROF
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)

    def test_statuses(self):
        verdicts = {"win": "PASS", "regression": "FAIL", "inconclusive": "INCONCLUSIVE", "unusable": "FAIL"}
        for name, status in verdicts.items():
            result = cpprof.compare(f"{SOURCE}/examples/verdicts/{name}.cpprof")
            self.assertEqual((result.status.name, result.document["schema"]), (status, "cpprof.compare/1"))
        (self.folder / "empty.cpprof").mkdir()
        empty = cpprof.compare("empty.cpprof")
        self.assertEqual((empty.status, empty.document), (cpprof.ExitStatus.UNUSABLE_INPUT, None))
        wrong = cpprof.compare("--no-such-option")
        self.assertEqual((wrong.status, wrong.document), (cpprof.ExitStatus.USAGE, None))
        self.assertIn("no-such-option", wrong.messages)

    def test_pictures(self):
        win = f"{SOURCE}/examples/verdicts/win.cpprof"
        for shown in (cpprof.report(win), cpprof.load(win), cpprof.compare(win)):
            self.assertRegex(shown._repr_html_(), "(?s)^<iframe srcdoc=.*cpasync3.*</iframe>$")
        self.assertIn("image/svg+xml", cpprof.report(win)._repr_html_())
        self.assertEqual(cpprof.report(win)._repr_html_().count("<"), 2)  # nothing of the page leaves its frame
        self.assertIsNone(cpprof.compare(win, "--save", "main")._repr_html_())
        os.environ["CPPROF"] = "/no/such/cpprof"
        self.assertIsNone(cpprof.load(win)._repr_html_())

    def test_no_program(self):
        self.refused(lambda: cpprof.report("x", program="/no/such/cpprof"), "/no/such/cpprof", "PATH")

    def test_output_that_is_not_json(self):
        self.refused(lambda: cpprof.report(f"{SOURCE}/examples/verdicts/win.cpprof", "--format", "md"), "not JSON")

    def test_run(self):
        os.environ.update(REAL=CPPROF, EXAMPLE=f"{SOURCE}/examples/verdicts/win.cpprof")
        program = self.folder / "cpprof"
        program.write_text(STAND_IN)
        program.chmod(0o755)
        results = [cpprof.run(["a", "b", "--baseline", "a"], program=program) for _ in range(2)]
        self.assertEqual([str(result.bundle) for result in results], ["run.cpprof", "run-2.cpprof"])
        self.assertEqual(Path("said").read_text().splitlines()[0], "run --format json -o run.cpprof a b --baseline a")
        self.assertEqual((results[0].status.name, results[0].document["rows"][0]["verdict"]), ("PASS", "faster"))
        self.assertIn("image/svg+xml", results[0]._repr_html_())

    def test_capture(self):
        library = self.folder / "libcpprof_inject.so"
        library.write_bytes(b"\177ELF")  # nothing here loads it
        os.environ["CPPROF_INJECT"] = str(library)
        words = [GUEST, "gpu", "0", "GPU-aaaa", "0000:0A:00.0", "start", "kernels", "3", HOSTILE, "end", "exit", "77"]
        result = cpprof.capture(words, output="t.cpprof", options=["--trace", "launch"])
        self.assertEqual((result.status.name, result.program_status, str(result.bundle)), ("PASS", 77, "t.cpprof"))
        self.assertEqual([row["name"] for row in result.document["stats"]["kernels"]], [HOSTILE])
        events = cpprof.load(result.bundle).events()
        kernels = events[events["kind"] == "kernel"]
        self.assertEqual((kernels["name"].tolist(), kernels["duration_ns"].tolist()), ([HOSTILE] * 3, [100_000] * 3))
        self.refused(lambda: cpprof.capture(words, output="t.cpprof"), "t.cpprof", "--force")
        absent = cpprof.capture(["/no/such/program"])
        self.assertEqual((absent.status.name, absent.document, absent.bundle), ("ENVIRONMENT", None, None))


class Manual(unittest.TestCase):
    def test_examples_of_the_manual(self):
        os.environ["CPPROF"] = CPPROF
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(SOURCE)
        failed, tried = doctest.testfile(f"{SOURCE}/docs/python.md", module_relative=False)
        self.assertEqual(failed, 0)
        self.assertGreater(tried, 10)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
