"""What a recorded all-reduce must show: allreduce_facts.py BUNDLE dispatch|links

dispatch: against NCCL, at each size: not slower; at 1 MiB and less at least 1.5 times as fast.
links:    bytes that crossed NVLink: none of naive, a message and little else of each that reads or sends to peers.
"""
import csv
import json
import pathlib
import sys

bundle, question = pathlib.Path(sys.argv[1]), sys.argv[2]
failed = []


def size_of(shape):
    words = dict(word.split("=") for word in shape.replace(",", " ").split() if "=" in word)
    return int(words["bytes"]) if "bytes" in words else {"mib16": 16 << 20}[shape.split()[0]]


if question == "dispatch":
    rows = json.loads((bundle / "verdict.json").read_text())["rows"]
    print("bytes, NCCL us, ours us, times as fast, interval, verdict")
    for row in sorted(rows, key=lambda r: size_of(r["shape"])):
        size, speedup = size_of(row["shape"]), row["speedup"]
        print(f'{size}, {row["baseline_ns"] / 1e3:.2f}, {row["candidate_ns"] / 1e3:.2f}, {speedup:.2f}, '
              f'{1 / row["ci_high"]:.2f} to {1 / row["ci_low"]:.2f}, {row["verdict"]}')
        if row["verdict"] == "slower" or (size <= 1 << 20 and speedup < 1.5):
            failed.append(row["shape"])
elif question == "links":
    message, seen = 16 << 20, 0
    with open(bundle / "metrics.csv", newline="") as table:
        for row in csv.DictReader(table):
            if row["metric"] != "nvlrx__bytes_data_user.sum":
                continue
            seen += 1
            received = float(row["value"] or "nan")
            print(f'{row["variant"]}, {row["kernel"]}: received {received:.0f} of {message} bytes')
            wanted = received == 0 if row["variant"].endswith("naive") else message <= received <= 1.01 * message
            if not wanted:
                failed.append(f'{row["variant"]} {row["kernel"]}')
    if seen < 2 * 3:
        failed.append(f"{seen} readings of what came over NVLink, instead of one of each GPU and variant")
if failed:
    print("FAILED at", ", ".join(failed))
sys.exit(bool(failed))
