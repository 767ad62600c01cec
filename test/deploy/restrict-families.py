"""Runs a command that can open sockets of some address families only, as systemd's RestrictAddressFamilies does.

Usage: restrict-families.py 'AF_INET AF_UNIX' COMMAND ARGUMENTS...
"""
import ctypes
import errno
import os
import socket
import sys

ALLOW, EQUAL = 0x7FFF0000, 4
DENY = 0x00050000 | errno.EAFNOSUPPORT
HIGHEST_FAMILY = 63


class Comparison(ctypes.Structure):
    _fields_ = [("argument", ctypes.c_uint), ("operator", ctypes.c_int), ("value", ctypes.c_uint64), ("mask", ctypes.c_uint64)]


library = ctypes.CDLL("libseccomp.so.2")
library.seccomp_init.restype = ctypes.c_void_p
library.seccomp_load.argtypes = [ctypes.c_void_p]
library.seccomp_rule_add_array.argtypes = [
    ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint, ctypes.POINTER(Comparison),
]  # fmt: skip

allowed = {getattr(socket, name) for name in sys.argv[1].split()}
rules = library.seccomp_init(ALLOW)
call = library.seccomp_syscall_resolve_name(b"socket")
for family in set(range(HIGHEST_FAMILY)) - allowed:
    if library.seccomp_rule_add_array(rules, DENY, call, 1, Comparison(0, EQUAL, family, 0)) != 0:
        sys.exit("the rule was not accepted")
if library.seccomp_load(rules) != 0:
    sys.exit("the rules were not accepted")
os.execvp(sys.argv[2], sys.argv[2:])
