"""What a bundle holds and leaves out, and its libraries made smaller without harm."""

from __future__ import annotations

import ctypes
import importlib.util
import shutil
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.helpers.scripts import script

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux has ELF files")
needs_pyinstaller = pytest.mark.skipif(
    importlib.util.find_spec("PyInstaller") is None, reason="PyInstaller is not installed"
)


@pytest.fixture(scope="module")
def slim():
    return script("bundling/slim.py")


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A copy of a library with a search path beside itself, as the wheels of numpy have it."""
    home = Path(importlib.util.find_spec("numpy").origin).parent
    for path in sorted(home.rglob("*.so")):
        if b"$ORIGIN/" in path.read_bytes():
            return Path(shutil.copy(path, tmp_path / "made.so"))
    pytest.skip("numpy's libraries have no search path here")


def search_path(library: Path) -> str:
    said = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True).stdout
    return next((line for line in said.splitlines() if "PATH)" in line), "")


def test_a_search_path_beside_the_library_stays(slim, library: Path) -> None:
    before = library.read_bytes()
    assert slim.forget_search_paths(library.parent) == 0
    assert library.read_bytes() == before


@pytest.mark.skipif(not shutil.which("readelf"), reason="binutils are not installed")
def test_a_search_path_of_the_machine_that_made_it_goes_and_its_words_with_it(slim, library: Path) -> None:
    # As many bytes as before, so that nothing else moves.
    library.write_bytes(library.read_bytes().replace(b"$ORIGIN/", b"/made/on"))
    assert "/made/on" in search_path(library)
    assert slim.forget_search_paths(library.parent) == 1
    assert search_path(library) == "" and b"/made/on" not in library.read_bytes()
    assert slim.forget_search_paths(library.parent) == 0


@pytest.mark.skipif(not shutil.which("strip"), reason="binutils are not installed")
def test_a_stripped_library_is_smaller_and_still_loads(slim, tmp_path: Path) -> None:
    home = Path(importlib.util.find_spec("tokenizers").origin).parent
    copy = Path(shutil.copy(next(home.glob("*.so")), tmp_path / "tokenizers.so"))
    before = copy.stat().st_size
    assert slim.strip(tmp_path) == before - copy.stat().st_size > 0
    ctypes.CDLL(str(copy), mode=ctypes.RTLD_LOCAL)
    assert slim.strip(tmp_path) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["tokenizers.so"]


def test_a_library_whose_segments_lie_off_their_pages_is_seen(slim, library: Path) -> None:
    assert slim.is_aligned(library)
    data = bytearray(library.read_bytes())
    table, (size, count) = struct.unpack_from("<Q", data, 32)[0], struct.unpack_from("<HH", data, 54)
    last = [
        at for at in range(table, table + size * count, size) if struct.unpack_from("<I", data, at)[0] == 1
    ][-1]
    struct.pack_into("<Q", data, last + 8, struct.unpack_from("<Q", data, last + 8)[0] + 8)
    library.write_bytes(data)
    assert not slim.is_aligned(library)


def test_only_programs_and_libraries_are_touched(slim, tmp_path: Path) -> None:
    (tmp_path / "words.so").write_bytes(zlib.compress(b"words" * 99))
    (tmp_path / "empty.so").write_bytes(b"")
    (tmp_path / "link.so").symlink_to("words.so")
    assert list(slim.elf_files(tmp_path)) == []
    assert slim.strip(tmp_path) == slim.forget_search_paths(tmp_path) == 0


@needs_pyinstaller
@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("libssl.so.3", True),
        ("libxcb-cursor.so.0", True),
        ("libX11.so.6", False),
        ("libstdc++.so.6", False),
        ("libreadline.so.8", False),
        ("torch/lib/libtorch_cpu.so", True),
        ("torch/lib/libgomp.so.1", True),
        ("PySide6/Qt/plugins/platforms/libqxcb.so", True),
        ("PySide6/Qt/plugins/platforms/libqoffscreen.so", True),
        ("PySide6/Qt/plugins/platforms/libqminimal.so", False),
        ("PySide6\\Qt\\plugins\\tls\\qopensslbackend.dll", False),
        ("PySide6/Qt/plugins/iconengines/libqsvgicon.so", True),
        ("PySide6/Qt/translations/qtbase_de.qm", True),
        ("PySide6/Qt/translations/qtbase_da.qm", False),
        ("PySide6/Qt/translations/qt_de.qm", False),
        ("resources/models/reader-quick/model.safetensors", True),
    ],
)
def test_what_goes_into_a_bundle(name: str, wanted: bool) -> None:
    assert script("bundling/contents.py").is_wanted(name) is wanted


@needs_pyinstaller
def test_every_family_that_is_read_is_in_a_bundle_and_no_other_model() -> None:
    from app.models.families import FAMILIES

    contents = script("bundling/contents.py")
    out = set(contents.excluded())
    assert not {f"transformers.models.{family.module}" for family in FAMILIES.values()} & out
    assert "transformers.models.gpt2" in out


@needs_pyinstaller
def test_resources_go_in_but_for_what_is_told_elsewhere() -> None:
    contents = script("bundling/contents.py")
    targets = {target for _, target in contents.datas(ROOT)}
    assert {
        "resources",
        "resources/models",
        "resources/samples",
        "resources/check",
        "resources/themes",
    } <= targets
    assert not {"resources/pictures", "resources/licences"} & targets


@needs_pyinstaller
def test_modules_imported_by_name_are_named() -> None:
    named = set(script("bundling/contents.py").hidden_imports())
    assert {"app.cli.ask", "app.ui.ask.ask", "app.engine.process", "app.flows.check.run"} <= named
    assert "app.bench.reference_once" not in named


@pytest.mark.parametrize(
    ("arguments", "called", "given"),
    [
        (
            ["--multiprocessing-fork", "tracker_fd=15", "pipe_handle=17", "parent_pid=None"],
            "multiprocessing.spawn.spawn_main",
            ((), {"tracker_fd": 15, "pipe_handle": 17, "parent_pid": None}),
        ),
        (
            ["-B", "-I", "-c", "from multiprocessing.resource_tracker import main;main(23)"],
            "multiprocessing.resource_tracker.main",
            ((23,), {}),
        ),
        (["a.pdf", "-c", "b.pdf"], "", None),
        (["ask", "a.pdf", "--question", "--multiprocessing-fork"], "", None),
    ],
)
def test_a_bundle_is_its_own_processes_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arguments: list[str], called: str, given: object
) -> None:
    at_start = script("hooks/at_start.py")
    calls: list[object] = []
    monkeypatch.setattr(sys, "argv", ["spanlight", *arguments])
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    monkeypatch.setattr(sys.modules["__main__"], "__file__", "before", raising=False)
    if not called:
        at_start._at_start()
        return
    monkeypatch.setattr(called, lambda *args, **named: calls.append((args, named)))
    with pytest.raises(SystemExit) as left:
        at_start._at_start()
    assert left.value.code is None and calls == [given]


@needs_pyinstaller
def test_the_list_of_licences_is_in_the_application_of_macos_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = script("bundling/held.py")
    monkeypatch.setattr(held, "distributions", lambda bundle: ["numpy"])
    monkeypatch.setattr(held, "system_libraries", lambda bundle: iter(()))
    bundle, application = tmp_path / "spanlight", tmp_path / "Spanlight.app"
    own, other = bundle / "_internal" / "resources", application / "Contents" / "Resources" / "resources"
    own.mkdir(parents=True)
    other.mkdir(parents=True)
    held.write_licences(bundle, application)
    written = (own / "licences.json").read_bytes()
    assert b'"numpy"' in written and (other / "licences.json").read_bytes() == written
