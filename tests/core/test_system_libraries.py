import sys

import pytest

from app.core import about, system_libraries
from app.core.system_libraries import debian_package, installation_error, missing_library_error
from tests.helpers.scripts import script

# The words of glibc's loader, of Python's, and of Qt's.
CURSOR = (
    "Cannot load library /opt/spanlight/_internal/PySide6/Qt/plugins/platforms/libqxcb.so: "
    "libxcb-cursor.so.0: cannot open shared object file: No such file or directory"
)
EGL = "libEGL.so.1: cannot open shared object file: No such file or directory"
OLD = "/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.38' not found (required by /opt/x/libQt6Core.so.6)"


@pytest.mark.parametrize(("library", "package"), dict(script("bootstrapping/system.py").LIBRARIES).items())
def test_the_rule_names_every_package_that_the_set_up_knows(library: str, package: str) -> None:
    assert debian_package(library) == package
    fault = missing_library_error(missing(library))
    assert fault is not None and fault.message.startswith("The system's library"), "it does not come along"


def test_what_is_no_library_has_no_package() -> None:
    assert debian_package("readme.txt") == debian_package("libx.so") == ""


@pytest.mark.parametrize(("words", "library", "package"), [
    (CURSOR, "libxcb-cursor.so.0", "libxcb-cursor0"), (EGL, "libEGL.so.1", "libegl1"),
])  # fmt: skip
def test_a_missing_library_is_named_with_its_package(
    words: str, library: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system_libraries, "_DEBIAN", __file__)
    fault = missing_library_error(words)
    assert fault is not None and library in fault.message
    assert fault.hint.endswith(f"apt install {package}")
    monkeypatch.setattr(system_libraries, "_DEBIAN", "/nowhere")
    fault = missing_library_error(words)
    assert fault is not None and "apt" not in fault.hint


def test_a_system_that_is_too_old_is_told_so() -> None:
    fault = missing_library_error(OLD)
    assert fault is not None
    assert (
        fault.message
        == "This system is too old for Spanlight, which needs the C library (glibc 2.38 or newer)."
    )


def missing(library: str) -> str:
    return f"{library}: cannot open shared object file: No such file or directory"


@pytest.mark.parametrize(
    "name", ["libtorch_cpu.so", "libQt6Svg.so.6", "libc10.so", "libgomp-a49a47f9.so.1.0.0"]
)
def test_a_library_that_comes_along_is_none_of_the_systems(name: str) -> None:
    fault = missing_library_error(missing(name))
    assert fault is not None and fault.message == f"Spanlight is not whole: {name} is missing."


GONE = FileNotFoundError(2, "No such file or directory", "/opt/spanlight/_internal/numpy/_core")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (GONE, "Spanlight is not whole: /opt/spanlight/_internal/numpy/_core is missing."),
        (FileNotFoundError(2, "No such file or directory", "/home/me/a.pdf"), None),
        (ValueError("no"), None),
        (
            ModuleNotFoundError("No module", name="app.nothing"),
            "Spanlight is not whole: app.nothing is missing.",
        ),
        (
            ImportError("/x/_imaging.so: file too short\n", name="app.x"),
            "Spanlight is not whole: app.x is broken (/x/_imaging.so: file too short).",
        ),
        (ImportError("no such library"), "Spanlight is not whole: no such library."),
        (ImportError(EGL), "The system's library libEGL.so.1 is missing, which Spanlight needs."),
    ],
)
def test_what_of_a_bundle_is_missing_or_broken_is_named(
    error: Exception, message: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "_MEIPASS", "/opt/spanlight/_internal", raising=False)
    fault = installation_error(error)
    assert (fault.message if fault else None) == message


def test_how_it_is_mended(monkeypatch: pytest.MonkeyPatch) -> None:
    assert installation_error(GONE) is None, "from the source there is no bundle"
    with pytest.raises(ImportError) as gone:
        from app import nothing  # noqa: F401
    fault = installation_error(gone.value)
    assert fault is not None and fault.message == "Spanlight is not whole: app.nothing is missing."
    assert about.command() in fault.hint  # from the source
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    fault = installation_error(gone.value)
    assert fault is not None and fault.hint == "Install it again."
