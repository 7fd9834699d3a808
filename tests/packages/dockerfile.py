"""Do the steps of the Dockerfile work? Runs them in roots of Debian 12, as `docker build` would; needs root and a mirror of Debian.

usage: dockerfile.py SOURCE_TREE      exit 77: skipped, no root can be made
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

tree = pathlib.Path(sys.argv[1]).resolve()
DEBIAN = {"debian:12", "debian:12-slim"}


def instructions():
    text = re.sub(r"\\\n", " ", (tree / "Dockerfile").read_text())
    return [line.split(None, 1) for line in text.splitlines() if line and not line.startswith("#")]


def run(root, folder, command, **more):
    return subprocess.run(["unshare", "--mount", "--pid", "--fork", f"--mount-proc={root}/proc", "chroot", root, "/bin/sh", "-ec",
                           f"cd {folder} && {command}"], check=True, **more)


def copy_sources(to):
    """What git knows, as a checkout has it."""
    to.mkdir(parents=True, exist_ok=True)
    with subprocess.Popen(["git", "-C", tree, "archive", "HEAD"], stdout=subprocess.PIPE) as archive:
        subprocess.run(["tar", "-x", "-C", to], stdin=archive.stdout, check=True)


def mount(root, option, stages):
    given = dict(part.split("=") for part in option.split(","))
    assert given.pop("type") == "bind", option
    shutil.copytree(f"{stages[given['from']]}{given['source']}", f"{root}{given['target']}")
    return f"{root}{given['target']}"


def main():
    if not shutil.which("mmdebstrap"):
        print("skipped: mmdebstrap is not installed")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as work:
        bare = f"{work}/bare"
        if subprocess.run(["mmdebstrap", "--quiet", "--variant=minbase", "bookworm", bare], check=False).returncode:
            print("skipped: no mirror of Debian")
            sys.exit(77)
        stages, root, folder = {}, None, "/"
        for word, rest in instructions():
            print(word, rest, flush=True)
            if word == "FROM":
                image, *name = re.split(r" AS ", rest)
                assert image in DEBIAN, f"this knows Debian 12 alone, not {image}"
                root, folder = f"{work}/stage{len(stages)}", "/"
                stages[name[0] if name else ""] = root
                subprocess.run(["cp", "-a", bare, root], check=True)
            elif word == "WORKDIR":
                folder = rest
                pathlib.Path(root + folder).mkdir(exist_ok=True)
            elif word == "COPY":
                assert rest == ". .", rest
                copy_sources(pathlib.Path(root + folder))
            elif word == "RUN":
                option, command = re.fullmatch(r"(?:--mount=(\S+) )?(.*)", rest).groups()
                mounted = mount(root, option, stages) if option else None
                run(root, folder, command)
                if mounted:
                    shutil.rmtree(mounted)
            else:
                assert word == "ENTRYPOINT" and rest == '["cpprof"]', f"{word} {rest}"
        bundle = "examples/captures/vector.cpprof"
        shutil.copytree(tree / bundle, f"{root}{folder}/vector.cpprof")
        said = run(root, folder, "cpprof report --brief vector.cpprof", stdout=subprocess.PIPE, text=True).stdout
        assert "the GPU is busy" in said, said
        print("ok: the image reports a recorded bundle")


main()
