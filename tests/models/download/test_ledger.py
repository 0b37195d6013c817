"""The ledger file is read even if several processes wrote it, or it was truncated or shortened."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.report import Silent
from app.flows.network.ledger import clear_ledger, ledger
from app.flows.workspace import open_workspace
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


@given(
    st.lists(
        st.one_of(st.binary(max_size=40), st.sampled_from([b"[]", b"7", b"null", b'{"id": 1}', b"[" * 9000]))
    )
)
def test_malformed_lines_are_left_out(tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]) -> None:
    path = tmp_path_factory.mktemp("odd") / "ledger.jsonl"
    path.write_bytes(b"\n".join(lines) + b"\n")
    written = Ledger(str(path))
    written.ended(written.sending("GET", "https://a/", "why"), 200, 1, 0)
    assert [e.address for e in read_ledger(path)] == ["https://a/"]


@pytest.mark.parametrize(
    "odd", [{"status": "x"}, {"received": None}, {"seconds": []}, {"sent": None, "status": 1e999}]
)
def test_values_of_other_types_do_no_harm(tmp_path: Path, odd: dict[str, object]) -> None:
    path = tmp_path / "ledger.jsonl"
    line = {"id": "1", "sent": "now", "method": "GET", "address": "a", "why": "w"} | odd
    path.write_text(json.dumps(line).replace("Infinity", "1e999") + "\n")
    Ledger(str(path)).sending("GET", "https://a/", "why")
    assert read_ledger(path)[0].address == "https://a/"


def test_it_does_not_grow_without_limit(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    written = Ledger(str(path), most=20_000)
    for number in range(2_000):
        written.ended(written.sending("GET", f"https://a/{number}", "why"), 200, 1, 0)
        assert path.stat().st_size < 20_500
    found = read_ledger(path)
    assert found[0].address == "https://a/1999" and 20 < len(found) < 2_000
    assert len({entry.address for entry in found}) == len(found)


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(SpanlightError, match="network ledger cannot be written"):
        Ledger(str(tmp_path)).sending("GET", "https://a/", "why")


def test_the_flow_reads_and_clears(spanlight_home: Path) -> None:
    workspace = open_workspace()
    try:
        assert ledger(workspace, Silent()) == ()
        Ledger(workspace.network.ledger).sending("GET", "https://a/", "why")
        assert [entry.address for entry in ledger(workspace, Silent())] == ["https://a/"]
        clear_ledger(workspace, Silent())
        clear_ledger(workspace, Silent())
        assert ledger(workspace, Silent()) == ()
        workspace.paths.ledger_file.unlink(missing_ok=True)
        workspace.paths.ledger_file.mkdir()
        with pytest.raises(SpanlightError, match="cannot be read"):
            ledger(workspace, Silent())
        with pytest.raises(SpanlightError, match="cannot be cleared"):
            clear_ledger(workspace, Silent())
    finally:
        workspace.close()
