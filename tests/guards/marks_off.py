#!/usr/bin/env python3
"""What marks_off.sh needs: a source without its marks, and the machine code of two cubins compared.

usage: marks_off.py strip IN OUT      as stale.py reads a source: what it leaves out is what must leave no code
       marks_off.py same A B          exits 1, and prints what differs, unless both have the same code
       marks_off.py text A B          of instructions alone: kernels may have other parameters
"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "gpu"))
from stale import text_without_marks  # noqa: E402  # pylint: disable=wrong-import-position

CODE = {"same": (".text.", ".nv.info", ".nv.constant"), "text": (".text.",)}
NOBITS = 8


def sections_of(path, prefixes):
    """Name and bytes of the sections of an ELF file of 64 bits whose names begin so."""
    with open(path, "rb") as file:
        data = file.read()
    table, size, count, names = struct.unpack_from("<40xQ10xHHH", data)[:4]
    rows = [struct.unpack_from("<IIQQQQ", data, table + size * i) for i in range(count)]
    found = {}
    for name_at, kind, _, _, start, length in rows:
        name = data[rows[names][4] + name_at :].split(b"\0", 1)[0].decode()
        if name.startswith(prefixes):
            found[name] = (length, data[start : start + length] if kind != NOBITS else b"")
    return found


def report_difference(prefixes, first, second):
    """Whether the two files differ in these sections; prints where."""
    a, b = sections_of(first, prefixes), sections_of(second, prefixes)
    differ = sorted(name for name in set(a) | set(b) if a.get(name) != b.get(name))
    if not any(name.startswith(".text.") for name in a):
        differ.append("no code at all")
    for name in differ:
        print(f"{name}: {a.get(name, (0,))[0]} bytes with marks, {b.get(name, (0,))[0]} without")
    return bool(differ)


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("strip", *CODE):
        raise SystemExit(__doc__)
    if sys.argv[1] in CODE:
        return report_difference(CODE[sys.argv[1]], *sys.argv[2:])
    with open(sys.argv[2], "rb") as source, open(sys.argv[3], "wb") as target:
        target.write(text_without_marks(source.read()))
    return 0


sys.exit(main())
