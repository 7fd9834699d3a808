#!/usr/bin/env python3
"""`gh api` for the comments of one pull request, which are a JSON file ($FAKE_COMMENTS).

$FAKE_TOKEN says what the token may do: write, read, or nothing. jq does what gh does with --jq.
"""
import json
import os
import subprocess
import sys
import urllib.parse

BODY_MAX = 65536
path = os.environ["FAKE_COMMENTS"]
with open(path, encoding="utf-8") as file:
    comments = json.load(file)


def refuse(status, why):
    print(f"gh: {why} (HTTP {status})", file=sys.stderr)
    sys.exit(1)


def field(name):
    """-F NAME=@FILE"""
    value = sys.argv[sys.argv.index("-F") + 1]
    assert value.startswith(f"{name}=@"), value
    with open(value[len(name) + 2 :], encoding="utf-8") as body:
        return body.read()


assert sys.argv[1] == "api" and os.environ["GH_TOKEN"], sys.argv
may = os.environ["FAKE_TOKEN"]
if "--jq" in sys.argv:
    url = urllib.parse.urlparse(sys.argv[sys.argv.index("--paginate") + 1])
    assert url.path == "repos/team/kernels/issues/7/comments", url
    if may == "nothing":
        refuse(403, "Resource not accessible by integration")
    jq = subprocess.run(["jq", "-r", sys.argv[sys.argv.index("--jq") + 1]], input=json.dumps(comments), text=True, check=False)
    sys.exit(jq.returncode)
method, place = sys.argv[sys.argv.index("--method") + 1 : sys.argv.index("--method") + 3]
if may != "write":
    refuse(403, "Resource not accessible by integration")
body = field("body")
if not body or len(body) > BODY_MAX:
    refuse(422, "Validation Failed: body is too long")
if method == "POST":
    assert place == "repos/team/kernels/issues/7/comments", place
    comments.append({"id": 100 + len(comments), "user": {"type": "Bot"}, "body": body})
else:
    assert method == "PATCH", method
    found = [one for one in comments if place == f"repos/team/kernels/issues/comments/{one['id']}"]
    if not found:
        refuse(404, "Not Found")
    found[0]["body"] = body
with open(path, "w", encoding="utf-8") as file:
    json.dump(comments, file)
