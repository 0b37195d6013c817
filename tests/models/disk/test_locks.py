"""A lock has one holder across threads and processes, and is released when its process ends."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

from app.models.disk.locks import Lock

HOLD = """
import sys, time
from pathlib import Path
from app.models.disk.locks import Lock
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
