import importlib.util
import sys

import pytest

from app.core import about, system_libraries
from app.core.system_libraries import debian_package, not_whole, without_library
from tests.conftest import ROOT

# The words of glibc's loader, of Python's, and of Qt's.
CURSOR = (
    "Cannot load library /opt/spanlight/_internal/PySide6/Qt/plugins/platforms/libqxcb.so: "
    "libxcb-cursor.so.0: cannot open shared object file: No such file or directory"
)
EGL = "libEGL.so.1: cannot open shared object file: No such file or directory"
OLD = "/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.38' not found (required by /opt/x/libQt6Core.so.6)"


def known_packages() -> dict[str, str]:
    path = ROOT / "packaging" / "bootstrapping" / "system.py"
    spec = importlib.util.spec_from_file_location("bootstrapping_system", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return dict(module.LIBRARIES)


@pytest.mark.parametrize(("library", "package"), known_packages().items())
def test_the_rule_names_every_package_that_the_set_up_knows(library: str, package: str) -> None:
    assert debian_package(library) == package


def test_what_is_no_library_has_no_package() -> None:
    assert debian_package("readme.txt") == debian_package("libx.so") == ""


@pytest.mark.parametrize(("words", "library", "package"), [
    (CURSOR, "libxcb-cursor.so.0", "libxcb-cursor0"), (EGL, "libEGL.so.1", "libegl1"),
])  # fmt: skip
def test_a_missing_library_is_named_with_its_package(
    words: str, library: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system_libraries, "_DEBIAN", __file__)
    fault = without_library(words)
    assert fault is not None and library in fault.message
    assert fault.hint.endswith(f"apt install {package}")
    monkeypatch.setattr(system_libraries, "_DEBIAN", "/nowhere")
    fault = without_library(words)
    assert fault is not None and "apt" not in fault.hint


def test_a_system_that_is_too_old_is_told_so() -> None:
    fault = without_library(OLD)
    assert fault is not None
    assert (
        fault.message
        == "This system is too old for Spanlight, which needs the C library (glibc 2.38 or newer)."
    )


def test_other_words_are_not_taken_for_a_library() -> None:
    assert without_library("No module named 'numpy'") is None


def test_what_is_missing_of_spanlight_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ImportError) as gone:
        import app.nothing  # noqa: F401
    fault = not_whole(gone.value)
    assert fault.message == "Spanlight is not whole: app.nothing is missing."
    assert about.command() in fault.hint  # from the source
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert not_whole(gone.value).hint == "Install it again."


def test_what_is_broken_is_told_with_why() -> None:
    broken = ImportError("/x/_imaging.so: file too short\n", name="app.x")
    assert not_whole(broken).message == (
        "Spanlight is not whole: app.x is broken (/x/_imaging.so: file too short)."
    )


def test_where_no_module_is_named_its_words_are_told() -> None:
    assert not_whole(ImportError("no such library")).message == "Spanlight is not whole: no such library."


def test_a_library_of_the_system_is_no_part_of_spanlight() -> None:
    assert "libEGL.so.1" in not_whole(ImportError(EGL)).message
