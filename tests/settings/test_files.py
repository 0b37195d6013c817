import os
from pathlib import Path

import pytest

from app.settings.drafts import Drafts
from app.settings.files import may_write


def test_a_folder_that_is_still_to_be_made_may_be_written_to(tmp_path: Path) -> None:
    assert may_write(tmp_path) and may_write(tmp_path / "one" / "two")
    assert not list(tmp_path.iterdir())


def test_below_a_file_nothing_may_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert not may_write(tmp_path / "file") and not may_write(tmp_path / "file" / "one")


def test_the_nearest_folder_that_is_there_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Path] = []

    def access(path: Path, mode: int) -> bool:
        asked.append(Path(path))
        return False

    monkeypatch.setattr(os, "access", access)
    assert not may_write(tmp_path / "one" / "two")
    assert asked == [tmp_path]


def test_where_nothing_may_be_written_a_draft_is_let_go_of(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    drafts = Drafts(tmp_path / "file" / "drafts")
    drafts.save("one", "words")
    assert drafts.load("one") == ""
