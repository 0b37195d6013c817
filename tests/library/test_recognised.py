"""Recognised pages are stored by their file's SHA-256, up to a limit."""

from __future__ import annotations

from pathlib import Path

from app.library.recognised import RecognisedPages


def test_pages_are_kept_by_their_file(tmp_path: Path) -> None:
    kept = RecognisedPages(tmp_path / "recognised.sqlite3")
    assert kept.pages("a") == {}
    kept.put("a", 0, b"one")
    kept.put("a", 7, b"two")
    kept.put("b", 0, b"three")
    kept.put("a", 0, b"anew")
    kept.close()
    again = RecognisedPages(tmp_path / "recognised.sqlite3")
    assert again.pages("a") == {0: b"anew", 7: b"two"} and again.pages("b") == {0: b"three"}
    again.close()


def test_the_least_recently_opened_files_are_deleted(tmp_path: Path) -> None:
    kept = RecognisedPages(tmp_path / "recognised.sqlite3", most_bytes=100)
    for name in "abc":
        kept.put(name, 0, bytes(30))
    kept.pages("a")
    kept.put("d", 0, bytes(30))
    assert [bool(kept.pages(name)) for name in "abcd"] == [True, False, True, True]
    kept.put("e", 0, bytes(200))
    assert [bool(kept.pages(name)) for name in "abcde"] == [False, False, False, False, True], (
        "the newest stays"
    )
    kept.close()
