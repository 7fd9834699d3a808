"""How is the program cpprof run, and what did it say?"""
import enum
import html
import json
import os
import shutil
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Optional

from .trouble import CpprofError


class ExitStatus(enum.IntEnum):
    """The exit statuses of cpprof."""
    PASS = 0
    FAIL = 1
    USAGE = 2
    INCONCLUSIVE = 3
    ENVIRONMENT = 4
    UNUSABLE_INPUT = 5


@dataclass(frozen=True, repr=False)
class Result:
    """What a command said: its status, its JSON (docs/json.md), or None where it gave none, and its messages."""
    status: ExitStatus
    document: object
    messages: str  # for people: what it wrote to standard error
    bundle: Optional[Path] = None  # what `run` and `capture` wrote
    program_status: Optional[int] = None  # the exit status of a captured program
    page: tuple = ()  # the arguments by which cpprof shows it in a notebook
    program: Optional[str] = None

    def __repr__(self):
        schema = self.document.get("schema") if isinstance(self.document, dict) else type(self.document).__name__
        return f"<cpprof.Result: {self.status.name}, {schema}>"

    def _repr_html_(self):
        return page_of(self.page, self.program) if self.page else None


def find_program(program=None):
    """The program cpprof: as given, else the variable CPPROF, else on PATH."""
    asked = program or os.environ.get("CPPROF") or "cpprof"
    found = shutil.which(asked)
    if not found:
        raise CpprofError(asked, "there is no such program", "the program cpprof",
                          "install it, put its folder into PATH, or name it in the variable CPPROF")
    return found


def _start(arguments, program):
    words = [find_program(program), *map(str, arguments)]
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=False)


def _status_of(done):
    try:
        return ExitStatus(done.returncode)
    except ValueError:
        raise CpprofError(" ".join(done.args), f"it ended with {done.returncode}", "an exit status from 0 to 5",
                          "report this; it wrote: " + (done.stderr or b"").decode("utf-8", "replace")[-500:]) from None


def _ask(command, arguments, program, **more):
    done = _start([command, "--format", "json", *arguments], program)
    status = _status_of(done)
    try:
        document = json.loads(done.stdout) if done.stdout.strip() else None
    except ValueError:
        raise CpprofError(" ".join(done.args), "its output is not JSON", "a document of docs/json.md",
                          "leave --format and -o out") from None
    return Result(status, document, done.stderr.decode("utf-8", "replace"), program=program, **more)


def page_of(arguments, program=None):
    """The page that cpprof shows for these arguments, as a frame for a notebook; None without cpprof or a page."""
    try:
        done = _start([arguments[0], "--format", "html", *arguments[1:]], program)
    except CpprofError:
        return None
    page = done.stdout.decode("utf-8", "replace")
    frame = f'<iframe srcdoc="{html.escape(page)}" style="width: 100%; height: 40em; border: 0"></iframe>'
    return frame if page else None


def report(*arguments, program=None):
    """`cpprof report`: report("x.cpprof", "--brief"). The document of one input, a list of several."""
    return _ask("report", arguments, program, page=("report", "--brief", *arguments))


def compare(*arguments, program=None):
    """`cpprof compare`: compare("before.cpprof", "after.cpprof")."""
    saves = any(str(argument).startswith("--save") for argument in arguments) # would be saved twice
    return _ask("compare", arguments, program, page=() if saves else ("compare", *arguments))


def check(*arguments, program=None):
    """`cpprof check`: check("trace.cpprof", "--assert", "idle() < 10%")."""
    return _ask("check", arguments, program, page=("check", *arguments))


def _free_name(stem):
    """The first of STEM.cpprof, STEM-2.cpprof, ... that does not exist."""
    path, number = Path(f"{stem}.cpprof"), 1
    while path.exists():
        number += 1
        path = Path(f"{stem}-{number}.cpprof")
    return path


def run(arguments, output=None, program=None):
    """`cpprof run`: run(["pipeline/sync", "pipeline/cpasync3", "--baseline", "pipeline/sync"]).

    The bundle is `output`, by default run.cpprof, numbered when it exists.
    """
    bundle = Path(output) if output else _free_name("run")
    result = _ask("run", ["-o", bundle, *arguments], program, page=("report", "--brief", bundle))
    return replace(result, bundle=bundle) if bundle.is_dir() else replace(result, page=())


def capture(command, output=None, options=(), program=None):
    """`cpprof capture -- COMMAND`, then `cpprof report` of the bundle; `options` are those of capture.

    The program keeps its input and output. `program_status` is its exit status, `status` and `document` are those of
    the report. Where nothing was recorded, `document` is None and `status` says why.
    """
    bundle = Path(output) if output else _free_name("capture")
    if bundle.exists() and "--force" not in options:
        raise CpprofError(bundle, "it exists", "a new name", "choose another output, or add --force to the options")
    words = [find_program(program), "capture", "--quiet", "-o", bundle, *options, "--", *command]
    done = subprocess.run([str(word) for word in words], check=False)
    if not bundle.is_dir():
        return Result(_status_of(done), None, "", program=program)
    return replace(report(bundle, program=program), bundle=bundle, program_status=done.returncode)
