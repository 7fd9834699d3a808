#!/usr/bin/env python3
"""Is the Python package installed into a fresh environment without a network, with the version of cpprof?

usage: install.py CPPROF SOURCE_TREE      its Python has numpy, setuptools with wheel, and ensurepip
"""
import os
import shutil
import subprocess
import sys
import tempfile

CPPROF, SOURCE = (os.path.abspath(argument) for argument in sys.argv[1:3])
TRY = """
import importlib.metadata, sys
import cpprof
assert cpprof.__file__.startswith(sys.prefix), cpprof.__file__
assert cpprof.load(sys.argv[1]).timing.rows == 560
print("cpprof", importlib.metadata.version("cpprof"))
"""


def main():
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    with tempfile.TemporaryDirectory() as work:
        def said(*words):
            return subprocess.run(words, cwd=work, env=environment, check=True, capture_output=True, text=True).stdout

        # NumPy and setuptools are those of the system. A build leaves files beside the sources, hence the copy.
        said(sys.executable, "-m", "venv", "--system-site-packages", "venv")
        shutil.copytree(f"{SOURCE}/python", f"{work}/python")
        said("venv/bin/pip", "install", "--quiet", "--no-index", "--no-build-isolation", "./python")
        installed = said("venv/bin/python", "-c", TRY, f"{SOURCE}/examples/verdicts/win.cpprof").strip()
        program = said(CPPROF, "version").splitlines()[0]
    print(f"installed: {installed}; the program: {program}")
    return installed != program


if __name__ == "__main__":
    sys.exit(main())
