"""The Windows installer: compiled, and run in Wine: installed, upgraded and removed."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.helpers.scripts import script
from tests.helpers.wine import Wine, windows_environment

SCRIPT = ROOT / "packaging" / "windows" / "spanlight.nsi"
UNINSTALL = r"Software\Microsoft\Windows\CurrentVersion\Uninstall\Spanlight"
# Stands for Spanlight: a window of its title that ends when it is closed; with /S it has none, and does not end.
PROGRAM = """
Unicode true
Target amd64-unicode
RequestExecutionLevel user
Name "Spanlight"
OutFile "spanlight.exe"
!include nsDialogs.nsh
!include WinMessages.nsh
Page custom ShowWindow
Function ShowWindow
  nsDialogs::Create 1018
  Pop $0
  SendMessage $HWNDPARENT ${WM_SETTEXT} 0 "STR:Spanlight"
  nsDialogs::Show
FunctionEnd
Function .onInit
  IfSilent 0 +2
  Sleep 60000
FunctionEnd
Section
SectionEnd
"""
LONG_PATH = r"%USERPROFILE%\bin;" + ";".join(rf"C:\programs\number {n}" for n in range(120))


def makensis() -> str:
    found = shutil.which("makensis")
    if found is None:
        pytest.skip("the installer was not compiled: there is no makensis here (apt-get install nsis)")
    return found


def compiled(folder: Path, bundle: Path, version: str) -> Path:
    """The installer of `bundle`, as build.ps1 makes it, under a version of the test's."""
    lists, out = folder / f"lists-{version}", folder / f"out-{version}"
    out.mkdir()
    assert script("windows/files.py").main([str(bundle), str(lists)]) == 0
    about = lists / "about.nsh"
    said = about.read_text(encoding="utf-8-sig").replace(script_version(), version)
    about.write_text(said, encoding="utf-8-sig")
    icons = [sys.executable, str(ROOT / "packaging" / "desktop" / "icons.py"), str(folder / "icons")]
    subprocess.run(icons, check=True, capture_output=True, timeout=120)
    defined = {"LISTS": lists, "ICONS": folder / "icons", "OUT": out}
    command = [makensis(), "-WX", "-V2", *(f"-D{name}={path}" for name, path in defined.items()), str(SCRIPT)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "warning" not in done.stdout.lower(), done.stdout + done.stderr
    (installer,) = out.iterdir()
    assert installer.name == f"spanlight-{version}-windows-x86_64.exe"
    return installer


def script_version() -> str:
    from app.core.about import VERSION

    return VERSION


@pytest.fixture(scope="module")
def installers(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two versions of a small bundle; the second lacks a file of the first and has another."""
    folder = tmp_path_factory.mktemp("windows")
    bundle = folder / "bundle"
    (bundle / "_internal" / "torch" / "lib").mkdir(parents=True)
    program = folder / "program.nsi"
    program.write_text(PROGRAM, encoding="utf-8")
    subprocess.run([makensis(), "-V1", str(program)], check=True, timeout=60)
    shutil.copy(folder / "spanlight.exe", bundle / "spanlight.exe")
    shutil.copy(folder / "spanlight.exe", bundle / "spanlight.com")
    (bundle / "_internal" / "torch" / "lib" / "torch_cpu.dll").write_bytes(b"x" * 100_000)
    (bundle / "_internal" / "a $name with 'é'.txt").write_text("é", encoding="utf-8")
    first = compiled(folder, bundle, "7.0.1")
    (bundle / "_internal" / "torch" / "lib" / "torch_cpu.dll").unlink()
    (bundle / "_internal" / "torch" / "lib").rmdir()
    (bundle / "_internal" / "torch" / "new.dll").write_bytes(b"new")
    return first, compiled(folder, bundle, "7.0.2")


@pytest.fixture(scope="module")
def wine(tmp_path_factory: pytest.TempPathFactory, screen: dict[str, str]) -> Iterator[Wine]:
    windows = Wine(tmp_path_factory.mktemp("wine"), windows_environment(screen))
    yield windows
    windows.end()


def below(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def uninstalled(wine: Wine, folder: Path) -> None:
    """Run the uninstaller, which goes on in a copy of itself, until that has deleted it at last."""
    wine.run(str(folder / "uninstall-spanlight.exe"), "/S")
    end = time.monotonic() + 60
    while (folder / "uninstall-spanlight.exe").exists() and time.monotonic() < end:
        time.sleep(0.2)
    time.sleep(1)


FIRST = {
    "spanlight.exe", "spanlight.com", "uninstall-spanlight.exe",
    "_internal/torch/lib/torch_cpu.dll", "_internal/a $name with 'é'.txt",
}  # fmt: skip
SECOND = FIRST - {"_internal/torch/lib/torch_cpu.dll"} | {"_internal/torch/new.dll"}


def test_installed_upgraded_and_removed(wine: Wine, installers: tuple[Path, Path]) -> None:
    local = wine.person / "AppData" / "Local"
    folder, data = local / "Programs" / "Spanlight", local / "spanlight"
    data.mkdir(parents=True)
    (data / "settings.json").write_text("{}", encoding="utf-8")
    wine.set(r"HKCU\Environment", "Path", LONG_PATH, "REG_EXPAND_SZ")
    wine.set(r"HKCU\Software\Classes\.pdf", "OtherProgram", "stays")
    wine.set(r"HKCU\Software\Classes\.pdf\OpenWithProgids", "Other.Document", "")
    menu = wine.person / "AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Spanlight.lnk"

    assert wine.run(str(installers[0]), "/S").returncode == 0
    assert below(folder) == FIRST
    assert menu.is_file()
    listed = wine.values("HKCU\\" + UNINSTALL)
    assert (listed["DisplayName"], listed["DisplayVersion"]) == ("Spanlight", "7.0.1")
    assert int(listed["EstimatedSize"], 16) > 97
    assert listed["InstallLocation"].endswith(r"AppData\Local\Programs\Spanlight")
    path = LONG_PATH + ";" + listed["InstallLocation"]
    assert wine.values(r"HKCU\Environment")["Path"] == path
    assert wine.values(r"HKCU\Software\Classes\.pdf\OpenWithProgids").keys() >= {"Spanlight.Document"}
    assert wine.values(r"HKCU\Software\Classes\.md") == {}  # no default was set

    (folder / "_internal" / "torch" / "notes of mine.txt").write_text("mine", encoding="utf-8")
    wine.run(
        "reg",
        "add",
        r"HKCU\Software\Spanlight\Installer",
        "/v",
        "OpenWith",
        "/t",
        "REG_DWORD",
        "/d",
        "0",
        "/f",
    )
    assert wine.run(str(installers[1]), "/S").returncode == 0
    assert below(folder) == SECOND | {"_internal/torch/notes of mine.txt"}
    assert wine.values("HKCU\\" + UNINSTALL)["DisplayVersion"] == "7.0.2"
    assert wine.values(r"HKCU\Environment")["Path"] == path
    # What was not wanted before is not done by the next version either.
    assert "Spanlight.Document" not in wine.values(r"HKCU\Software\Classes\.pdf\OpenWithProgids")

    uninstalled(wine, folder)
    assert below(folder) == {"_internal/torch/notes of mine.txt"}
    assert (data / "settings.json").is_file()
    assert not menu.exists()
    assert not wine.has("HKCU\\" + UNINSTALL)
    assert not wine.has(r"HKCU\Software\Spanlight")
    assert not wine.has(r"HKCU\Software\Classes\Applications\spanlight.exe")
    assert not wine.has(r"HKCU\Software\Classes\Spanlight.Document")
    assert not wine.has(r"HKCU\Software\Classes\.md")
    assert "Other.Document" in wine.values(r"HKCU\Software\Classes\.pdf\OpenWithProgids")
    assert wine.values(r"HKCU\Environment")["Path"] == LONG_PATH


def test_for_everyone_and_removed_without_a_trace(wine: Wine, installers: tuple[Path, Path]) -> None:
    before = wine.values(r"HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment")
    shortcut = wine.disk / "users" / "Public" / "Desktop" / "Spanlight.lnk"
    shortcut.parent.mkdir(parents=True, exist_ok=True)
    shortcut.write_text("somebody's own", encoding="utf-8")
    assert wine.run(str(installers[0]), "/S", "/ALLUSERS").returncode == 0
    folder = wine.disk / "Program Files" / "Spanlight"
    assert below(folder) == FIRST
    assert wine.values("HKLM\\" + UNINSTALL)["InstallLocation"] == r"C:\Program Files\Spanlight"
    assert not wine.has("HKCU\\" + UNINSTALL)
    uninstalled(wine, folder)
    assert not folder.exists() and shortcut.is_file()
    assert not wine.has("HKLM\\" + UNINSTALL)
    assert wine.values(r"HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment") == before


def test_a_running_spanlight_is_asked_to_close(wine: Wine, installers: tuple[Path, Path]) -> None:
    assert wine.run(str(installers[0]), "/S").returncode == 0
    folder = wine.person / "AppData" / "Local" / "Programs" / "Spanlight"
    running = wine.start(str(folder / "spanlight.exe"))
    time.sleep(3)
    assert running.poll() is None
    assert wine.run(str(installers[1]), "/S").returncode == 0
    running.wait(30)
    assert below(folder) >= SECOND and wine.values("HKCU\\" + UNINSTALL)["DisplayVersion"] == "7.0.2"

    for program in ("spanlight.com", "spanlight.exe"):
        deaf = wine.start(str(folder / program), "/S")  # it has no window that could be asked
        time.sleep(3)
        assert deaf.poll() is None
        assert wine.run(str(installers[0]), "/S").returncode == 32
        assert deaf.poll() is None and wine.values("HKCU\\" + UNINSTALL)["DisplayVersion"] == "7.0.2"
        deaf.kill()
        deaf.wait()
