#!/usr/bin/env python3
"""Is a bundle of an odd chip, or with counters that cannot be, judged no better than the one that was recorded?

usage: odd_chips.py [--every N] [--only BUNDLE] CPPROF EXAMPLES

Recorded bundles are changed in one place and sealed anew: the capability, units and ceilings of the GPU, each
counter left out, not known, 0, negative, above its peak. Of each one:

  - each command ends within 60 s, with an exit status of ours
  - no document has an infinite number or one that is none
  - no kernel is classified otherwise than in the recording, unless as inconclusive; and no exit status is better
  - a share above 100% of a peak is said to be not credible, and no roof is exceeded

Takes every Nth (1: all, seven minutes), and always those in ALWAYS. Prints each objection; exits 1 if there is one.
"""

import argparse
import copy
import json
import os
import re
import subprocess
import sys
import tempfile

from bundle_mutants import Mutant

SECONDS_MOST = 60 # with sanitizers, on a busy machine
NO_NUMBER = re.compile(rb"(?<![A-Za-z_./-])[-+]?(inf|nan|infinity)(?![A-Za-z_])", re.IGNORECASE)
SHARE = re.compile(r"([0-9]+(?:\.[0-9]+)?)% of (?:its|the|their) (?:peak|roof|ceiling)[^.;\n]*")
ROOF = re.compile(rb'"nearest_share": ([0-9.e+-]+)')
ROUNDING = 1.02
UNSURE = "inconclusive"
ALWAYS = {"dram__throughput.avg.pct_of_peak_sustained_elapsed above its peak", "gpu.compute_capability is '13.7'",
          "ceilings.ceilings.0.best is 1e-300"}

BUNDLES = {
    "pipeline/explained.cpprof": "roofline with measured ceilings, predictions",
    "verdicts/valid-negative.cpprof": "comparison, gates",
    "pytorch-attention/attention.cpprof": "programs",
    "allreduce/links.cpprof": "several GPUs",
}


# ---- what is changed ----

def set_in(mutant, path, value):
    at = mutant.manifest
    for step in path[:-1]:
        at = at.get(step, {}) if isinstance(at, dict) else at[step]
    if value is GONE:
        at.pop(path[-1], None)
    else:
        at[path[-1]] = value


GONE = object()


def manifest_changes(manifest):
    for value in ("13.7", "", GONE, None, 9.0, "nine", "-9.0", "9.0.0"):
        yield ("gpu", "compute_capability"), value
    for key in ("sm_count", "l2_bytes", "memory_bytes", "shared_optin_bytes", "threads_per_sm"):
        for value in (0, -1, GONE, None, 1, 1e300):
            yield ("gpu", key), value
    for value in (GONE, {}, None):
        yield ("gpu",), value
    ceilings = manifest.get("ceilings")
    if not ceilings:
        return
    for key in ("memory_clock_max_hz", "memory_bus_bits", "sm_clock_max_hz", "ceilings"):
        for value in (0, -1, GONE, None, []):
            yield ("ceilings", key), value
    for i in range(len(ceilings["ceilings"])):
        for key in ("best", "sm_clock_hz"):
            for value in (0, -1, GONE, None, 1e-300, 1e300):
                yield ("ceilings", "ceilings", i, key), value


def counter_values(share):
    """What a counter may say that no GPU says."""
    yield "gone", None
    yield "not known", ""
    yield "zero", "0"
    yield "negative", "-0.25"
    if share:
        yield "above its peak", "1.09"
        yield "far above its peak", "5"
    yield "huge", "1e300"


def change_counter(mutant, name, value):
    rows = mutant.rows("metrics.csv")
    at = {n: i for i, n in enumerate(rows[0])}
    if value is None:
        rows = rows[:1] + [r for r in rows[1:] if r[at["metric"]] != name]
    for row in rows[1:]:
        if row[at["metric"]] == name:
            row[at["value"]] = value
    mutant.set_rows("metrics.csv", rows)


# ---- what is said ----

