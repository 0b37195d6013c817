from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.atomic import write_atomic
from app.settings.drafts import Drafts
from app.settings.paths import default_paths, make_private, may_write, short_path, without_home


def test_one_variable_moves_everything(tmp_path: Path) -> None:
    paths = default_paths({"SPANLIGHT_HOME": str(tmp_path / "home")})
    for folder in (paths.config, paths.data, paths.logs, paths.models, paths.drafts, paths.log_file):
        assert folder.is_relative_to(tmp_path / "home")
    assert not (tmp_path / "home").exists()
    usual = default_paths({})
    for folder in (usual.config, usual.data, usual.logs):
        assert folder.is_absolute() and "spanlight" in str(folder).lower()
    assert len({usual.config, usual.data, usual.logs}) >= 2 and usual.samples.is_dir()


HOME = Path("/home/ada")


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/home/ada", "~"),
        ("/home/ada/.local/share/spanlight", "~/.local/share/spanlight"),
        ("/home/adam/x", "/home/adam/x"),
        ("/srv/home/ada/x", "/srv/home/ada/x"),
    ],
)
def test_a_path_is_shown_short(path: str, shown: str) -> None:
    assert short_path(Path(path), HOME) == str(Path(shown))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("open /home/ada/letter.pdf: /home/ada", "open ~/letter.pdf: ~"),
        ("file:///home/ada/x", "file://~/x"),
        (
            "/home/adam and /home/ada-2 and /home/ada.old stay",
            "/home/adam and /home/ada-2 and /home/ada.old stay",
        ),
        ("C:\\home\\ada", "C:~"),
    ],
)
def test_a_text_tells_no_home(text: str, shown: str) -> None:
    assert without_home(text, HOME) == shown


def test_a_windows_home_goes_in_both_ways_of_writing_it_and_one_at_the_root_takes_nothing_out() -> None:
    home = Path("C:\\Users\\Ada Lovelace")
    assert without_home('"C:/Users/Ada Lovelace/x" C:\\\\Users\\\\Ada Lovelace\\\\y', home) == '"~/x" ~\\\\y'
    assert without_home("/etc/x", Path("/")) == "/etc/x"


@given(st.text(), st.text())
def test_the_home_is_gone_and_the_rest_stands(before: str, after: str) -> None:
    shown = without_home(f"{before} /home/ada/{after}", HOME)
    assert shown.startswith(f"{without_home(before, HOME)} ~/")
    assert "/home/ada/" not in shown


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
