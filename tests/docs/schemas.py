#!/usr/bin/env python3
"""Is every JSON document as docs/schema/ says, with no member that is not there?

usage: schemas.py CPPROF MAKE_BUNDLES SOURCE_TREE [REPORTS]

REPORTS has reports as JSON that tests/golden/report_tiers.py asked for; they need not be asked for again.
The documents are those of all bundles below examples/, and all that the cases of tests/golden and tests/cli print as
JSON: what is in the files that record them, which those tests compare, and of a case that passes its JSON on what its
commands print. Each schema and each row in columns.json must be used by one of them.
"""
import copy
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jsonschema

# What is asked of a bundle, and the file that it is about.
COMMANDS = (
    (["report"], "manifest.json"),
    (["report", "--brief"], "manifest.json"),
    (["inside"], "inside_phases.csv"),
    (["slack"], "delays.csv"),
)
FAILURES = []


def said(problem):
    FAILURES.append(problem)
    print(problem)


# ---- the schemas, made strict ----

PARTS = ("allOf", "then", "else", "$ref") # a schema with these is put together from others


def references(value):
    """All $ref in a schema."""
    if isinstance(value, dict):
        yield from ([value["$ref"]] if "$ref" in value else [])
        value = value.values()
    if isinstance(value, (list, type({}.values()))):
        for item in value:
            yield from references(item)


def parts(schema):
    """The $ref by which members of one object are put together from several schemas."""
    if isinstance(schema, list):
        schema = dict(enumerate(schema))
    if not isinstance(schema, dict):
        return
    if "allOf" in schema or len(set(schema) & {"$ref", "if", "properties"}) > 1:
        yield from references({key: schema[key] for key in PARTS if key in schema})
    for value in schema.values():
        yield from parts(value)


def close(schema, is_part):
    """Refuses members that no schema knows, so that one without a schema is found; not where parts make the whole."""
    if isinstance(schema, list):
        for item in schema:
            close(item, False)
    if not isinstance(schema, dict):
        return
    if "properties" in schema and not is_part and not set(PARTS) & set(schema):
        schema.setdefault("additionalProperties", False)
    for key, value in schema.items():
        if key != "$defs":
            close(value, False)


def read_schemas(folder):
    schemas = {path.name: json.loads(path.read_text()) for path in folder.glob("*.json")}
    for schema in schemas.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    part_names = {part.split("/")[-1] for schema in schemas.values() for part in parts(schema)}
    for schema in schemas.values():
        close(schema, False)
        for name, row in schema.get("$defs", {}).items():
            close(row, name in part_names)
    return schemas


def validator_of(schemas, name):
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$ref": name}
    try:
        from referencing import Registry, Resource
    except ImportError: # before 4.18
        return jsonschema.Draft202012Validator(schema, resolver=jsonschema.RefResolver("", schema, store=schemas))
    resources = [(key, Resource.from_contents(value)) for key, value in schemas.items()]
    return jsonschema.Draft202012Validator(schema, registry=Registry().with_resources(resources))


def rows_without_a_place(schemas):
    used = {ref.split("#/$defs/")[1] for name, schema in schemas.items() for ref in references(schema)
            if "#/$defs/" in ref and (name == "columns.json" or ref.startswith("columns.json"))}
    return sorted(set(schemas["columns.json"]["$defs"]) - used)


# ---- the documents ----

def documents_in(text):
    """The documents in a text, each at the begin of a line."""
    found, end = [], 0
    for line in re.finditer(r"^[\[{]", text, re.MULTILINE):
        if line.start() < end:
            continue
        try:
            value, end = json.JSONDecoder().raw_decode(text, line.start())
        except ValueError:
            continue
        found += [v for v in (value if isinstance(value, list) else [value])
                  if isinstance(v, dict) and str(v.get("schema")).startswith("cpprof.")]
    return found


