"""Confines this process, on Linux, to what reading an untrusted file needs: no network, programs, writing, other files.

A seccomp filter refuses the system calls that reach the network, start programs or processes, open a file for writing
or change a folder. Landlock, where the kernel has it (5.13 and newer, if its distributor enabled it), permits reading
below the named folders only. Neither can be undone. A refused call fails with EPERM, as libraries may try one and do
without it. What is open already stays open: the connection to the parent, and the log. On Windows and macOS nothing is
refused.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import platform
import stat
import struct
import sys
import tempfile
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

# System calls that are always refused, with their numbers on x86_64 and on aarch64 (-: it lacks the call).
_REFUSED = """
socket 41 198, socketpair 53 199, connect 42 203, bind 49 200, listen 50 201, accept 43 202, accept4 288 242,
execve 59 221, execveat 322 281, fork 57 -, vfork 58 -, unshare 272 97, setns 308 268,
creat 85 -, rename 82 -, renameat 264 38, renameat2 316 276, link 86 -, linkat 265 37, symlink 88 -, symlinkat 266 36,
unlink 87 -, unlinkat 263 35, mkdir 83 -, mkdirat 258 34, rmdir 84 -, mknod 133 -, mknodat 259 33, truncate 76 45,
chmod 90 -, fchmod 91 52, fchmodat 268 53, fchmodat2 452 452, chown 92 -, fchown 93 55, lchown 94 -, fchownat 260 54,
utime 132 -, utimes 235 -, futimesat 261 -, utimensat 280 88, setxattr 188 5, lsetxattr 189 6, fsetxattr 190 7,
removexattr 197 14, lremovexattr 198 15, fremovexattr 199 16, setxattrat 463 463, removexattrat 466 466,
file_setattr 469 469, mq_open 240 180, mq_unlink 241 181, shmget 29 194, shmat 30 196, semget 64 190, msgget 68 186,
ptrace 101 117, process_vm_readv 310 270, process_vm_writev 311 271, process_madvise 440 440, kcmp 312 272,
pidfd_open 434 434, pidfd_getfd 438 438, pidfd_send_signal 424 424, tkill 200 130, rt_sigqueueinfo 129 138,
rt_tgsigqueueinfo 297 240, io_uring_setup 425 425, io_uring_enter 426 426, io_uring_register 427 427,
mount 165 40, umount2 166 39, pivot_root 155 41, chroot 161 51, move_mount 429 429, open_tree 428 428,
open_tree_attr 467 467, fsopen 430 430, fsconfig 431 431, fsmount 432 432, fspick 433 433, mount_setattr 442 442,
quotactl 179 60, swapon 167 224, swapoff 168 225, acct 163 89, reboot 169 142, kexec_load 246 104,
kexec_file_load 320 294, init_module 175 105, finit_module 313 273, delete_module 176 106, iopl 172 -, ioperm 173 -,
bpf 321 280, perf_event_open 298 241, userfaultfd 323 282, add_key 248 217, request_key 249 218, keyctl 250 219,
name_to_handle_at 303 264, open_by_handle_at 304 265
"""
# A filter cannot see these calls' flags; libraries fall back to the older calls if the kernel does not know them.
_UNKNOWN = "openat2 437 437, clone3 435 435"
# Calls refused by one argument: its index, how it is compared, and with which value.
# F_SETOWN and similar commands have signals sent to others, TIOCSTI and TIOCLINUX type into the terminal.
_REFUSED_BY_ARGUMENT = """
open 2 - 1 any writes, openat 257 56 2 any writes, clone 56 220 0 none thread, kill 62 129 0 not own,
tgkill 234 131 0 not own, prlimit64 302 261 0 not 0, fcntl 72 25 1 is 8, fcntl 72 25 1 is 15, ioctl 16 29 1 is 0x8901,
ioctl 16 29 1 is 0x8902, ioctl 16 29 1 is 0x5412, ioctl 16 29 1 is 0x541C
"""
_VALUES = {
    "writes": os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC,
    "thread": 0x10000,  # CLONE_THREAD: no other process is started
}

# linux/audit.h and linux/filter.h: load a word, return, jump if equal, if at least, if any bit is set.
_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_LOAD, _RETURN, _EQUAL, _AT_LEAST, _ANY_BIT = 0x20, 0x06, 0x15, 0x35, 0x45
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000
_NUMBER, _MACHINE, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
_X32 = 0x40000000  # the bit that marks calls of the x32 ABI
_SECCOMP, _FILTER, _ALL_THREADS = (317, 277), 1, 1
_NO_NEW_PRIVILEGES = 38

# linux/landlock.h.
_NEW_RULES, _ADD_RULE, _RESTRICT = 444, 445, 446
_READ_FILE, _READ_FOLDER = 1 << 2, 1 << 3
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}  # file rights by ABI version; 16 from the fifth on
# Libraries, fonts, certificates and facts about the computer; no files of a person's own.
_SYSTEM = (
    "/usr /lib /lib32 /lib64 /etc /opt /nix/store /gnu/store /sys /dev/null /dev/zero /dev/random /dev/urandom"
    " /proc/self /proc/cpuinfo /proc/meminfo /proc/stat /proc/version /proc/filesystems /proc/sys"
).split()


class Confined(NamedTuple):
    """Which limits hold for a process.

    `actions_blocked`: no network, programs or writing (seccomp); `files_blocked`: no files but the permitted ones
    (Landlock).
    """

    actions_blocked: bool = False
    files_blocked: bool = False

    def __str__(self) -> str:
        """The limits in words, as the end of "documents are read"."""
        if self.actions_blocked and self.files_blocked:
            return "without network, writing or programs, and with no file but the one handed over"
        if self.actions_blocked:
            return "without network, writing or programs; any file that you can read could be read"
        if self.files_blocked:
            return "without writing or programs, and with no file but the one handed over"
        return "without limits of their own on this system, but for memory and time"


def confine(reads: Iterable[str] = ()) -> Confined:
    """Confine this process; only the system's, Python's and Spanlight's folders, and `reads`, stay readable.

    Returns which limits hold; raises nothing where the system has or allows none. Call it before a second thread
    starts: Landlock would not hold for that one, and `files_blocked` is then False.
    """
    machine = platform.machine()
    if sys.platform != "linux" or machine not in _MACHINES or sys.maxsize < 2**32:
        return Confined()
    # gettempdir tries its folder by writing a file, so it must run now; temporary files stay in memory from here on.
    with contextlib.suppress(OSError):
        tempfile.gettempdir()
    vars(tempfile)["TemporaryFile"] = partial(tempfile.SpooledTemporaryFile, 0)
    # ctypes would look for a compiler on the path and write a file for it before it falls back.
    os.environ["PATH"] = ""
    try:
        library = ctypes.CDLL(None, use_errno=True)
        is_only_thread = len(os.listdir("/proc/self/task")) == 1  # noqa: PTH208
        if library.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
            return Confined()
        # In this order: if the filter is refused, Landlock still holds.
        files_blocked = _restrict_files(library.syscall, {*_SYSTEM, *_own_folders(), *reads})
        return Confined(_filter_calls(library.syscall, machine), files_blocked and is_only_thread)
    except (OSError, AttributeError):
        return Confined()


def _own_folders() -> Iterator[str]:
    """Yield the folders of Python, its packages and Spanlight."""
    yield from (sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix)
    yield str(Path(__file__).resolve().parent.parent)
    home = os.path.expanduser("~")  # noqa: PTH111
    for entry in map(os.path.abspath, sys.path):
        if os.path.commonpath((home, entry)) != entry:  # the home folder or one above it
            yield entry


def _restrict_files(syscall: Any, readable: Iterable[str]) -> bool:
    """Permit only reading at and below `readable` (Landlock); return whether that holds."""
    version = syscall(_NEW_RULES, None, ctypes.c_size_t(0), 1)
    if version < 1:
        return False
    rights = (1 << _RIGHTS.get(version, 16)) - 1
    # The rights to files; TCP from version 4 on; signals and abstract sockets from version 6 on.
    handled = struct.pack("=QQQ", rights, 3, 3)[: 8 if version < 4 else 16 if version < 6 else 24]
    rules = syscall(_NEW_RULES, handled, ctypes.c_size_t(len(handled)), 0)
    if rules < 0:
        return False
    try:
        for path in readable:
            with contextlib.suppress(OSError):
                place = os.open(path, os.O_PATH | os.O_CLOEXEC)
                try:
                    folder = stat.S_ISDIR(os.fstat(place).st_mode)
                    rule = struct.pack("=Qi", _READ_FILE | _READ_FOLDER * folder, place)
                    syscall(_ADD_RULE, rules, 1, rule, 0)
                finally:
                    os.close(place)
        return bool(syscall(_RESTRICT, rules, 0) == 0)
    finally:
        os.close(rules)


def _filter_calls(syscall: Any, machine: str) -> bool:
    """Refuse the system calls above in all threads (seccomp); return whether that holds."""
    instructions = list(_filter_program(machine))
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *each) for each in instructions))
    program = struct.pack("@HP", len(instructions), ctypes.addressof(code))
    return bool(syscall(_SECCOMP[_MACHINES[machine][0]], _FILTER, _ALL_THREADS, program) == 0)


def _filter_program(machine: str) -> Iterator[tuple[int, int, int, int]]:
    """Yield the filter's instructions: operation, how many to skip if true and if false, value (struct sock_filter)."""
    column, audited = _MACHINES[machine]
    refused = _RETURN, 0, 0, _REFUSE | errno.EPERM
    yield _LOAD, 0, 0, _MACHINE
    yield _EQUAL, 1, 0, audited
    yield refused
    yield _LOAD, 0, 0, _NUMBER
    if machine == "x86_64":
        yield _AT_LEAST, 0, 1, _X32
        yield refused
    for calls, answer in ((_REFUSED, errno.EPERM), (_UNKNOWN, errno.ENOSYS)):
        for number, *_ in _call_numbers(calls, column):
            yield _EQUAL, 0, 1, number
            yield _RETURN, 0, 0, _REFUSE | answer
    values = _VALUES | {"own": os.getpid()}
    for number, argument, how, name in _call_numbers(_REFUSED_BY_ARGUMENT, column):
        value = values[name] if name in values else int(name, 0)
        yield _EQUAL, 0, 4, number
        yield _LOAD, 0, 0, _ARGUMENTS + 8 * int(argument)
        yield (
            _EQUAL if how in ("is", "not") else _ANY_BIT,
            how in ("not", "none"),
            how in ("is", "any"),
            value,
        )
        yield refused
        yield _LOAD, 0, 0, _NUMBER
    yield _RETURN, 0, 0, _ALLOW


def _call_numbers(calls: str, column: int) -> Iterator[tuple[Any, ...]]:
    """Yield each call's number on this kind of machine, if it has one, with the words after the numbers."""
    for call in calls.split(","):
        words = call.split()
        if words[1 + column] != "-":
            yield int(words[1 + column]), *words[3:]
