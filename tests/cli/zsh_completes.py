"""What does zsh complete at a prompt?

usage: zsh_completes.py FOLDER_OF_COMPLETIONS FOLDER_OF_CPPROF TYPED WANTED      WANTED: a regular expression on what appears
"""
import os
import pty
import re
import select
import sys
import time

SECONDS_MAX = 30
completions, programs, typed, wanted = sys.argv[1:5]
pid, terminal = pty.fork()
if not pid:
    os.environ.update(TERM="dumb", PATH=f"{programs}:{os.environ['PATH']}")
    os.execvp("zsh", ["zsh", "-f", "-i"])
end = time.monotonic() + SECONDS_MAX
seen = ""


def wait_for(pattern):
    global seen
    while not re.search(pattern, seen, re.DOTALL):
        if time.monotonic() > end or not select.select([terminal], [], [], 1)[0]:
            if time.monotonic() > end:
                sys.exit(f"zsh: '{typed}' did not show '{pattern}' but: {seen!r}")
            continue
        seen += os.read(terminal, 65536).decode(errors="replace").replace("\a", "")
    seen = ""


os.write(terminal, f"fpath=({completions} $fpath); autoload -Uz compinit; compinit -u -D; PS1=; print rea''dy\n".encode())
wait_for("ready\r")
os.write(terminal, typed.encode() + b"\t")
wait_for(wanted)
os.write(terminal, b"\x03exit\n")
os.close(terminal)
os.waitpid(pid, 0)