def printed(cpprof, arguments, folder):
    done = subprocess.run([cpprof, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    return documents_in(done.stdout)


def kept(arguments, folder):
    """What report_tiers.py was told, if it was."""
    *command, bundle = arguments
    path = folder / (bundle.replace("/", "+") + (".brief.json" if "--brief" in command else ".json"))
    return documents_in(path.read_text()) if command[0] == "report" and path.exists() else None


def of_examples(cpprof, examples, reports):
    """(what made it, document) of all recorded bundles."""
    bundles = sorted(path.parent for path in examples.rglob("*.cpprof/manifest.json"))
    asked = [[*command, "--format", "json", str(bundle.relative_to(examples))] for bundle in bundles
             for command, about in COMMANDS if (bundle / about).exists()]
    with ThreadPoolExecutor(2) as pool:
        for arguments, found in zip(asked, pool.map(lambda a: kept(a, reports) or printed(cpprof, a, examples), asked)):
            if not found:
                said(f"cpprof {' '.join(arguments)}: no document")
            yield from ((" ".join(arguments), document) for document in found)


def of_goldens(cpprof, make_bundles, tests):
    cases = [line.split() for line in (tests / "golden/cases.txt").read_text().splitlines()]
    cases = [words for words in cases if "json" in words]
    with tempfile.TemporaryDirectory() as work:
        subprocess.run([make_bundles, "."], cwd=work, check=True, stdout=subprocess.DEVNULL)
        Path(work, "thresholds.csv").write_bytes((tests / "golden/thresholds.csv").read_bytes())
        for name, _, *arguments in cases:
            if arguments[0].startswith(("beside:", "only:")):
                found = printed(cpprof, arguments[1:], work)
            else:
                found = documents_in((tests / "golden" / name).read_text())
            if not found:
                said(f"tests/golden/{name}: no document")
            yield from ((name, document) for document in found)


# Stands in for cpprof in the cases of tests/cli, and keeps what is printed, and what -o names.
KEEPER = """#!/bin/sh
kept=$(mktemp "{kept}/XXXXXX")
"{cpprof}" "$@" >"$kept"
status=$?
cat "$kept"
last=
for word; do
    [ "$last" != -o ] || cp -r "$word" "$kept.o"
    last=$word
done
exit $status
"""


ASKS_FOR_JSON = re.compile(r"(?<![\w.])json\b|-o [^ ]*json")


def of_recorded_commands(tests):
    for path in sorted((tests / "cli").glob("*.expect")):
        yield from ((path.name, document) for document in documents_in(path.read_text(errors="replace")))


def passes_on(case):
    """Does a case ask for more JSON than it prints?"""
    text = case.read_text()
    asked = len(ASKS_FOR_JSON.findall(text))
    is_repeated = re.search(r"\b(for|while)\b", text)
    return asked and (is_repeated or asked > len(documents_in(case.with_suffix(".expect").read_text(errors="replace"))))


def of_commands(cpprof, tests):
    with tempfile.TemporaryDirectory() as work:
        keeper, kept = Path(work, "bin/cpprof"), Path(work, "kept")
        keeper.parent.mkdir()
        kept.mkdir()
        keeper.write_text(KEEPER.format(kept=kept, cpprof=cpprof))
        keeper.chmod(0o755)
        environment = {**os.environ, "PATH": f"{keeper.parent}:{os.environ['PATH']}", "LC_ALL": "C"}
        for case in filter(passes_on, sorted((tests / "cli").glob("*.cmd"))):
            subprocess.run(["sh", f"./{case.name}"], cwd=case.parent, env=environment, check=False,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for path in filter(Path.is_file, list(kept.iterdir())):
                yield from ((case.name, document) for document in documents_in(path.read_text(errors="replace")))
                path.unlink()


# ---- does it find what is wrong? ----

def expect_refusals(validators, document):
    """A document that is right, with one thing wrong at a time."""
    def wrong(change):
        changed = copy.deepcopy(document)
        change(changed)
        return changed
    changes = {
        "a member that no schema has": lambda d: d["rows"][0].update(surprise=1),
        "a member that is missing": lambda d: d["rows"][0].pop("verdict"),
        "a text for a number": lambda d: d["rows"][0].update(ratio="0.5"),
        "null for a text": lambda d: d["rows"][0].update(candidate=None),
        "another schema": lambda d: d.update(schema="cpprof.compare/2"),
    }
    for what, change in changes.items():
        if validators["compare.json"].is_valid(wrong(change)):
            said(f"{what} is not refused")


def main():
    cpprof, make_bundles = map(os.path.abspath, sys.argv[1:3])
    source = Path(sys.argv[3])
    reports = Path(sys.argv[4] if len(sys.argv) > 4 else os.devnull)
    schemas = read_schemas(source / "docs/schema")
    validators = {name: validator_of(schemas, name) for name in schemas}
    count, seen = 0, {}
    for where, document in (*of_examples(cpprof, source / "examples", reports),
                            *of_goldens(cpprof, make_bundles, source / "tests"),
                            *of_recorded_commands(source / "tests"),
                            *of_commands(cpprof, source / "tests"),
                            *(("list", d) for what in ("--metrics", "--thresholds")
                              for d in printed(cpprof, ["list", what, "--format", "json"], source)),
                            *(("nothing", d) for command in ("inside", "slack") # of a bundle that has none
                              for d in printed(cpprof, [command, "--format", "json", "verdicts/win.cpprof"],
                                               source / "examples"))):
        name = document["schema"].removeprefix("cpprof.").split("/")[0] + ".json"
        if name not in validators:
            said(f"{where}: there is no docs/schema/{name}")
            continue
        error = jsonschema.exceptions.best_match(validators[name].iter_errors(document))
        if error:
            said(f"{where}: {error.json_path}: {error.message[:300]}")
        seen[name] = document
        if "ceilings" in document: # inside a doctor's
            seen["ceilings.json"] = document["ceilings"]
        count += 1
    for name in sorted(set(schemas) - {"columns.json"} - set(seen)):
        said(f"docs/schema/{name}: no document has it")
    for row in rows_without_a_place(schemas):
        said(f"docs/schema/columns.json: no schema refers to '{row}'")
    expect_refusals(validators, seen["compare.json"])
    print(f"{count} documents, {len(FAILURES)} problems")
    return 1 if FAILURES or not count else 0


if __name__ == "__main__":
    sys.exit(main())