def run(words):
    try:
        done = subprocess.run(words, capture_output=True, timeout=SECONDS_MOST)
    except subprocess.TimeoutExpired:
        return None, b"", b"it does not end"
    return done.returncode, done.stdout, done.stderr


def classes_of(document):
    return {(k["variant"], k["shape"], k["name"]): k["class"] for k in document["kernels"]}


def judge(cpprof, path):
    said = {}
    for name, words in (("classify", ["classify", path, "--format", "json"]), ("report", ["report", "--full", "--format", "text", path]),
                        ("explain", ["classify", path, "--explain"]), ("compare", ["compare", path, "--format", "json"])):
        status, out, err = run([cpprof] + words)
        said[name] = {"status": status, "out": out, "err": err}
    return said


def objections(before, after, follows):
    for name, now in after.items():
        status, out, err = now["status"], now["out"], now["err"]
        if status not in (0, 1, 2, 3, 5) or b"Sanitizer" in err or b"runtime error" in err or b"internal error" in err:
            yield f"{name}: exit {status}: {err[-300:].decode(errors='replace')}"
        found = NO_NUMBER.search(out) if not NO_NUMBER.search(before[name]["out"]) else None
        if found:
            yield f"{name}: {out[max(0, found.start() - 90):found.end() + 30].decode(errors='replace')!r}"
        if status == 0 and before[name]["status"] != 0:
            yield f"{name}: exit 0 where it was {before[name]['status']}"
        for share in SHARE.finditer(out.decode(errors="replace")):
            if float(share.group(1)) > 100 and "credible" not in share.group(0):
                yield f"{name}: {share.group(0)[:100]!r}"
        for share in ROOF.finditer(out):
            if float(share.group(1)) > ROUNDING:
                yield f"{name}: {share.group(0).decode()}"
    if follows or after["classify"]["status"] == 5 or not after["classify"]["out"].startswith(b"{"):
        return
    was, now = (classes_of(json.loads(s["classify"]["out"])) for s in (before, after))
    # A counter that reads 0 is one that could be: the class follows it.
    for kernel, is_now in sorted(now.items()):
        if is_now not in (UNSURE, was.get(kernel)):
            yield f"classify: {kernel}: {is_now}, and was {was.get(kernel)}"


def mutants_of(source):
    with open(os.path.join(source, "manifest.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    for path, value in manifest_changes(manifest):
        yield f"{'.'.join(map(str, path))} is {'gone' if value is GONE else repr(value)}", False, lambda m, p=path, v=value: set_in(m, p, v)
    with tempfile.TemporaryDirectory() as folder:
        rows = Mutant(source, folder).rows("metrics.csv")
    at = {n: i for i, n in enumerate(rows[0])}
    names = sorted({(r[at["metric"]], r[at["unit"]] == "ratio") for r in rows[1:]})
    for name, share in names:
        for what, value in counter_values(share):
            yield f"{name} {what}", what in ("zero",), lambda m, n=name, v=value: change_counter(m, n, v)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=400)
    parser.add_argument("--only", default="")
    parser.add_argument("cpprof")
    parser.add_argument("examples")
    options = parser.parse_args()
    failed = tried = number = 0
    for name in BUNDLES:
        if options.only not in name:
            continue
        source = os.path.join(options.examples, name)
        before = judge(options.cpprof, source)
        for story, follows, change in mutants_of(source):
            number += 1
            if number % options.every and story not in ALWAYS:
                continue
            tried += 1
            with tempfile.TemporaryDirectory(prefix="cpprof-odd-") as folder:
                mutant = Mutant(source, folder)
                mutant.manifest = copy.deepcopy(mutant.manifest)
                change(mutant)
                mutant.seal()
                wrong = list(objections(before, judge(options.cpprof, mutant.path), follows))
            if wrong:
                failed += 1
                print(f"{name}: {story}", *wrong[:6], sep="\n    ", flush=True)
    print(f"{tried} odd bundles, {failed} judged wrongly")
    return 1 if failed or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
