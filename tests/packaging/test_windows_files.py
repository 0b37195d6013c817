"""The lists of what the Windows installer installs and its uninstaller deletes."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.about import NAME, PUBLISHER, VERSION
from app.core.kinds import CODE, ENDINGS, LOGS, PROSE
from tests.conftest import ROOT
from tests.helpers.scripts import script

files = script("windows/files.py")
NSIS = ROOT / "packaging" / "windows"

NAMES = st.text("ab$ é_-.'", min_size=1, max_size=6).filter(lambda name: name[-1] not in ". ")
PATHS = st.lists(st.lists(NAMES, min_size=1, max_size=4).map("/".join), max_size=12)


def bundle_of(folder: Path, paths: list[str]) -> list[str]:
    """A folder with these files and spanlight.exe; the paths that could be made, as some are files and folders."""
    made = []
    for path in ["spanlight.exe", *paths]:
        target = folder / path
        if target.exists() or any(parent.is_file() for parent in target.parents):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.encode())
        made.append(path)
    return made


def unquoted(words: str) -> str:
    return words.replace("$$", "$").replace('$\\"', '"')


def installed(text: str) -> set[str]:
    """The files that a list of File lines puts below the folder."""
    found, folder = set(), ""
    for line in text.splitlines():
        if line.startswith("SetOutPath"):
            folder = re.fullmatch(r'SetOutPath "\$INSTDIR(.*)"', line)[1]  # type: ignore[index]
        else:
            name = re.fullmatch(r'File "/oname=(.*?)" "(.*)"', line)[1]  # type: ignore[index]
            found.add(unquoted(f"{folder}\\{name}"))
    return found


@given(PATHS)
def test_both_lists_hold_every_file_and_every_folder(paths: list[str]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = bundle_of(folder, paths)
        if len({path.lower() for path in made}) < len(made):
            return
        listed = files.listed(folder)
        assert sorted(map(str, listed)) == sorted(made)
        put = installed(files.install_list(folder, listed))
        deletes = files.uninstall_list(listed).splitlines()
        deleted = [unquoted(line[len('Delete "$INSTDIR') : -1]) for line in deletes if line[:6] == "Delete"]
        removed = [unquoted(line[len('RMDir "$INSTDIR') : -1]) for line in deletes if line[:5] == "RMDir"]
        assert put == set(deleted) == {"\\" + path.replace("/", "\\") for path in made}
        # Carried out in order, they leave nothing.
        for line in deleted:
            (folder / line[1:].replace("\\", "/")).unlink()
        for line in removed:
            (folder / line[1:].replace("\\", "/")).rmdir()
        assert list(folder.iterdir()) == []


def test_what_is_not_spanlights_is_never_deleted_with_a_folder() -> None:
    for path in [*NSIS.glob("*.nsi"), *NSIS.glob("*.nsh")]:
        assert not re.search(r"RMDir\s+(/\w+\s+)*/r", path.read_text(encoding="utf-8"), re.IGNORECASE), path
    assert "/r" not in files.uninstall_list([PurePosixPath("_internal/a")]).split()


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("a:b.txt", "not allow"),
        ("aux.txt", "not allow"),
        ("LPT1", "not allow"),
        ("folder/end.", "not allow"),
        ("a\tb", "not allow"),
        ("x" * 90 + "/" + "y" * 91, "longer"),
    ],
)
def test_a_name_that_windows_refuses_is_refused_here(tmp_path: Path, path: str, words: str) -> None:
    bundle_of(tmp_path, [path])
    with pytest.raises(ValueError, match=words):
        files.listed(tmp_path)


def test_names_that_differ_by_case_alone_are_refused(tmp_path: Path) -> None:
    bundle_of(tmp_path, ["a/B.txt", "a/b.txt"])
    with pytest.raises(ValueError, match="twice"):
        files.listed(tmp_path)


def test_a_folder_without_the_program_is_no_bundle(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert files.main([str(tmp_path), str(tmp_path / "lists")]) == 1
    assert "spanlight.exe" in capsys.readouterr().err
    assert files.main([]) == 2


def test_the_installer_says_what_the_app_says(tmp_path: Path) -> None:
    bundle_of(tmp_path / "bundle", ["_internal/a"])
    assert files.main([str(tmp_path / "bundle"), str(tmp_path / "lists")]) == 0
    said = (tmp_path / "lists" / "about.nsh").read_text(encoding="utf-8-sig")
    for name, words in (("NAME", NAME), ("VERSION", VERSION), ("PUBLISHER", PUBLISHER), ("SIZE_KB", "1")):
        assert f'!define {name} "{words}"' in said
    assert re.search(r'VERSION_FOUR "\d+\.\d+\.\d+\.\d+"', said)


def test_it_is_offered_for_every_kind_that_is_read() -> None:
    text = (NSIS / "associations.nsh").read_text(encoding="utf-8")
    kinds = re.findall(r'insertmacro \$\{MACRO\} "\.(\w+)"', text)
    assert {*ENDINGS, "txt"} <= set(kinds) <= {*ENDINGS, *PROSE, *LOGS, *CODE} and len(set(kinds)) == len(
        kinds
    )
