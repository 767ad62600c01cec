"""Types a text and Tab into an interactive shell on a terminal, and waits until the terminal shows the expected text.

Usage: press-tab.py SET-UP TEXT EXPECTED SHELL [OPTION...]. Prints what the terminal has shown. Exit code 1 if the text does not come.
"""
import os
import pty
import re
import select
import sys
import time

LIMIT_SECONDS = 30
READY = "ready-for-input"


def shown(output: bytes) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\r|\x07", "", output.decode(errors="replace"))


def wait_for(terminal: int, text: str) -> str:
    output = b""
    give_up_at = time.monotonic() + LIMIT_SECONDS
    while time.monotonic() < give_up_at and text not in shown(output):
        if select.select([terminal], [], [], 0.1)[0]:
            output += os.read(terminal, 4096)
    return shown(output)


set_up, typed, expected, *shell = sys.argv[1:]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(shell[0], shell)
# The echo of the command must not look like its output.
os.write(terminal, f"{set_up}; echo ready''-for-input\n".encode())
wait_for(terminal, READY)
os.write(terminal, f"{typed}\t".encode())
screen = wait_for(terminal, expected)
os.kill(pid, 9)
print(screen)
sys.exit(0 if expected in screen else 1)
