"""Paths in file:// URLs, and suggestions for mistyped words."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.arguments import did_you_mean, path_of

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="paths as POSIX has them")


@POSIX
@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_every_path_comes_back(name: str) -> None:
    path = "/" + name
    for address in (f"file://{quote(path)}", f"file:{quote(path)}", f"FILE://localhost{quote(path)}"):
        assert path_of(address) == path


@POSIX
@given(st.binary(min_size=1).filter(lambda data: b"\0" not in data))
def test_every_name_that_a_disk_may_have_comes_back(name: bytes) -> None:
    path = os.fsdecode(b"/" + name)
    assert os.fsencode(path_of(f"file://{quote(b'/' + name)}")) == os.fsencode(path)


@POSIX
def test_addresses_as_python_and_desktops_write_them(tmp_path: Path) -> None:
    for name in ("a b.pdf", "ü😀.txt", "100%.md", "a#b?c.txt"):
        assert path_of((tmp_path / name).as_uri()) == str(tmp_path / name)
    assert path_of(f"file://{os.uname().nodename}/etc/hosts") == "/etc/hosts"


@pytest.mark.parametrize(
    "argument",
    [
        "notes.txt",
        "/home/file:/x",
        "https://a.org/b",
        "file:relative",
        "file://elsewhere.invalid/a",
        "file:///%00",
        "",
    ],
)
def test_anything_else_stays(argument: str) -> None:
    assert path_of(argument, windows=False) == argument


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("file:///C:/a%20b.pdf", r"C:\a b.pdf"),
        ("file:///c|/a.pdf", r"c:\a.pdf"),
        ("file://server/share/a.pdf", r"\\server\share\a.pdf"),
        (r"C:\a.pdf", r"C:\a.pdf"),
    ],
)
def test_windows(address: str, path: str) -> None:
    assert path_of(address, windows=True) == path


@pytest.mark.parametrize(
    ("word", "meant"),
    [("clasify", "classify"), ("Fil", "fill"), ("ASK", "ask"), ("x", ""), ("", ""), ("notes.txt", ""),
     ("text.docx", ""), ("train.csv", ""), ("./train", ""), (".\\train", ""), ("instal", ""), ("lits", "list")],
)  # fmt: skip
def test_the_nearest_word_is_asked_after(word: str, meant: str) -> None:
    assert did_you_mean(word, ["ask", "classify", "fill", "text", "train", "list", "import"]) == (
        f"Did you mean {meant}?" if meant else ""
    )
