"""The ledger file is read even if several processes wrote it, or it was truncated or shortened."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.models.download import ledger
from app.models.download.ledger import Ledger, read_ledger


def test_a_request_is_read_with_its_end(tmp_path: Path) -> None:
    path = tmp_path / "new" / "ledger.jsonl"
    written = Ledger(str(path))
    first = written.sending("GET", "https://a/x", "Look up a")
    second = written.sending("HEAD", "https://b/y", "Ask for “ü”")
    written.ended(second, 200, 12, 0.25)
    written.ended(first, 0, 3, 1.5, "broken off")
    second_told, first_told = read_ledger(path)
    assert (second_told.method, second_told.status, second_told.received, second_told.seconds) == (
        "HEAD",
        200,
        12,
        0.25,
    )
    assert second_told.why == "Ask for “ü”"
    assert (first_told.address, first_told.status, first_told.error) == ("https://a/x", 0, "broken off")
    Ledger(str(path)).sending("GET", "https://a/z", "why")  # one without an end, of another process
    entry, *_ = read_ledger(path)
    assert entry.status == 0 and entry.sent.startswith("20") and not entry.error
    nowhere = Ledger("")
    nowhere.ended(nowhere.sending("GET", "https://a/", "why"), 200, 1, 0)


def test_two_processes_may_write_by_turns(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    one, two = Ledger(str(path)), Ledger(str(path))
    names = [one.sending("GET", "https://1/", "w"), two.sending("GET", "https://2/", "w")]
    two.ended(names[1], 200, 2, 0)
    one.ended(names[0], 404, 1, 0)
    assert {(e.address, e.status) for e in read_ledger(path)} == {("https://1/", 404), ("https://2/", 200)}


@given(st.integers(0, 700))
def test_a_truncated_file_keeps_its_whole_lines(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    path = tmp_path_factory.mktemp("cut") / "ledger.jsonl"
    written = Ledger(str(path))
    for number in range(4):
        written.ended(written.sending("GET", f"https://a/{number}", "why"), 200, 1, 0)
    data = path.read_bytes()[:cut]
    path.write_bytes(data)
    whole = [line for line in data.splitlines() if line.endswith(b"}") and b'"method"' in line]
    assert len(read_ledger(path)) == len(whole)
    # The next request is not swallowed by the half line before it.
    Ledger(str(path)).sending("GET", "https://a/next", "why")
    assert read_ledger(path)[0].address == "https://a/next" and len(read_ledger(path)) == len(whole) + 1


# Lines of other types, and those of requests with values of other types.
ODD = (
    b"[]", b"7", b"null", b'{"id": 1}', b"[" * 9000, b'{"id": "a", "method": "GET", "status": "x"}',
    b'{"id": "b", "method": "GET", "received": null}', b'{"id": "c", "method": "GET", "seconds": []}',
    b'{"id": "d", "method": "GET", "sent": null, "status": 1e999}',
)  # fmt: skip


@given(st.lists(st.binary(max_size=40)))
def test_malformed_lines_are_left_out(tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]) -> None:
    path = tmp_path_factory.mktemp("odd") / "ledger.jsonl"
    path.write_bytes(b"\n".join((*ODD, *lines)) + b"\n")
    written = Ledger(str(path))
    written.ended(written.sending("GET", "https://a/", "why"), 200, 1, 0)
    assert [e.address for e in read_ledger(path)] == ["https://a/"]


def test_it_does_not_grow_without_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "MOST", 20_000)
    path = tmp_path / "ledger.jsonl"
    written = Ledger(str(path))
    for number in range(2_000):
        written.ended(written.sending("GET", f"https://a/{number}", "why"), 200, 1, 0)
        assert path.stat().st_size < 20_500
    found = read_ledger(path)
    assert found[0].address == "https://a/1999" and 20 < len(found) < 2_000
    assert len({entry.address for entry in found}) == len(found)
