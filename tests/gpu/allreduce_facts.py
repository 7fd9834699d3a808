"""What a recorded all-reduce must show: allreduce_facts.py BUNDLE dispatch|choice|received|links

dispatch: compared with NCCL, at each size: not slower; at 1 MiB and less at least 1.5 times as fast.
choice:   compared with the dispatcher, at each size: no other kernel is proven faster, or by 3%.
received: data that each GPU received over NVLink, of the message: what the kernel that ran sends.
links:    the same at one size: nothing of naive, of the others what their algorithm sends and at most 1% more.
"""
import csv
import json
import pathlib
import re
import sys

bundle, question = pathlib.Path(sys.argv[1]), sys.argv[2]
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
    print("bytes, dispatch us, the best other, times as fast, verdict")
    for row in sorted(best.values(), key=lambda r: size_of(r["shape"])):
        print(f'{size_of(row["shape"])}, {row["baseline_ns"] / 1e3:.2f}, {row["candidate"]}, {row["speedup"]:.3f}, {row["verdict"]}')
        if row["verdict"] == "faster" and row["speedup"] > 1.03:
            failed.append(row["shape"])


def count_links(share_least):
    """What each GPU received, of what its kernel sends. A link that is not counted is no byte that was not sent: such a
    GPU is named, and only less than `share_least`, or too much, fails."""
    ran, readings = kernels_that_ran(), {}
    for variant, shape, gpu, count in received():
        readings.setdefault((variant, shape), {})[gpu] = count
    for (variant, shape), gpus in sorted(readings.items(), key=lambda item: (item[0][0], size_of(item[0][1]))):
        kernel, ranks, size = ran.get((variant, shape), ""), ranks_of(shape), size_of(shape)
        least, most = (0, 0) if variant.endswith("naive") else messages_of(kernel, ranks)
        shares = {gpu: count / size for gpu, count in gpus.items()}
        of_each = ", ".join(f"{share:.3f}" for _, share in sorted(shares.items()))
        wanted = f"{least:g}" if least == most else f"{least:g} to {most:g}"
        print(f"{variant} {size}: {of_each} messages on {len(gpus)} GPUs, wanted {wanted}")
        if variant.endswith("nccl"):
            continue # its protocols send flags beside the data
        room = 65536 / size if least else 4096 / size
        if len(gpus) != ranks or any(not share_least * least <= share <= 1.01 * most + room for share in shares.values()):
            failed.append(f"{variant} {size}")
        short = [gpu for gpu, share in shares.items() if share < 0.995 * least]
        if short:
            print(f"  counted less than was sent: {', '.join(sorted(short))}")
    if not readings:
        failed.append("nothing was counted on the links")


if question in ("dispatch", "choice"):
    timed = json.loads((bundle / "verdict.json").read_text())["rows"]
    if question == "choice":
        choose(timed)
    else:
        compare(timed, lambda size, speedup, verdict: verdict == "slower" or (size <= 1 << 20 and speedup < 1.5))
elif question in ("received", "links"):
    count_links(0.8 if question == "received" else 0.9)
else:
    sys.exit(f"{question}: dispatch, choice, received or links")
if failed:
    print("FAILED at", ", ".join(failed))
sys.exit(bool(failed))
