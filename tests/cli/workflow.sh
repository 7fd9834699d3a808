#!/usr/bin/env bash
# Is the workflow of examples/ci one, and does its step that checks do what it says?
# usage: workflow.sh CPPROF MAKE_TRACES SOURCE_TREE      exit 77: no YAML parser
set -euo pipefail
cpprof=$(realpath "$1") make_traces=$2 tree=$3
workflow=$tree/examples/ci/cpprof-check.yml
python3 -c 'import yaml' 2>/dev/null || { echo "skipped: python3-yaml is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Each step's script by its name, as the runner would have it.
python3 - "$workflow" "$work" <<'END'
import pathlib, sys, yaml
# YAML 1.1 takes the key `on` for a truth value; the runner does not
jobs = yaml.safe_load(open(sys.argv[1]))["jobs"]
for job in jobs.values():
    assert job["runs-on"], "a job says where it runs"
    for step in job["steps"]:
        assert ("uses" in step) != ("run" in step), step
        if "run" in step:
            pathlib.Path(sys.argv[2], step["name"].replace(" ", "_") + ".sh").write_text(step["run"])
END

# The other workflow is one, too, and calls what is there.
python3 - "$tree" <<'END'
import pathlib, sys, yaml
tree = pathlib.Path(sys.argv[1])
steps = yaml.safe_load((tree / "examples/ci/cpprof-compare.yml").read_text())["jobs"]["compare"]["steps"]
scripts = [step["run"] for step in steps if "run" in step]
assert any("cpprof compare new.cpprof" in script for script in scripts)
assert any("examples/ci/exit_statuses.sh" in script for script in scripts)
assert (tree / "examples/ci/exit_statuses.sh").exists()
END

failed=0
# What the first step calls is there, and tests are not built without their library.
build=$work/Build_and_install_cpprof.sh
if [ ! -x "$tree/scripts/packages.sh" ] || ! grep -q scripts/packages.sh "$build"; then
    echo "no scripts/packages.sh"
    failed=1
fi
python3 -c "
import json, sys
names = [p['name'] for p in json.load(open(sys.argv[1]))['configurePresets']]
sys.exit('nogpu' not in names)" "$tree/CMakePresets.json" || { echo "no preset nogpu"; failed=1; }
grep -q -- '--preset nogpu -DBUILD_TESTING=OFF' "$build" || { echo "the build wants the library of the tests"; failed=1; }

# expect STATUS TRACE: as the runner starts the step, in a repository with rules and the artifact
expect() {
    local status=0 folder=$work/repository
    rm -rf "$folder"
    mkdir -p "$folder/ci" "$folder/trace"
    cp "$tree"/examples/ci/*.rules "$folder/ci"
    cp "$2" "$folder/trace"
    (cd "$folder" && PATH=$(dirname "$cpprof"):$PATH bash -e "$work/Check_the_rules.sh") >"$work/said" 2>&1 || status=$?
    if [ "$status" != "$1" ] || ! grep -q '^::notice title=cpprof check::' "$work/said" ||
        ! grep -q '<testsuite ' "$folder/overlap.xml"; then
        echo "the step on $(basename "$2"): exit status $status instead of $1, or no result"
        cat "$work/said"
        failed=1
    fi
}
mkdir "$work/traces"
"$make_traces" "$work/traces"
expect 0 "$work/traces/good.bin"
expect 1 "$work/traces/bad.bin"
printf 'no trace\n' >"$work/broken.csv"
expect 5 "$work/broken.csv"
exit "$failed"
