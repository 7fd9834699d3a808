"""What a recorded all-reduce must show: allreduce_facts.py BUNDLE dispatch|choice|received COUNT

dispatch: compared with NCCL, at each of COUNT sizes and types: not slower; at 1 MiB and less at least 1.5 times as fast.
choice:   compared with the dispatcher, at each of COUNT sizes: no other kernel is proven faster and by more than 3%.
received: data that each GPU received over NVLink in COUNT arms: what the kernel that ran sends, and at most 1% more. One GPU
          may lack two of 18 links, which its counters miss at times; it is named.
"""
import csv
import json
import pathlib
import re
import sys

if len(sys.argv) != 4 or sys.argv[2] not in ("dispatch", "choice", "received"):
    sys.exit(__doc__)
bundle, question, wanted_count = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
LINKS_LACKING = 2 / 18
failed = []


def words_of(shape):
    return dict(word.split("=") for word in shape.replace(",", " ").split() if "=" in word)


def size_of(shape):
    return int(words_of(shape).get("bytes", 1 << 20))


def ranks_of(shape):
    return int(words_of(shape).get("gpus", 2))


def type_of(shape):
    return ("fp32", "fp16", "bf16")[int(words_of(shape).get("dtype", 0))]


def messages_of(kernel, ranks):
    """How many messages a rank must receive, and how many it may: small stores with flags count as more than they are."""
    all_of_each, parts = ranks - 1, 2 * (ranks - 1) / ranks
    if "_ll<" in kernel:
        return 2 * all_of_each, 4 * all_of_each
    return (parts, parts) if "_2stage" in kernel else (all_of_each, all_of_each)


def received():
    """(variant, shape, GPU, bytes) of each reading."""
    with open(bundle / "metrics.csv", newline="") as table:
        for row in csv.DictReader(table):
            if row["metric"] == "nvlrx__bytes_data_user.sum":
                yield row["variant"], row["shape"], row["kernel"], float(row["value"] or "nan")


def kernels_that_ran():
    """What ran of each (variant, shape), as the rule of the selection says it."""
    gates = json.loads((bundle / "verdict.json").read_text())["gates"]
    matches = (re.fullmatch(r"selection: ([^,]*), (.*)", gate["rule"]) for gate in gates)
    return {(m[1], m[2]): gate["detail"] for m, gate in zip(matches, gates) if m}


def compare(rows, is_bad):
    print("type, bytes, baseline us, candidate us, times as fast, interval, verdict")
    for row in sorted(rows, key=lambda r: (type_of(r["shape"]), size_of(r["shape"]))):
        size, speedup = size_of(row["shape"]), row["speedup"]
        print(f'{type_of(row["shape"])}, {size}, {row["baseline_ns"] / 1e3:.2f}, {row["candidate_ns"] / 1e3:.2f}, {speedup:.2f}, '
              f'{1 / row["ci_high"]:.2f} to {1 / row["ci_low"]:.2f}, {row["verdict"]}')
        if is_bad(size, speedup, row["verdict"]):
            failed.append(row["shape"])


def choose(rows):
    """For each size the fastest kernel beside the dispatcher's own."""
    best = {}
    for row in rows:
        if row["shape"] not in best or row["speedup"] > best[row["shape"]]["speedup"]:
            best[row["shape"]] = row
        if row["verdict"] == "faster" and row["speedup"] > 1.03:
            failed.append(f'{row["candidate"]} {row["shape"]}')
    print("bytes, dispatch us, the best other, times as fast, verdict")
    for row in sorted(best.values(), key=lambda r: size_of(r["shape"])):
        print(f'{size_of(row["shape"])}, {row["baseline_ns"] / 1e3:.2f}, {row["candidate"]}, {row["speedup"]:.3f}, {row["verdict"]}')
    return len(best)


def judge_links(name, size, ranks, gpus, least, most):
    """A link that is not counted is no byte that was not sent, so one GPU may count a little less."""
    room = (4096 + 0.01 * most * size) / size if least else 4096 / size
    short = sorted(gpu for gpu, count in gpus.items() if count < 0.995 * least * size)
    if short:
        print(f"  counted less than was sent: {', '.join(short)}")
    lacking = [gpu for gpu in short if gpus[gpu] < (1 - LINKS_LACKING) * 0.995 * least * size]
    if len(gpus) != ranks or len(short) > 1 or lacking or any(count > (most + room) * size for count in gpus.values()):
        failed.append(name)


def count_links():
    ran, readings = kernels_that_ran(), {}
    for variant, shape, gpu, count in received():
        readings.setdefault((variant, shape), {})[gpu] = count
    for (variant, shape), gpus in sorted(readings.items(), key=lambda item: (item[0][0], size_of(item[0][1]))):
        kernel, ranks, size = ran.get((variant, shape), ""), ranks_of(shape), size_of(shape)
        of_each = ", ".join(f"{count / size:.3f}" for _, count in sorted(gpus.items()))
        if variant.endswith("nccl"): # its protocols send flags beside the data, and its algorithm is its own
            print(f"{variant} {size}: {of_each} messages")
            continue
        if "allreduce_" not in kernel:
            failed.append(f"{variant} {size}: what ran is not known")
            continue
        least, most = (0, 0) if variant.endswith("naive") else messages_of(kernel, ranks)
        wanted = f"{least:g}" if least == most else f"{least:g} to {most:g}"
        print(f"{variant} {size}: {of_each} messages, wanted {wanted}")
        judge_links(f"{variant} {size}", size, ranks, gpus, least, most)
    return len(readings)


if question == "received":
    count = count_links()
else:
    timed = json.loads((bundle / "verdict.json").read_text())["rows"]
    if question == "choice":
        count = choose(timed)
    else:
        compare(timed, lambda size, speedup, verdict: verdict == "slower" or (size <= 1 << 20 and speedup < 1.5))
        count = len(timed)
if count != wanted_count:
    failed.append(f"{count} instead of {wanted_count} comparisons or readings")
if failed:
    print("FAILED at", ", ".join(failed))
sys.exit(bool(failed))
