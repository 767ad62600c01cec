"""Runs a command on a terminal and prints, as JSON, its exit code and the bytes that it wrote.

Usage: on-terminal.py COLUMNS ROWS ANSWERS COMMAND [ARGUMENT...]. ANSWERS is a JSON list of pairs: a text to wait for, and the
keys to press then.
"""
import json
import os
import pty
import struct
import sys
import fcntl
import termios

columns, rows, answers, *command = sys.argv[1:]
waiting = json.loads(answers)
pid, terminal = pty.fork()
if pid == 0:
    # The size is set before the command starts.
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", int(rows), int(columns), 0, 0))
    os.execvp(command[0], command)
output = b""
seen = 0
while True:
    try:
        chunk = os.read(terminal, 4096)
    except OSError:
        break
    if not chunk:
        break
    output += chunk
    while waiting and waiting[0][0].encode() in output[seen:]:
        text, keys = waiting.pop(0)
        seen = output.index(text.encode(), seen) + len(text.encode())
        os.write(terminal, keys.encode())
_, status = os.waitpid(pid, 0)
print(json.dumps({"code": os.waitstatus_to_exitcode(status), "output": output.decode(errors="replace")}))
