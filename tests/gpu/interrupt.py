"""Runs a command, sends it a signal, and ends as it did.

interrupt.py SECONDS INT|TERM group|one COMMAND...     exit status: the command's, or 128 + signal

"group" is what a terminal does at Ctrl-C: every process of the job gets it, once.
"one" reaches the command alone, as from kill.
"""
import os
import signal
import subprocess
import sys
import time


def main():
    seconds, name, whom, command = float(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:]
    number = getattr(signal, "SIG" + name)
    # A shell's background jobs ignore SIGINT: the command is not to inherit that.
    child = subprocess.Popen(command, start_new_session=True, preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
    time.sleep(seconds)
    if child.poll() is None:
        if whom == "group":
            os.killpg(child.pid, number)
        else:
            child.send_signal(number)
    status = child.wait()
    return 128 - status if status < 0 else status


if __name__ == "__main__":
    sys.exit(main())
