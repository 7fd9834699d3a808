"""What is in a bundle? Its seal is compared before anything is believed (docs/formats.md)."""
import csv
import fnmatch
import gzip
import io
import json
import warnings
import zlib
from pathlib import Path

from .frame import frame_of
from .program import page_of
from .shard import join_shards, read_shard
from .trouble import CpprofError, CpprofWarning

FORMAT = 1
TABLES = json.loads(Path(__file__).with_name("tables.json").read_text(encoding="utf-8"))
RECORD_AGAIN = "record it again or take an undamaged copy; `cpprof report` shows the part of it that is good"


def load(path):
    """Opens a sealed bundle. Raises CpprofError when it is unsealed, or a file is gone or has another size."""
    return Bundle(path)


def _read_manifest(path):
    file = path / "manifest.json"
    try:
        manifest = json.loads(file.read_bytes())
    except OSError as error:
        raise CpprofError(path, f"its manifest.json cannot be read ({error.strerror})", "a bundle of cpprof",
                          "give the folder NAME.cpprof that cpprof wrote") from None
    except ValueError as error:
        raise CpprofError(file, f"not valid JSON ({error})", "the manifest of a bundle", RECORD_AGAIN) from None
    if not isinstance(manifest, dict) or not isinstance(manifest.get("format"), int):
        raise CpprofError(file, "it states no format", "the manifest of a bundle", RECORD_AGAIN)
    if manifest["format"] > FORMAT:
        raise CpprofError(file, f"its format is {manifest['format']}", f"format {FORMAT} or lower",
                          "install the cpprof package of the version that wrote it")
    if manifest.get("status") != "complete":
        raise CpprofError(path, f"it is not sealed: its status is {manifest.get('status')!r}", "'complete'",
                          "let the run end or record it again; `cpprof report` shows what there is")
    return manifest


def _sealed_files(path, manifest):
    """The list of the seal: bytes and crc32 by name."""
    files = manifest.get("files")
    good = isinstance(files, dict) and all(
        isinstance(entry, dict) and isinstance(entry.get("bytes"), int) and isinstance(entry.get("crc32"), int)
        for entry in files.values())
    if not good:
        raise CpprofError(path / "manifest.json", "it has no list of files", "bytes and crc32 of each", RECORD_AGAIN)
    return files


def _packed(file):
    return file.with_name(file.name + ".gz")


def _content(file, expected):
    """The bytes of a file of a bundle, in whose place its gzip may lie; no more than one beyond `expected`."""
    if file.is_file():
        return file.read_bytes()
    try:
        with gzip.open(_packed(file)) as unpacked:
            return unpacked.read(expected + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise CpprofError(_packed(file), f"it cannot be unpacked ({error})", "a whole gzip file", RECORD_AGAIN) from None


class Bundle:
    """A sealed bundle: `manifest`, a Frame for each table (`timing`, `metrics`, ...), and `events()`.

    A file is compared with the seal when it is read. A table without rows has no file, and is an empty frame.
    """

    def __init__(self, path):
        self.path = Path(path)
        self.manifest = _read_manifest(self.path)
        self._files = _sealed_files(self.path, self.manifest)
        self._frames = {}
        for name, entry in self._files.items():
            self._expect_size(name, entry["bytes"])
        self._warn_of_strangers()

    def __dir__(self):
        return [*super().__dir__(), *TABLES]

    def __getattr__(self, name):
        if name not in TABLES:
            raise AttributeError(f"a bundle has no '{name}'; its tables are {', '.join(TABLES)}")
        if name not in self._frames:
            self._frames[name] = self._read_table(name)
        return self._frames[name]

    def __repr__(self):
        return f"<cpprof.Bundle '{self.path}': a {self.manifest.get('kind')}>"

    def _repr_html_(self):
        return page_of(["report", "--brief", str(self.path)])

    def events(self):
        """The events of all traces, in the order of their starts, as a structured array (docs/python.md)."""
        traces = [name for name in self._files if fnmatch.fnmatchcase(name, "trace-*.bin")]
        return join_shards([read_shard(self.path / name, self._read_sealed(name)) for name in traces])

    def _expect_size(self, name, expected):
        if "/" in name or name.startswith("."):
            raise CpprofError(self.path / "manifest.json", f"it lists the file '{name}'", "names without a folder",
                              RECORD_AGAIN)
        file = self.path / name
        if not file.is_file() and _packed(file).is_file():
            return  # its content is measured when it is unpacked
        found = file.stat().st_size if file.is_file() else None
        if found != expected:
            raise CpprofError(file, "it is gone" if found is None else f"it has {found} bytes",
                              f"{expected} bytes, as it was sealed", RECORD_AGAIN)

    def _warn_of_strangers(self):
        for pattern in ("*.csv", "trace-*.bin", "*.csv.gz", "trace-*.bin.gz"):
            for file in sorted(self.path.glob(pattern)):
                if file.name.removesuffix(".gz") not in self._files:
                    warnings.warn(f"{file}: it was added after the seal, and is left out", CpprofWarning, stacklevel=4)

    def _read_sealed(self, name):
        """The bytes of a file, which are those that were sealed."""
        data = _content(self.path / name, self._files[name]["bytes"])
        found, expected = zlib.crc32(data), self._files[name]["crc32"]
        if found != expected:
            raise CpprofError(self.path / name, f"its checksum is {found}", f"{expected}, as it was sealed",
                              RECORD_AGAIN)
        return data

    def _read_table(self, name):
        file = self.path / f"{name}.csv"
        if file.name not in self._files:
            return frame_of(file, TABLES[name], [column["name"] for column in TABLES[name]], [])
        text = self._read_sealed(file.name).decode("utf-8", "replace")
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        try:
            header, *rows = reader
        except (csv.Error, ValueError) as error:
            raise CpprofError(f"{file}:{reader.line_num}", str(error), "CSV with a header", RECORD_AGAIN) from None
        for number, row in enumerate(rows, 1):
            if len(row) != len(header):
                raise CpprofError(file, f"row {number} has {len(row)} fields", f"{len(header)}, as the header",
                                  RECORD_AGAIN)
        return frame_of(file, TABLES[name], header, rows)
