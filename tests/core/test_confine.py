"""A confined process is refused whatever the system can refuse it, and carries on."""

from __future__ import annotations

import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest

from app.core import confine
from app.core.confine import Confined
from tests.conftest import ROOT

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux can take these from a process")
START = """
import ctypes, os, socket, subprocess, sys, tempfile, threading
from app.core.confine import confine
def tried(action):
    try:
        return action() and "done"
    except PermissionError:
        return "refused"
held = confine(sys.argv[1:])
"""


def ran(code: str, *reads: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", START + code, *reads], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def held() -> Confined:
    actions_blocked, reads = ran("print(held.actions_blocked, held.files_blocked)").split()
    return Confined(actions_blocked == "True", reads == "True")


@pytest.fixture
def actions_blocked(held: Confined) -> None:
    if not held.actions_blocked:
        pytest.skip("this system takes no seccomp filter")


ATTEMPTS = (
    "socket.socket(socket.AF_INET, socket.SOCK_STREAM)",
    "socket.socket(socket.AF_UNIX)",
    "socket.socketpair()",
    "subprocess.run([sys.executable, '--version'])",
    "os.execv(sys.executable, [sys.executable, '--version'])",
    "os.fork()",
    "open(sys.argv[1] + '/new', 'w')",
    "open(sys.argv[1] + '/old', 'r+')",
    "os.open(sys.argv[1], os.O_TMPFILE | os.O_RDWR)",
    "os.mkdir(sys.argv[1] + '/new')",
    "os.unlink(sys.argv[1] + '/old')",
    "os.rename(sys.argv[1] + '/old', sys.argv[1] + '/new')",
    "os.chmod(sys.argv[1] + '/old', 0)",
    "os.utime(sys.argv[1] + '/old')",
    "os.truncate(sys.argv[1] + '/old', 0)",
    "os.kill(os.getppid(), 0)",
)


@LINUX
def test_what_no_reader_needs_is_refused(actions_blocked: None, tmp_path: Path) -> None:
    (tmp_path / "old").write_text("old")
    said = ran(
        "".join(f"print(tried(lambda: {attempt}))\n" for attempt in ATTEMPTS), str(tmp_path)
    ).splitlines()
    assert dict(zip(ATTEMPTS, said, strict=True)) == dict.fromkeys(ATTEMPTS, "refused")
    assert (tmp_path / "old").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["old"]


@LINUX
def test_other_ways_into_the_kernel_are_refused(actions_blocked: None) -> None:
    """io_uring opens files without the filtered calls; x32 and i386 have other numbers for them."""
    number = "ctypes.CDLL(None, use_errno=True).syscall({}, 1, 0), ctypes.get_errno()"
    assert ran(f"print({number.format(425)})") == "-1 1\n"
    if platform.machine() == "x86_64":
        assert ran(f"print({number.format(0x40000000 + 39)})") == "-1 1\n"


@LINUX
def test_it_holds_for_threads_and_they_still_begin(actions_blocked: None) -> None:
    code = (
        "thread = threading.Thread(target=lambda: print(tried(socket.socket)))\nthread.start(); thread.join()"
    )
    assert ran(code) == "refused\n"
    waiting = """
begin = threading.Event()
thread = threading.Thread(target=lambda: (begin.wait(), print(tried(socket.socket))))
thread.start(); held = confine(); begin.set(); thread.join(); print(held.files_blocked)
"""
    assert ran(waiting) == "refused\nFalse\n"


@LINUX
def test_what_libraries_do_goes_on(actions_blocked: None) -> None:
    code = """
from ctypes.util import find_library
import resource
os.kill(os.getpid(), 0)
print(len(open("/proc/self/statm").read().split()), find_library("nothing-of-this-name"))
print(tempfile.TemporaryFile(suffix=".x").write(b"four"))
resource.setrlimit(resource.RLIMIT_AS, (2**40, 2**40))
import lxml.etree, selectolax.lexbor, pypdfium2, numpy
print("read")
"""
    assert ran(code) == "7 None\n4\nread\n"


@LINUX
def test_only_what_is_named_can_be_read(held: Confined, tmp_path: Path) -> None:
    if not held.files_blocked:
        pytest.skip("this system has no Landlock")
    (tmp_path / "mine").mkdir()
    for path in (tmp_path / "theirs", tmp_path / "mine" / "file"):
        path.write_text("words")
    (tmp_path / "mine" / "link").symlink_to(tmp_path / "theirs")
    code = "print(*(tried(lambda: open(path).read()) for path in {}))"
    mine, theirs, link = (str(tmp_path / name) for name in ("mine/file", "theirs", "mine/link"))
    paths = [mine, theirs, link, "/proc/1/environ"]
    assert ran(code.format(paths), str(tmp_path / "mine")) == "done refused refused refused\n"
    assert ran(code.format(paths), str(tmp_path / "mine"), link) == "done done done refused\n"


@LINUX
def test_the_numbers_are_those_of_the_kernel() -> None:
    """The kernel's headers are read if they are installed."""
    headers = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), Path("/usr/include/asm-generic/unistd.h")
    compared = 0
    for column, header in enumerate(headers):
        if header.exists():
            known = dict(re.findall(r"define __NR(?:3264)?_(\w+)\s+(\d+)", header.read_text()))
            for call in f"{confine._REFUSED},{confine._UNKNOWN},{confine._REFUSED_BY_ARGUMENT}".split(","):
                name, *numbers = call.split()
                assert known.get(name, numbers[column]) == numbers[column], name
                compared += name in known
    if not compared:
        pytest.skip("the kernel's headers are not installed")


def test_another_system_or_machine_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    assert confine.confine() == Confined()
    monkeypatch.setattr(sys, "platform", "darwin")
    assert confine.confine() == Confined()
    assert "without limits" in str(Confined())
