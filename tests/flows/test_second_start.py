"""Which process is the window, and how a second start hands files to it."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.flows import second_start
from app.flows.second_start import Answer, Claim, claim_or_hand_over, hand_over, name_of, read_order

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="sockets as POSIX has them")


class Window:
    """Something that listens where a window would, and answers each connection as `says` has it."""

    def __init__(self, name: str, *says: bytes, then_close: bool = True) -> None:
        self.heard: list[bytes] = []
        self._says, self._then_close = says, then_close
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(name)
        self._server.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                way, _ = self._server.accept()
            except OSError:
                return
            for words in self._says:
                with contextlib.suppress(OSError):  # who came has gone
                    way.sendall(words)
                    self.heard.append(way.recv(65_536))
            if self._then_close or self._says:
                way.close()
            else:
                self._kept = way

    def close(self) -> None:
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()


@pytest.fixture
def name(tmp_path: Path) -> Iterator[str]:
    name = name_of(tmp_path)
    yield name
    for each in (name, f"{name}.lock"):
        Path(each).unlink(missing_ok=True)


@pytest.fixture
def held(name: str) -> Iterator[Claim]:
    """The claim of another window."""
    claim = Claim(name)
    assert claim.take()
    yield claim
    claim.release()


GREETING = second_start.GREETING + b"7\n"


@POSIX
def test_one_at_a_time_is_the_window(tmp_path: Path, name: str) -> None:
    first = claim_or_hand_over(tmp_path, [])
    assert first is not None and first.held
    other = Claim(name)
    assert not other.take() and not other.held
    first.release()
    assert not first.held and other.take() and other.held
    other.release()
    assert not Path(f"{name}.lock").exists()


@POSIX
def test_a_window_that_speaks_is_given_the_files(
    tmp_path: Path, name: str, held: Claim, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DESKTOP_STARTUP_ID", "x-1_TIME77")
    window = Window(name, GREETING, second_start.TAKEN)
    assert claim_or_hand_over(tmp_path, ["a b.txt", "/ü😀"]) is None
    files, token = read_order(window.heard[0])
    assert files == [tmp_path / "a b.txt", Path("/ü😀")] and token == "x-1_TIME77"
    window.close()


@POSIX
@pytest.mark.parametrize("says", [(), (b"hello\n",), (b"x" * 4000,), (second_start.GREETING + b"me\n",)])
def test_files_go_to_no_window_that_does_not_speak(
    tmp_path: Path, name: str, held: Claim, monkeypatch: pytest.MonkeyPatch, says: tuple[bytes, ...]
) -> None:
    """What is not told to a stuck window cannot be opened by it later, a second time."""
    monkeypatch.setattr(second_start, "_ANSWER", 0.2)
    window = Window(name, *says, then_close=False)
    began = time.monotonic()
    claim = claim_or_hand_over(tmp_path, ["secret.txt"])
    assert claim is not None and not claim.held and time.monotonic() - began < 5
    assert not any(b"secret" in heard for heard in window.heard)
    window.close()


@POSIX
def test_more_files_than_a_window_takes_are_refused_at_once(tmp_path: Path, name: str, held: Claim) -> None:
    window = Window(name, GREETING, second_start.TAKEN)
    with pytest.raises(SpanlightError, match="So many files"):
        claim_or_hand_over(tmp_path, [f"{number:01000}.txt" for number in range(1100)])
    assert window.heard == []
    window.close()


@POSIX
def test_a_window_that_is_being_opened_is_waited_for(tmp_path: Path, name: str, held: Claim) -> None:
    windows: list[Window] = []
    later = threading.Timer(0.3, lambda: windows.append(Window(name, GREETING, second_start.TAKEN)))
    later.start()
    assert claim_or_hand_over(tmp_path, ["a.txt"]) is None
    windows[0].close()


@POSIX
def test_a_window_that_is_being_closed_is_followed(tmp_path: Path, name: str, held: Claim) -> None:
    window = Window(name)  # hangs up on whoever comes
    later = threading.Timer(0.3, held.release)
    later.start()
    claim = claim_or_hand_over(tmp_path, [])
    assert claim is not None and claim.held
    claim.release()
    window.close()


@POSIX
def test_what_a_killed_window_left_does_not_hold_anybody_up(tmp_path: Path, name: str) -> None:
    left = socket.socket(socket.AF_UNIX)
    left.bind(name)
    left.close()
    Path(f"{name}.lock").write_text("")
    assert hand_over(name, []) is Answer.ABSENT
    began = time.monotonic()
    claim = claim_or_hand_over(tmp_path, [])
    assert claim is not None and claim.held and time.monotonic() - began < 1
    claim.release()


@POSIX
def test_where_nothing_can_be_claimed_the_window_opens_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(second_start, "_private_folder", lambda data: tmp_path / "missing")
    began = time.monotonic()
    claim = claim_or_hand_over(tmp_path, [])
    assert claim is not None and not claim.held and time.monotonic() - began < 1


def folder_of(data: Path) -> Path:
    return Path(name_of(data)).parent


@POSIX
def test_the_socket_stands_where_nobody_else_can_enter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where all may write, a stranger could take the name, or the folder, before the window does."""
    monkeypatch.setattr(
        second_start, "Path", lambda *parts: Path(*parts) if "run/user" not in str(parts) else tmp_path
    )
    shared, data = tmp_path / "tmp", tmp_path / "d"
    shared.mkdir()
    shared.chmod(0o777)
    tmp_path.chmod(0o755)  # what stands for the folder of the session
    monkeypatch.setattr(tempfile, "tempdir", str(shared))
    monkeypatch.setattr(second_start, "_LONGEST_FOLDER", 1000)
    data.mkdir(mode=0o755)
    assert folder_of(data) == data and data.stat().st_mode & 0o777 == 0o700
    monkeypatch.setattr(second_start, "_LONGEST_FOLDER", 1)
    own = shared / f"spanlight-{os.getuid()}"
    assert folder_of(data) == own and own.stat().st_mode & 0o777 == 0o700
    own.chmod(0o755)  # taken by somebody, who lets all in
    assert folder_of(data) == data
    own.rmdir()
    own.symlink_to(tmp_path)
    assert folder_of(data) == data and tmp_path.stat().st_mode & 0o777 == 0o755
    shared.chmod(0o700)  # as on macOS
    assert folder_of(data) == shared


PLAIN = st.none() | st.booleans() | st.floats() | st.text()
KEYS = st.sampled_from(["files", "token", "x"])


@given(st.recursive(PLAIN, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner)))
def test_an_order_is_files_or_nothing(told: object) -> None:
    try:
        files, token = read_order(json.dumps(told).encode())
    except ValueError:
        return
    assert isinstance(told, dict) and files == [Path(each) for each in told["files"]]
    assert token == told.get("token", "") and token.isprintable()


@pytest.mark.parametrize(
    "line",
    [
        b"", b"[]", b"[" * 100_000, b'{"files": ["\\u0000"]}', b'{"files": [], "token": "\\n"}', b"\xff",
    ],
)  # fmt: skip
def test_nonsense_is_no_order(line: bytes) -> None:
    with pytest.raises(ValueError):
        read_order(line)


def test_windows_waits_no_longer_than_it_should(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_start, "_ANSWER", 0.05)
    over = threading.Event()

    def stuck() -> Answer:
        over.wait(20)
        return Answer.TAKEN

    assert second_start._with_timeout(stuck) is Answer.SILENT
    over.set()
    assert second_start._with_timeout(lambda: Answer.TAKEN) is Answer.TAKEN
