#!/usr/bin/env python3
"""Is each instrumented library the build that its name says, and does it export that and its variants alone?

usage: inside_libraries.py FOLDER      every lib*-record.so, lib*-progress.so and lib*-delay-ROLE.MARK.so there; needs nm
                                and no GPU
"""
import ctypes
import glob
import os
import re
import subprocess
import sys

NAME = re.compile(r"lib.+?-(?:(record|progress)|delay-(\d)\.(\d))\.so$")
EXPORTED = ["cpprof_phases", "cpprof_variants"]
DELAY, RECORD, PROGRESS = 1, 2, 4  # as in include/cpprof/inside.h
PLAIN = {"record": RECORD, "progress": PROGRESS}
MARKS = 8


class Phase(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_char_p) for name in ("role_name", "name")),
        *((name, ctypes.c_int) for name in ("role", "mark", "kind", "until", "ahead")),
        ("variants", ctypes.c_char_p),
    ]


class Inside(ctypes.Structure):
    _fields_ = [
        ("struct_bytes", ctypes.c_uint32),
        ("build", ctypes.c_int),
        ("delay_mark", ctypes.c_int),
        ("phases", ctypes.POINTER(Phase)),
        ("phase_count", ctypes.c_size_t),
        ("set", ctypes.c_void_p),
        ("measure", ctypes.c_void_p),
    ]


class Library(ctypes.Structure):
    _fields_ = [
        ("struct_bytes", ctypes.c_uint32),
        ("abi", ctypes.c_uint32),
        ("variants", ctypes.POINTER(ctypes.c_void_p)),
        ("variant_count", ctypes.c_size_t),
    ]


def complaints(path):
    """What is wrong with this library."""
    plain, role, mark = NAME.search(path).groups()
    listed = subprocess.run(["nm", "-D", "--defined-only", path], stdout=subprocess.PIPE, check=True).stdout.decode()
    exported = sorted(line.split()[-1] for line in listed.splitlines())
    if exported != EXPORTED:
        yield f"exports {' '.join(exported)}"
        return
    library = ctypes.CDLL(path)
    library.cpprof_phases.restype = ctypes.POINTER(Inside)
    library.cpprof_variants.restype = ctypes.POINTER(Library)
    inside, variants = library.cpprof_phases().contents, library.cpprof_variants().contents
    build, number = (PLAIN[plain], -1) if plain else (DELAY, int(role) * MARKS + int(mark))
    if (inside.build, inside.delay_mark) != (build, number):
        yield f"is build {inside.build} with mark {inside.delay_mark}, not {build} with {number}"
    rows = [(inside.phases[i].role, inside.phases[i].mark) for i in range(inside.phase_count)]
    if not rows or role and (int(role), int(mark)) not in rows:
        yield "has no phase that begins at its mark"
    if not variants.variant_count or not all(variants.variants[i] for i in range(variants.variant_count)):
        yield "lacks variants"


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    paths = sorted(path for path in glob.glob(os.path.join(sys.argv[1], "lib*.so")) if NAME.search(path))
    found = [f"{path}: {what}" for path in paths for what in complaints(path)]
    if not paths:
        found = [f"{sys.argv[1]}: no instrumented library"]
    print("\n".join(found), end="\n" if found else "", file=sys.stderr)
    return bool(found)


sys.exit(main())
