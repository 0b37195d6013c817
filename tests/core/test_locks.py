"""A lock has one holder across threads and processes, and is released when its process ends."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from app.core.errors import Busy, SpanlightError
from app.core.locks import Lock, exclusive, held

HOLD = """
import sys, time
from pathlib import Path
from app.core.locks import Lock
lock = Lock(Path(sys.argv[1]))
print(lock.take(), flush=True)
time.sleep(60)
"""


def test_one_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    first, second = Lock(path), Lock(path)
    assert first.take()
    assert not second.take()
    first.release()
    assert not path.exists()
    assert second.take()
    second.release()
    second.release()


def test_a_killed_process_releases_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == "True"
        lock = Lock(path)
        assert not lock.take()
        process.kill()
        process.wait()
        assert path.exists()
        assert lock.take()
        lock.release()


def test_many_threads_never_hold_it_together(tmp_path: Path) -> None:
    path, inside, most, wrong = tmp_path / "x.lock", 0, 0, []
    guard = threading.Lock()

    def work() -> None:
        nonlocal inside, most
        for _ in range(60):
            lock = Lock(path)
            if not lock.take():
                continue
            with guard:
                inside += 1
                most += 1
                if inside > 1:
                    wrong.append(inside)
            with guard:
                inside -= 1
            lock.release()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert most
    assert not path.exists()


def test_a_held_lock_names_its_holder_and_a_folder_that_cannot_be_is_said(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "x.lock"
    with held(path, "It is in use", "Wait."):
        with exclusive(path) as is_ours:
            assert not is_ours
        with (
            pytest.raises(Busy, match=rf"It is in use \(process {os.getpid()}, since .*\)\. Wait\."),
            held(path, "It is in use", "Wait."),
        ):
            pass
    assert not path.exists()
    (tmp_path / "file").touch()
    with (
        pytest.raises(SpanlightError, match=r"file.x” could not be written"),
        exclusive(tmp_path / "file" / "x"),
    ):
        pass
