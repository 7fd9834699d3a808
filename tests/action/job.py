"""Runs the steps of a composite action as a runner of GitHub would: expressions, outputs, caches, artifacts.

`gh` is a program of its own (fake_gh.py), whose pull request lives in a file. An action that this does not know fails the job.
"""
import os
import pathlib
import re
import shutil
import subprocess

import yaml


class Failed(Exception):
    pass


class Job:
    def __init__(self, action, inputs, github, home, workspace, path, variables):
        self.steps = action["runs"]["steps"]
        self.home, self.workspace = pathlib.Path(home), pathlib.Path(workspace)
        for name in inputs:
            assert name in action["inputs"], f"the action has no input '{name}'"
        self.names = {f"inputs.{k}": v.get("default", "") for k, v in action["inputs"].items()}
        self.names.update({f"inputs.{k}": v for k, v in inputs.items()})
        self.names.update({f"github.{k}": v for k, v in github.items()})
        self.temp = self.home / "temp"  # a runner empties it for each job
        shutil.rmtree(self.temp, ignore_errors=True)
        self.temp.mkdir(parents=True)
        self.names["runner.temp"] = str(self.temp)
        self.variables = {**os.environ, **variables, "RUNNER_TEMP": str(self.temp), "PATH": path}
        self.log, self.artifacts = "", {}
        self.summary = ""

    # ---- expressions ----

    def term(self, words):
        text = re.fullmatch(r"'([^']*)'", words)
        assert text or re.fullmatch(r"[\w.-]+", words), f"no expression that this runner knows: {words}"
        return text[1] if text else self.names.get(words, "")  # a name that is not known is empty, as on GitHub

    def value(self, words):
        """Terms, == and !=, joined by &&."""
        for part in words.split(" && "):
            compared = re.fullmatch(r"(\S+) (==|!=) (\S+)", part)
            found = self.term(part) if not compared else (
                (self.term(compared[1]) == self.term(compared[3])) == (compared[2] == "=="))
            if not found:
                return found
        return found

    def filled(self, text):
        return re.sub(r"\$\{\{ *(.*?) *\}\}", lambda found: str(self.value(found[1])), str(text))

    # ---- steps ----

    def cache(self, key):
        return self.home / "caches" / re.sub(r"[^\w.-]", "%", key)

    def restore(self, given, step_id):
        path = pathlib.Path(given["path"])
        keys = [given["key"], *given.get("restore-keys", "").split()]
        caches = sorted((self.home / "caches").glob("*"), key=lambda folder: folder.stat().st_mtime_ns, reverse=True)
        for key in keys:
            for folder in caches:
                if folder.name.startswith(self.cache(key).name):
                    shutil.copytree(folder, path, symlinks=True)
                    self.names[f"steps.{step_id}.outputs.cache-hit"] = str(folder == self.cache(given["key"])).lower()
                    return

    def save(self, given):
        if not self.cache(given["key"]).exists():  # a key is written once
            shutil.copytree(given["path"], self.cache(given["key"]), symlinks=True)
            self.cache(given["key"]).touch()  # the latest one is found by when it was saved

    def use(self, name, given, step_id):
        if name == "actions/cache/restore@v4":
            self.restore(given, step_id)
        elif name == "actions/cache/save@v4":
            self.save(given)
        elif name == "actions/upload-artifact@v4":
            files = [file for file in pathlib.Path(given["path"]).rglob("*") if file.is_file()]
            assert files, "an artifact without files"
            self.artifacts[given["name"]] = {file.name: file.read_text() for file in files}
        else:
            raise AssertionError(f"a step uses {name}, which this runner does not know")

    def run_script(self, step, number):
        assert step["shell"] == "bash", "a step of a composite action names its shell"
        files = {name: self.temp / f"{name}-{number}" for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH")}
        for file in files.values():
            file.touch()
        script = self.temp / f"script-{number}.sh"
        script.write_text(self.filled(step["run"]))
        variables = {**self.variables, **{name: str(file) for name, file in files.items()}}
        variables.update({name: self.filled(text) for name, text in step.get("env", {}).items()})
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", script], cwd=self.workspace, env=variables,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        self.log += done.stdout.decode()
        self.summary += files["GITHUB_STEP_SUMMARY"].read_text()
        for line in files["GITHUB_OUTPUT"].read_text().splitlines():
            name, text = line.split("=", 1)
            self.names[f"steps.{step.get('id')}.outputs.{name}"] = text
        for folder in files["GITHUB_PATH"].read_text().splitlines():
            self.variables["PATH"] = f"{folder}:{self.variables['PATH']}"
        if done.returncode:
            raise Failed(done.returncode)

    def run(self):
        """Returns the exit status of the step that failed, else 0."""
        try:
            for number, step in enumerate(self.steps):
                assert ("uses" in step) != ("run" in step), step
                if not self.value(step.get("if", "'yes'")):
                    continue
                if "uses" in step:
                    self.use(step["uses"], {name: self.filled(text) for name, text in step["with"].items()}, step.get("id"))
                else:
                    self.run_script(step, number)
        except Failed as failed:
            return failed.args[0]
        return 0


def read_action(tree):
    return yaml.safe_load((pathlib.Path(tree) / "action.yml").read_text())
