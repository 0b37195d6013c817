"""A file is written whole or not at all, whatever fails and whenever the process is killed."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.core.atomic import replacing, sweep, write_atomic, writing
from app.core.errors import SpanlightError
from tests.conftest import ROOT
from tests.helpers.children import POSIX


def parts(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.part"))


@pytest.mark.parametrize("fault", [OSError(errno.ENOSPC, "full"), KeyboardInterrupt()])
@pytest.mark.parametrize("step", [None, "fsync", "replace"])
def test_what_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str | None, fault: BaseException
) -> None:
    def fail(*_: object) -> None:
        raise fault

    path = tmp_path / "file"
    path.write_bytes(b"old")
    if step is not None:
        monkeypatch.setattr(os, step, fail)
    with pytest.raises(type(fault)), replacing(path) as part:
        part.write_bytes(b"new")
        if step is None:
            fail()
    assert [path] == list(tmp_path.iterdir()) and path.read_bytes() == b"old"


def test_a_full_disk_is_said(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "file"
    with pytest.raises(SpanlightError, match="file could not be written: the disk is full") as caught:
        with writing(path):
            raise OSError(errno.ENOSPC, "full")
    assert "Free some space" in caught.value.hint and not list(path.parent.iterdir())


WRITER = """
import sys
from pathlib import Path
from app.core.atomic import replacing
while True:
    for letter in b"ab":
        with replacing(Path(sys.argv[1])) as part:
            part.write_bytes(bytes([letter]) * 1_000_000)
        print(flush=True)
"""


@POSIX
def test_a_kill_leaves_a_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    command = [sys.executable, "-c", WRITER, str(path)]
    for at in range(3):
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(0.0007 * at)
            process.send_signal(signal.SIGKILL)
        data = path.read_bytes()
        assert len(data) == 1_000_000 and len(set(data)) == 1


def test_only_old_leftovers_of_the_same_private_file_go_with_a_write(tmp_path: Path) -> None:
    names = (".file [1].00aa11bb.part", ".file [1].22cc33dd.part", ".file [1].download.part", "film.part")
    old, young, *others = (tmp_path / name for name in names)
    for each in (old, young, *others):
        each.touch()
    for each in (old, *others):
        os.utime(each, (time.time() - 600,) * 2)
    write_atomic(tmp_path / "file [1]", b"new", private=False)
    assert old.exists(), "a folder of the person's may be large, and no business of ours"
    write_atomic(tmp_path / "file [1]", b"new")
    assert parts(tmp_path) == sorted([young, *others])


@POSIX
@pytest.mark.parametrize(("private", "new", "of_640"), [(True, 0o600, 0o600), (False, 0o644, 0o640)])
def test_who_may_read_a_file(tmp_path: Path, private: bool, new: int, of_640: int) -> None:
    before = os.umask(0o022)
    try:
        for name, expected in (("new", new), ("old", of_640)):
            path = tmp_path / name
            if name == "old":
                path.touch(0o640)
            with replacing(path, private=private) as part:
                assert part.stat().st_mode & 0o777 & ~expected == 0, "nobody else reads it before either"
                part.unlink()
                part.touch(0o600)  # as safetensors does
            assert path.stat().st_mode & 0o777 == expected
    finally:
        os.umask(before)


@POSIX
def test_a_file_that_may_only_be_read_is_replaced_and_stays_so(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch(0o444)
    write_atomic(path, b"new", private=False)
    assert path.read_bytes() == b"new" and path.stat().st_mode & 0o777 == 0o444


def test_what_killed_processes_left_in_a_folder_goes(tmp_path: Path) -> None:
    old, young = tmp_path / ".draft.txt.1.part", tmp_path / ".draft.txt.2.part"
    (tmp_path / "folder.part").mkdir()
    for each in (old, young):
        each.write_text("a secret")
    for each in (old, tmp_path / "folder.part"):
        os.utime(each, (time.time() - 600,) * 2)
    sweep(tmp_path)
    sweep(tmp_path / "missing")
    assert parts(tmp_path) == [young, tmp_path / "folder.part"], "another process may be writing it"


@POSIX
def test_what_is_no_file_is_never_replaced_by_one(tmp_path: Path) -> None:
    """Renaming a file over a device would remove the device, if the user may do that."""
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link):
        with pytest.raises(SpanlightError, match="is not a file"):
            write_atomic(path, b"new")
    assert pipe.is_fifo() and link.is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "pipe"]


@POSIX
def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_bytes(b"old")
    link.symlink_to(real)
    write_atomic(link, b"new")
    assert link.is_symlink() and real.read_bytes() == b"new"
    with replacing(link) as part:
        part.write_bytes(b"own")
    assert not link.is_symlink() and (link.read_bytes(), real.read_bytes()) == (b"own", b"new")


@pytest.mark.parametrize("name", ["a\0b", "n" * 5000, "\ud800"])
def test_a_name_that_no_file_can_have(tmp_path: Path, name: str) -> None:
    with pytest.raises(SpanlightError, match="could not be written"):
        write_atomic(tmp_path / name, b"new")
