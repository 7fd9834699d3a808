"""Do the steps of action.yml do what they say? Each case is a job, run by job.py.

usage: action.py CPPROF MAKE_BUNDLES SOURCE_TREE      exit 77: jq is missing
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

import yaml

import job

SUMMARY_MAX, COMMENT_MAX = 1048576, 65536
STRANGER = "a`b <script>x</script> @everyone %0A::set-output name=x::y <!-- cpprof other --> ##[group]z"


class Repository:
    """A repository with recorded bundles, a pull request, caches, and cpprof as a package."""

    def __init__(self, cpprof, make_bundles, tree, work):
        self.tree, self.work = tree, work
        self.action = job.read_action(tree)
        self.files, self.comments = work / "files", work / "comments.json"
        self.files.mkdir()
        subprocess.run([make_bundles, self.files], check=True)
        shutil.copytree(tree / "examples/captures/train.cpprof", self.files / "train.cpprof")
        shutil.copytree(tree / "examples/ci", self.files / "ci")
        self.package = work / "cpprof.tar.gz"
        with tarfile.open(self.package, "w:gz") as package:
            package.add(cpprof, "cpprof-0/bin/cpprof")
        (work / "bin").mkdir()
        shutil.copy(tree / "tests/action/fake_gh.py", work / "bin/gh")
        self.start_pull_request()
        self.runs = 0

    def start_pull_request(self):
        """With a comment of somebody who writes our mark."""
        self.comments.write_text(json.dumps([{"id": 1, "user": {"type": "User"}, "body": "<!-- cpprof cpprof -->\nmine"}]))

    def ours(self):
        return [one["body"] for one in json.loads(self.comments.read_text()) if one["user"]["type"] == "Bot"]

    def job(self, event="push", token="write", **inputs):
        self.runs += 1
        github = {"run_id": str(self.runs), "run_attempt": "1", "token": "secret"}
        if event == "pull_request":
            github["event.pull_request.number"] = "7"
        variables = {"GITHUB_ACTION_PATH": str(self.tree), "GITHUB_EVENT_NAME": event, "GITHUB_REPOSITORY": "team/kernels",
                     "GITHUB_RUN_ID": str(self.runs), "FAKE_COMMENTS": str(self.comments), "FAKE_TOKEN": token}
        one = job.Job(self.action, {"package": str(self.package), **inputs}, github, self.work, self.files,
                      f"{self.work}/bin:{os.environ['PATH']}", variables)
        one.status = one.run()
        assert len(one.summary.encode()) <= SUMMARY_MAX, "a summary that GitHub refuses"
        return one


def expect(one, status, *said):
    shown = one.log + one.summary
    assert one.status == status, f"exit status {one.status} instead of {status}:\n{shown[-4000:]}"
    for text in said:
        assert text in shown, f"no '{text}' in:\n{shown[-4000:]}"


def checks(repository):
    rules = {"rules": "ci/idle_*.rules\n  ci/launch_budget.rules\n"}
    one = repository.job(inputs="train.cpprof", **rules)
    expect(one, 0, "::notice title=cpprof check::rules:", "**all rules hold**", "gap_max(any)")
    assert set(one.artifacts["cpprof"]) == {"report.html", "results.xml", "result.json", "summary.md", "comment.md"}
    assert json.loads(one.artifacts["cpprof"]["result.json"])["schema"].startswith("cpprof.")
    assert "<testsuite " in one.artifacts["cpprof"]["results.xml"] and "<html" in one.artifacts["cpprof"]["report.html"]
    assert not repository.ours(), "a push has no pull request to comment on"
    expect(repository.job(inputs="train.cpprof", options="--assert=idle() < 0.1%", name="idle", **rules), 1, "::error title=cpprof%3A fail")
    expect(repository.job(inputs="train.cpprof"), 2, "no rule to check", "**cpprof check ended with 2**")
    expect(repository.job(inputs="missing.cpprof", **rules), 5, "missing.cpprof", "**cpprof check ended with 5**")


def misuse(repository):
    for wrong in ({"command": "run"}, {"inconclusive": "perhaps"}, {"name": "../x"}, {"command": "compare", "baseline": ".."}):
        expect(repository.job(inputs="train.cpprof", **wrong), 2, "::error title=cpprof::")
    expect(repository.job(inputs="slower.cpprof", package="nowhere.deb"), 2, "there is no package 'nowhere.deb'")


def comments(repository):
    compared = {"event": "pull_request", "command": "compare"}
    expect(repository.job(inputs="slower.cpprof", **compared), 1, "::error title=cpprof%3A slower", "is slower than")
    assert len(repository.ours()) == 1 and "is slower than" in repository.ours()[0], repository.ours()
    expect(repository.job(inputs="faster.cpprof", **compared), 0, "is faster than")
    assert len(repository.ours()) == 1 and "is faster than" in repository.ours()[0], "one comment, which is updated"
    repository.job(inputs="faster.cpprof", name="second", **compared)
    assert len(repository.ours()) == 2, "another use has a comment of its own"
    assert json.loads(repository.comments.read_text())[0]["body"].endswith("mine"), "comments of others are left alone"
    repository.job(inputs="faster.cpprof", name="third", comment="false", **compared)
    repository.start_pull_request()
    for token in "read", "nothing":
        expect(repository.job(inputs="slower.cpprof", token=token, **compared), 1, "::notice title=cpprof::no comment", "is slower than")
    assert not repository.ours(), "a fork has no comment, and no failure of its own"


def references(repository):
    compared = {"command": "compare", "baseline": "main"}
    expect(repository.job("pull_request", inputs="budget.cpprof", **compared), 3, "Not judged", "no reference")
    expect(repository.job("pull_request", inputs="budget.cpprof", inconclusive="pass", **compared), 0, "not settled")
    expect(repository.job("workflow_run", inputs="budget.cpprof", **compared), 3, "Not judged")
    expect(repository.job(inputs="slack.cpprof", command="compare", baseline="main-2"), 0, "first reference `main-2`")
    expect(repository.job("pull_request", inputs="budget.cpprof", **compared), 3, "Not judged")  # that of main-2 is another
    expect(repository.job(inputs="faster.cpprof", save="never", **compared), 3, "Not judged")
    expect(repository.job(inputs="faster.cpprof", **compared), 0, "first reference `main`")

    def kept():
        folders = sorted((repository.work / "caches").glob("cpprof-store%main%*"), key=lambda folder: folder.stat().st_mtime_ns)
        return [bundle.name for bundle in sorted((folders[-1] / "main").iterdir())]

    expect(repository.job("pull_request", inputs="slower.cpprof", **compared), 1, "slower in 1")
    expect(repository.job("pull_request", inputs="budget.cpprof", **compared), 0, "equivalent in 2")
    expect(repository.job(inputs="slower.cpprof", **compared), 1)
    assert kept() == ["000001.cpprof"], "neither a pull request nor what is slower becomes the reference"
    expect(repository.job(inputs="budget.cpprof", **compared), 0, "new reference `main`")
    assert kept() == ["000001.cpprof", "000002.cpprof"]
    expect(repository.job(inputs="slower.cpprof", save="always", **compared), 1)
    assert kept()[-1] == "000003.cpprof", "accepted on purpose"
    expect(repository.job("pull_request", inputs="budget.cpprof", save="always", **compared), 0)
    assert kept()[-1] == "000003.cpprof"
    expect(repository.job(inputs="slower.cpprof", save="always", **compared), 1)
    assert kept()[-1] == "000003.cpprof", "a job that is run again is judged as before, and keeps nothing twice"


def references_of_no_use(repository):
    """What is missing or unusable is neither judged nor kept; a job that is run again is judged against what was before."""
    compared = {"command": "compare", "baseline": "main"}
    expect(repository.job("pull_request", inputs="nothere.cpprof", inconclusive="pass", **compared), 5, "nothere.cpprof")
    expect(repository.job(inputs="nothere.cpprof", **compared), 5, "nothere.cpprof")
    expect(repository.job(inputs="faster.cpprof", name="store", **compared), 0, "first reference `main`", "::warning")
    expect(repository.job(inputs="faster.cpprof", name="store", **compared), 0, "earlier attempt")
    expect(repository.job(inputs="slower.cpprof", name="store", **compared), 1, "slower in 1")
    for wrong in "--help", " --format=text", "--save=x", "-o x", "--against=y":
        expect(repository.job(inputs="faster.cpprof", options=wrong, **compared), 2, "decides what is written or kept")
    expect(repository.job("pull_request", inputs="faster.cpprof", options="  --margin=2% ", baseline="none", command="compare"), 3, "Not judged")


def benchmarks(repository, names):
    for side in "before", "after":
        rows = [{"name": name, "run_name": name, "run_type": "iteration", "repetitions": 1, "iterations": 1, "real_time": 1,
                 "cpu_time": 1, "time_unit": "ns"} for name in names]
        context = {"host_name": "h", "num_cpus": 8, "library_build_type": "release", "side": side}
        (repository.files / f"{side}.json").write_text(json.dumps({"context": context, "benchmarks": rows}))


def strangers(repository):
    """Names stay names: no command of the runner, no markup, no mention, no mark of ours."""
    benchmarks(repository, [STRANGER, "c\n::error::taken over", "::stop-commands::x"])
    one = repository.job("pull_request", command="compare", inputs="before.json\nafter.json", name="names")
    expect(one, 3, "a`b")
    one.log += repository.job(command="compare", inputs="\n::error::names.json").log  # what cpprof says itself
    token = "|".join(re.findall(r"^::stop-commands::(\w{32})$", one.log, re.MULTILINE))
    assert token and "::error::names.json" in one.log
    for line in one.log.splitlines():
        assert not line.lstrip().startswith("::") or re.match(
            rf"::(error|warning|notice) (file=|title=cpprof)|::stop-commands::({token})|::({token})::", line), line
        assert "##[" not in line or line.startswith("::"), line
    outside = re.sub(r"(`+)[^`].*?\1", "", one.summary)  # of code spans
    for text in "<script", "@everyone", "<!--":
        assert text not in outside, f"'{text}' is alive in the summary"
    repository.job("pull_request", inputs="hostile.cpprof", command="compare", name="hostile")
    assert all(body.startswith("<!-- cpprof ") for body in repository.ours())


def sizes(repository):
    benchmarks(repository, [f"kernel/{i}/" + "x" * 60 for i in range(9000)])
    one = repository.job("pull_request", command="compare", inputs="before.json\nafter.json", name="large")
    expect(one, 3, "too long for a summary")
    assert len(one.summary) > SUMMARY_MAX // 2 and one.summary.endswith("|\n"), "what has room is shown, in whole lines"
    large = [body for body in repository.ours() if body.startswith("<!-- cpprof large -->")]
    assert len(large) == 1 and COMMENT_MAX // 2 < len(large[0]) < COMMENT_MAX
    assert "goes on in the summary" in large[0]


def installs_once(repository):
    for _ in range(2):
        expect(repository.job(inputs="slower.cpprof", command="compare"), 1)
    caches = list((repository.work / "caches").iterdir())
    assert len(caches) == 1, f"a package is cached once, also by jobs that fail, not as {caches}"
    (caches[0] / "bin/cpprof").write_text("#!/bin/sh\necho from the cache\nexit 1\n")
    expect(repository.job(inputs="slower.cpprof", command="compare"), 4, "from the cache", "does not run on this system")


def workflow(tree):
    """The workflow to copy calls this action with inputs that it has."""
    action, uses = job.read_action(tree), 0
    jobs = yaml.safe_load((tree / "examples/ci/cpprof.yml").read_text())["jobs"]
    for name, one in jobs.items():
        assert one["runs-on"], name
        for step in one["steps"]:
            assert ("uses" in step) != ("run" in step), step
            if step.get("uses", "").endswith("/cpprof@v1"):
                uses += 1
                assert set(step["with"]) <= set(action["inputs"]), step
    assert uses >= 2, "the workflow does not use the action"
    record = next(step["run"] for step in jobs["record"]["steps"] if step.get("name") == "Record")
    for status, wanted in ((0, 0), (1, 0), (3, 0), (4, 4), (5, 5)):
        scripted = f'cpprof() {{ [ "$1" = capture ] || return {status}; }}\n'
        ended = subprocess.run(["bash", "-e", "-c", scripted + record], check=False).returncode
        assert ended == wanted, f"where 'cpprof run' ends with {status}, the job that records ends with {ended}"


def main():
    cpprof, make_bundles, tree = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
    if not shutil.which("jq"):
        print("skipped: jq is not installed (scripts/packages.sh --tests)")
        sys.exit(77)
    workflow(tree)
    for case in checks, misuse, comments, references, references_of_no_use, strangers, sizes, installs_once:
        with tempfile.TemporaryDirectory() as work:
            repository = Repository(cpprof, make_bundles, tree, pathlib.Path(work))
            case(repository)
            print(f"ok {case.__name__}: {repository.runs} jobs")


main()
