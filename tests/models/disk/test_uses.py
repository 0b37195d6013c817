"""When each model was last used, kept by the window and by commands at once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.core.atomic import write_atomic
from app.models.disk import records
from app.models.disk.records import Uses

BEGIN = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.now = BEGIN

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "uses.json"


def test_the_file_is_written_at_most_once_a_minute_for_a_folder(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes: list[bytes] = []
    clock = Clock()

    def write(path: Path, data: bytes) -> None:
        writes.append(data)
        write_atomic(path, data)

    monkeypatch.setattr(records, "write_atomic", write)
    uses = Uses(path, clock)
    for seconds, expected in ((0, 1), (59, 1), (60, 2), (61, 2), (-3600, 3)):  # the clock may be set back
        clock.now = BEGIN + timedelta(seconds=seconds)
        uses.used("a")
        assert len(writes) == expected, seconds
    uses.used("b")
    assert len(writes) == 4


def test_two_processes_keep_each_others_times(path: Path) -> None:
    window, terminal = Uses(path, Clock()), Uses(path, Clock())
    window.used("a")
    terminal.used("b")
    window.used("c")
    assert all(uses.last(folder) for uses in (window, terminal) for folder in "abc")
    assert window.last("z") == "" and Uses(path).last("a") == "2026-03-01T12:00:00+00:00"
    terminal.forget("a")
    window.used("d")
    assert window.last("a") == "" and terminal.last("d")


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"a": "yesterday"}', b'{"a": 1}', b"\xff", b"7"])
def test_a_broken_file_costs_the_times_never_the_work(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    uses = Uses(path, Clock())
    assert uses.last("a") == ""
    uses.used("b")
    assert uses.last("b")


def test_a_disk_error_is_ignored(path: Path) -> None:
    path.parent.write_bytes(b"a file")
    uses = Uses(path, Clock())
    uses.used("a")
    uses.forget("a")
    assert uses.last("a") == ""
