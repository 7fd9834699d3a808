#!/usr/bin/env python3
"""Cuts a small test input out of a raw page of Nsight Compute: the columns that cpprof reads, of a few launches.
usage: cut_ncu.py CPPROF FILE ID... >CUT       FILE may be gzipped; the first line of CUT marks it as cut

The numbers are those of the file. Names of kernels become k0, k1, ..."""
import csv
import gzip
import json
import subprocess
import sys

if len(sys.argv) < 4:
    sys.exit(__doc__)
cpprof, path, ids = sys.argv[1], sys.argv[2], sys.argv[3:]
known = json.loads(subprocess.check_output([cpprof, "list", "--metrics", "--format", "json"]))["metrics"]
wanted = {metric["name"] for metric in known} | {
    "ID", "Kernel Name", "CC", "Device", "Grid Size", "Block Size", "launch__grid_size", "launch__block_size",
    "launch__registers_per_thread", "launch__waves_per_multiprocessor", "launch__sm_count",
    "device__attribute_multiprocessor_count", "l1tex__throughput.avg.pct_of_peak_sustained_active",
    "sm__memory_throughput.avg.pct_of_peak_sustained_elapsed",
    "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed",
    "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "sm__issue_active.avg.pct_of_peak_sustained_elapsed"}
wanted |= {name.replace(".avg.pct", ".sum.pct") for name in wanted if name.endswith("sustained_elapsed")}
with (gzip.open if path.endswith(".gz") else open)(path, "rt", newline="") as file:
    rows = [row for row in csv.reader(file) if row]
head = next(i for i, row in enumerate(rows) if "Kernel Name" in row)
names = rows[head]
columns = [i for i, name in enumerate(names) if name in wanted]
out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow(["==CUT== numbers of a public file of Nsight Compute, by tests/data/cut_ncu.py"])
out.writerow([names[i] for i in columns])
out.writerow([rows[head + 1][i] for i in columns])  # units
for row in rows[head + 2:]:
    if row[names.index("ID")] in ids:
        row[names.index("Kernel Name")] = f"k{row[names.index('ID')]}"
        out.writerow([row[i] for i in columns])
