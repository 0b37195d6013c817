"""Another user of the computer, who may look and write wherever the system lets them; only root can try that."""

from __future__ import annotations

import os
import shutil
import socket
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import app.library.history  # noqa: F401 - the two users may not be able to read where Python is
from app.flows.second_start import Answer, Claim, claim_or_hand_over, hand_over, name_of
from app.flows.workspace import open_workspace
from app.settings.log import start_log
from app.settings.paths import default_paths
from tests.helpers.history_entries import entry

PERSON, OTHER = 61_001, 61_002
ROOT_ONLY = sys.platform == "win32" or os.getuid() != 0

pytestmark = pytest.mark.skipif(ROOT_ONLY, reason="only root can be two other users")


def as_user(user: int, deed: Callable[[], object]) -> None:
    """Do something as a user, in a process of its own."""
    process = os.fork()
    if not process:
        code = 1
        with suppress(BaseException):
            try:
                os.setgroups([])
                os.setgid(user)
                os.setuid(user)
                deed()
                code = 0
            except BaseException:
                traceback.print_exc()
        os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home of the person in a temporary folder that both users enter, as /tmp."""
    shared = Path(tempfile.mkdtemp())
    shared.chmod(0o1777)
    monkeypatch.setattr(tempfile, "tempdir", str(shared))
    monkeypatch.setenv("SPANLIGHT_HOME", str(shared / "home" / ("deep" * 10)))  # too long for a socket's path
    (shared / "home").mkdir()
    os.chown(shared / "home", PERSON, PERSON)
    yield shared
    shutil.rmtree(shared)


def use() -> None:
    """What a person leaves: settings, a question in the history, a draft, the log."""
    paths = default_paths()
    start_log(paths.log_file)
    workspace = open_workspace(paths)
    workspace.settings.theme = "dark"
    workspace.save_settings()
    workspace.history.add(entry())
    workspace.close()
    assert paths.history_file.exists() and paths.settings_file.exists()


def test_nothing_that_is_kept_can_be_read(home: Path) -> None:
    as_user(PERSON, use)

    def look() -> None:
        base = home / "home" / ("deep" * 10)
        for file in ("data/history.sqlite3", "config/settings.json", "logs/spanlight.log"):
            with pytest.raises(PermissionError):
                (base / file).read_bytes()
        with pytest.raises(PermissionError):
            list((base / "data").iterdir())

    as_user(OTHER, look)


def test_a_folder_that_another_user_has_made_first_is_not_used(home: Path) -> None:
    planted = home / f"spanlight-{PERSON}"

    def plant() -> None:
        planted.mkdir(mode=0o777)
        planted.chmod(0o777)

    def start() -> None:
        name = name_of(default_paths().data)
        assert not Path(name).is_relative_to(planted)
        claim = claim_or_hand_over(default_paths().data, [])
        assert claim is not None
        claim.release()

    as_user(OTHER, plant)
    as_user(PERSON, start)


def test_another_user_reaches_no_window_and_takes_no_claim(home: Path) -> None:
    """The person's socket and lock lie in a folder that nobody else enters."""

    def listen() -> None:
        name = name_of(default_paths().data)
        (home / "home" / "name").write_text(name)
        way = socket.socket(socket.AF_UNIX)
        way.bind(name)
        way.listen()

    def knock() -> None:
        name = (home / "home" / "name").read_text()
        assert hand_over(name, ["/etc/passwd"]) is Answer.ABSENT
        with pytest.raises(OSError):
            Claim(name).take()

    as_user(PERSON, listen)
    as_user(OTHER, knock)
