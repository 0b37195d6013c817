import os
import sys
import time
from pathlib import Path

import pytest

from app.core.errors import SpanlightError
from app.settings.drafts import Drafts
from app.settings.files import make_private, may_write, sweep, write_atomic
from tests.helpers.children import POSIX


def test_the_nearest_folder_that_is_there_decides_what_may_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert may_write(tmp_path) and may_write(tmp_path / "one" / "two")
    assert not list(tmp_path.iterdir())
    (tmp_path / "file").touch()
    assert not may_write(tmp_path / "file") and not may_write(tmp_path / "file" / "one")
    drafts = Drafts(tmp_path / "file" / "drafts")
    drafts.save("one", "words")
    assert drafts.load("one") == ""
    asked: list[Path] = []

    def access(path: Path, mode: int) -> bool:
        asked.append(Path(path))
        return False

    monkeypatch.setattr(os, "access", access)
    assert not may_write(tmp_path / "one" / "two")
    assert asked == [tmp_path]


@pytest.mark.skipif(sys.platform == "win32", reason="rights as POSIX has them")
def test_a_folder_of_ones_own_is_closed_to_others(tmp_path: Path) -> None:
    new, old = tmp_path / "one" / "new", tmp_path / "old"
    old.mkdir(mode=0o755)
    write_atomic(old / "words", b"words")
    for folder in (new, old, old):
        make_private(folder)
    assert [folder.stat().st_mode & 0o777 for folder in (new, old)] == [0o700, 0o700]
    assert (old / "words").stat().st_mode & 0o777 == 0o600
    (tmp_path / "file").touch()
    make_private(tmp_path / "file" / "below")  # whoever writes there says so


def test_what_a_killed_process_left_half_written_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kill(one: str, other: Path) -> None:
        raise KeyboardInterrupt

    drafts = Drafts(tmp_path)
    drafts.save("one", "kept")
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", kill)
        patch.setattr(Path, "unlink", lambda path, missing_ok: None)  # who is killed tidies nothing up
        for text in ("a secret", "a younger one"):
            with pytest.raises(KeyboardInterrupt):
                drafts.save("one", text)
    old, young = sorted(tmp_path.glob("*.part"), key=lambda path: path.read_text() != "a secret")
    os.utime(old, (time.time() - 600,) * 2)
    (tmp_path / "folder.part").mkdir()
    sweep(tmp_path)
    sweep(tmp_path / "missing")
    assert not old.exists() and drafts.load("one") == "kept"
    assert young.exists(), "another process may be writing it"
    assert (tmp_path / "folder.part").is_dir()


@POSIX
def test_what_is_no_file_is_never_replaced_by_one(tmp_path: Path) -> None:
    """Renaming a file over a device would remove the device, if the user may do that."""
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link):
        with pytest.raises(SpanlightError, match="is not a file"):
            write_atomic(path, b"new")
    assert pipe.is_fifo() and link.is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "pipe"]


@POSIX
def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_bytes(b"old")
    link.symlink_to(real)
    write_atomic(link, b"new")
    assert link.is_symlink() and real.read_bytes() == b"new"


@pytest.mark.parametrize("name", ["a\0b", "n" * 5000, "\ud800"])
def test_a_name_that_no_file_can_have(tmp_path: Path, name: str) -> None:
    with pytest.raises(SpanlightError, match="could not be written"):
        write_atomic(tmp_path / name, b"new")
