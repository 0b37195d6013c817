from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.settings.drafts import Drafts


@given(st.text(st.characters()))
def test_text_comes_back_character_for_character(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        drafts = Drafts(Path(folder))
        drafts.save("ask.passage", text)
        assert Drafts(Path(folder)).load("ask.passage") == text


def test_names_stay_apart_and_can_be_forgotten(tmp_path: Path) -> None:
    drafts = Drafts(tmp_path / "drafts")
    assert drafts.load("one") == ""
    drafts.save("one", "1\r\n")
    drafts.save("two", "2")
    drafts.clear("two")
    drafts.clear("three")
    assert (drafts.load("one"), drafts.load("two")) == ("1\r\n", "")
    drafts.save("one", "")
    assert list((tmp_path / "drafts").iterdir()) == []
    (tmp_path / "drafts" / "one.txt").write_bytes(b"\xff\xff")
    (tmp_path / "drafts" / "two.txt").mkdir()
    assert drafts.load("one") == drafts.load("two") == "", "what cannot be read is empty"


@pytest.mark.parametrize("name", ["", "../up", "a/b", "A", "a..b", "a "])
def test_names_cannot_leave_the_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="not a draft's name"):
        Drafts(tmp_path).save(name, "x")
