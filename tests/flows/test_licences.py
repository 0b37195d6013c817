"""Licences of installed packages, of fake ones, and of undescribed parts; written and read again."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.about import VERSION
from app.core.errors import SpanlightError
from app.core.licences import KINDS, MODEL, Component, LicenceText
from app.core.report import Silent, Stopped
from app.flows.licences import (
    FILE,
    as_text,
    from_json,
    installed_components,
    licence_of,
    licences,
    required_packages,
    to_json,
    write_file,
)
from app.flows.workspace import Workspace
from app.settings.paths import Paths, default_paths
from app.settings.settings import Settings

WORDS = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
PARTS = st.builds(
    Component,
    name=WORDS,
    version=WORDS,
    licence=WORDS,
    page=WORDS,
    note=WORDS,
    kind=st.sampled_from(KINDS),
    texts=st.lists(st.builds(LicenceText, st.lists(WORDS, max_size=3).map(tuple), WORDS), max_size=3).map(
        tuple
    ),
)


def listed(paths: Paths) -> tuple[Component, ...]:
    return licences(Workspace(Settings(), paths), Silent())


@pytest.fixture(scope="module")
def found() -> dict[str, Component]:
    return {one.name: one for one in installed_components(default_paths({}))}


@given(st.lists(PARTS, max_size=4))
def test_what_is_written_is_read_again(parts: list[Component]) -> None:
    assert from_json(to_json(parts)) == tuple(parts)


def test_a_text_that_several_share_is_written_once() -> None:
    text = LicenceText(("LICENSE",), "the very same text")
    written = to_json([Component("a", texts=(text,)), Component("b", texts=(text,))])
    assert written.count("the very same text") == 1


def test_everything_that_run_time_needs_is_listed(found: dict[str, Component]) -> None:
    for name in ("torch", "transformers", "tokenizers", "safetensors", "numpy", "platformdirs", "pypdfium2"):
        assert found[name].version == metadata.version(name)
    assert "sympy" in found, "what those need in turn"
    assert not {"pytest", "hypothesis", "ruff", "mypy", "pytest-qt"} & found.keys(), "the tests' tools"
    assert next(iter(found)) == "Spanlight" and found["Spanlight"].version == VERSION
    assert list(found)[1:] == sorted(list(found)[1:], key=str.casefold)


def test_every_part_has_a_licence_and_its_whole_text(found: dict[str, Component]) -> None:
    for one in found.values():
        assert one.licence, one.name
        assert one.name == "SQLite" or any(len(text.text) > 400 for text in one.texts), one.name
    package = metadata.distribution("torch")
    files = [
        file for file in package.files or () if "licenses" in file.parts and file.name.startswith("LICEN")
    ]
    assert len(files) > 20
    read = found["torch"].whole_text()
    for file in files:
        written = Path(str(file.locate())).read_text(encoding="utf-8", errors="replace")
        assert written.replace("\r\n", "\n").strip("\n") in read, file


def test_what_no_package_tells_is_listed(found: dict[str, Component]) -> None:
    assert found["Python"].version == ".".join(str(part) for part in sys.version_info[:3])
    assert "PYTHON SOFTWARE FOUNDATION LICENSE" in found["Python"].whole_text()
    qt = found["Qt"]
    assert qt.version == metadata.version("PySide6-Essentials")
    assert "PySide6" in qt.note and "_internal" in qt.note, "how its libraries are exchanged"
    read = qt.whole_text()
    assert "GNU LESSER GENERAL PUBLIC LICENSE" in read and "TERMS AND CONDITIONS" in read
    assert "src/3rdparty/pcre2" in read
    assert found["PDFium"].texts[0].names == ("BUILD_LICENSES/pdfium.txt",)
    assert found["PDFium"].version.count(".") == 3
    assert "freetype" in str([text.names for text in found["PDFium"].texts])
    assert not [text for text in found["pypdfium2"].texts if text.names[0].startswith("BUILD_")], (
        "they are PDFium's"
    )
    assert found["SQLite"].version.startswith("3.")
    assert found["reader-quick"].kind == MODEL and found["reader-quick"].licence == "CC BY-SA 4.0"
    assert "SQuADShifts" in found["reader-quick"].whole_text()


def test_a_package_that_only_names_its_licence_has_the_text_all_the_same(found: dict[str, Component]) -> None:
    assert found["tokenizers"].texts[0].names == ("Apache-2.0",)
    assert "TERMS AND CONDITIONS FOR USE, REPRODUCTION" in found["tokenizers"].texts[0].text
    assert "GNU LESSER GENERAL PUBLIC LICENSE" in found["PySide6_Essentials"].whole_text()


# Packages made for the test


def install(folder: Path, name: str, facts: str, files: dict[str, str]) -> None:
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.4\nName: {name}\nVersion: 1.0\n{facts}", encoding="utf-8"
    )
    for file, text in files.items():
        (info / file).parent.mkdir(parents=True, exist_ok=True)
        (info / file).write_text(text, encoding="utf-8")
    record = ["METADATA", *files]
    (info / "RECORD").write_text("".join(f"{info.name}/{file},,\n" for file in record), encoding="utf-8")


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "packages"
    monkeypatch.syspath_prepend(str(folder))
    return folder


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    """Paths with resources of their own, in a source tree that needs `first`."""
    real = default_paths({})
    resources = tmp_path / "resources"
    (resources / "licences").mkdir(parents=True)
    for name in ("index.toml", "Apache-2.0.txt"):
        (resources / "licences" / name).write_bytes((real.resources / "licences" / name).read_bytes())
    (resources / "licences" / "index.toml").write_text("part = []\n", encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "spanlight"\ndependencies = ["made_first[more]>=1; python_version > \'3\'"]\n'
    )
    return replace(real, resources=resources)


def test_what_is_needed_is_followed_through_extras_and_no_others(packages: Path, paths: Paths) -> None:
    needs = "Requires-Dist: made-second>=1\nRequires-Dist: made-more; extra == 'more'\n"
    needs += (
        "Requires-Dist: made-docs; extra == 'docs'\nRequires-Dist: made-absent; sys_platform == 'nowhere'\n"
    )
    install(packages, "made_first", needs, {})
    install(packages, "made_second", "Requires-Dist: made-first\n", {})
    for name in ("made_more", "made_docs"):
        install(packages, name, "", {})
    assert required_packages(paths) == ("made_first", "made_more", "made_second")


def test_an_installed_spanlight_is_asked_what_it_needs(packages: Path, paths: Paths) -> None:
    (paths.resources.parent / "pyproject.toml").unlink()
    assert required_packages(paths) == ()
    install(
        packages, "spanlight", "Requires-Dist: made-first\nRequires-Dist: made-docs; extra == 'test'\n", {}
    )
    for name in ("made_first", "made_docs"):
        install(packages, name, "", {})
    assert required_packages(paths) == ("made_first",)


def test_where_nothing_tells_of_licences_that_is_one_sentence(paths: Paths) -> None:
    (paths.resources / "licences" / "index.toml").unlink()
    with pytest.raises(SpanlightError, match="list of licences is missing"):
        listed(paths)


def test_licence_files_are_read_each_text_once(packages: Path, paths: Paths) -> None:
    bill = {
        "components": [
            {"name": "serde", "version": "1.0", "licenses": [{"expression": "MIT"}]},
            {"name": "x"},
        ]
    }
    files = {
        "licenses/third_party/a/LICENSE": "The same",
        "licenses/third_party/b/LICENSE": "The same",
        "licenses/LICENSE": "Its own, in full. ÄÖ",
        "sboms/made.cdx.json": json.dumps(bill),
        "COPYING.txt": "Older wheels have it here",
        "top_level.txt": "no licence",
    }
    install(
        packages, "made_first", "License-Expression: MIT\nProject-URL: Homepage, https://example.org\n", files
    )
    made = next(one for one in installed_components(paths) if one.name == "made_first")
    assert (made.version, made.licence, made.page) == ("1.0", "MIT", "https://example.org")
    assert [(text.names, text.text) for text in made.texts] == [
        (("LICENSE",), "Its own, in full. ÄÖ"),
        (("COPYING.txt",), "Older wheels have it here"),
        (
            ("Built into it",),
            "Libraries built into it, with the licences that its bill of materials states:\n\nserde 1.0: MIT\n"
            "x : not stated",
        ),
        (("third_party/a/LICENSE", "third_party/b/LICENSE"), "The same"),
    ]


@pytest.mark.parametrize(
    ("facts", "licence"),
    [
        ("License-Expression: MIT\nLicense: other\n", "MIT"),
        ("License: Apache 2.0 License\n", "Apache-2.0"),
        ("License: UNKNOWN\nClassifier: License :: OSI Approved :: MIT License\n", "MIT"),
        ("Classifier: License :: OSI Approved :: BSD License\nClassifier: Topic :: Text\n", "BSD-3-Clause"),
        ("License: Copyright somebody\n    who wrote\n    all of it here\n", ""),
        ("", ""),
    ],
)
def test_a_licence_is_told_by_whatever_states_it(packages: Path, facts: str, licence: str) -> None:
    install(packages, "made_first", facts, {})
    assert licence_of(metadata.distribution("made_first")) == licence


def test_the_bundles_own_list_is_read_where_it_is(paths: Paths) -> None:
    parts = (Component("bundled", "3", "MIT", texts=(LicenceText(("L",), "text"),)),)
    write_file(paths.resources / FILE, to_json(parts))
    assert listed(paths) == parts


@pytest.mark.parametrize("broken", ["", "[]", "{}", '{"components": [{"name": "x"}], "texts": {}}'])
def test_a_list_that_cannot_be_read_gives_way_to_what_is_installed(paths: Paths, broken: str) -> None:
    write_file(paths.resources / FILE, broken)
    assert listed(paths)[0].name == "Spanlight"


def test_one_text_holds_them_all(found: dict[str, Component]) -> None:
    written = as_text(found.values())
    for one in found.values():
        assert one.whole_text() in written
    assert written.count("\n\n" + "=" * 80 + "\n\n") == len(found) - 1


def test_a_stop_is_heeded() -> None:
    class StopNow:
        def check(self) -> None:
            raise Stopped

    with pytest.raises(Stopped):
        installed_components(default_paths({}), report=StopNow())  # type: ignore[arg-type]
