"""Does each link of each GPU carry its share of an all-reduce? link_bytes.py CPPROF N

Reads what the driver counts on each NVLink before and after launches that it does not know of, as `nvidia-smi nvlink -gt d`
prints it. When a sampled GPU counts less than it received, this tells a link that carries nothing from one whose
data the sampler does not count.
"""
import re
import subprocess
import sys
import tempfile


def links():
    """{GPU: {link: KiB received}}"""
    done = subprocess.run(["nvidia-smi", "nvlink", "-gt", "d"], stdout=subprocess.PIPE, text=True, check=False)
    counts, gpu = {}, None
    for line in done.stdout.splitlines():
        if match := re.match(r"GPU (\d+):", line):
            gpu = counts.setdefault(int(match[1]), {})
        elif gpu is not None and (match := re.search(r"Link (\d+): Data Rx: (\d+) KiB", line)):
            gpu[int(match[1])] = int(match[2])
    return counts


def main():
    cpprof, ranks = sys.argv[1], int(sys.argv[2])
    before = links()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([cpprof, "run", "allreduce/2stage-send", "--shape", f"bytes=268435456,gpus={ranks}", "--metrics", "none",
                        "--processes", "3", "--iters", "20", "-o", f"{folder}/x.cpprof"], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)
    after = links()
    if not any(after.values()):
        print("links: the driver counts no data of single links here")
    for gpu, counts in sorted(after.items()):
        got = [count - before.get(gpu, {}).get(link, 0) for link, count in sorted(counts.items())]
        if not got or not max(got):
            continue
        print(f"links of GPU {gpu}: {len(got)}, of which {sum(count > 0 for count in got)} carried data, "
              f"{min(got)} to {max(got)} KiB each, {sum(got)} in all")


if __name__ == "__main__":
    main()
