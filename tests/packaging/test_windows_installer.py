"""The Windows installer: compiled, and run in Wine: installed, upgraded and removed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.helpers.scripts import script


class Wine:
    """A Windows of its own below `folder`."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        # Debian's package keeps the 64-bit loader off the PATH.
        found = shutil.which("wine64") or shutil.which("wine64", path="/usr/lib/wine") or shutil.which("wine")
        server = shutil.which("wineserver") or shutil.which("wineserver", path="/usr/lib/wine")
        if found is None or server is None:
            pytest.skip("the installer was not run: there is no Wine here (apt-get install wine64)")
        self._wine, self._server = found, server
        self._environment = environment | {
            "WINEPREFIX": str(folder),
            "WINEDEBUG": "-all",
            "WINEDLLOVERRIDES": "mscoree,mshtml,winemenubuilder.exe=d",
        }
        self.disk = folder / "drive_c"
        # Stays for a minute, so that not every program waits for a desktop to begin and to end.
        subprocess.run([self._server, "-p60"], env=self._environment, timeout=60, check=True)
        self.run("wineboot", "-i")
        self.run("reg", "add", r"HKCU\Software\Wine", "/v", "Version", "/d", "win10", "/f")
        self.person = next(each for each in (self.disk / "users").iterdir() if each.name.lower() != "public")

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a program to its end."""
        # Into a file: what Wine starts beside the program would keep a pipe open.
        with tempfile.TemporaryFile() as said:
            done = subprocess.run(
                [self._wine, *command],
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.DEVNULL,
                timeout=120,
            )
            said.seek(0)
            words = said.read().decode("utf-8", "replace")
        return subprocess.CompletedProcess(done.args, done.returncode, words, "")

    def start(self, *command: str) -> subprocess.Popen[bytes]:
        """Start a program and let it run."""
        return subprocess.Popen(
            [self._wine, *command],
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def end(self) -> None:
        """End all that still runs in it."""
        subprocess.run([self._server, "-k"], env=self._environment, timeout=60, check=False)

    def values(self, key: str) -> dict[str, str]:
        """The values of a key of the registry, by name; empty where there is no such key."""
        said = self.run("reg", "query", key).stdout
        return {
            name: value.strip("\r")
            for name, value in re.findall(r"^    (.+?)    REG_\w+    (.*)$", said, flags=re.MULTILINE)
        }

    def set(self, key: str, name: str, value: str, kind: str = "REG_SZ") -> None:
        self.run("reg", "add", key, "/v", name, "/t", kind, "/d", value, "/f")

    def has(self, key: str) -> bool:
        return self.run("reg", "query", key).returncode == 0


def windows_environment(screen: dict[str, str]) -> dict[str, str]:
    """The environment with the screen, without what Python's own tests set."""
    return {name: value for name, value in (os.environ | screen).items() if not name.startswith("QT_")}


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
    wine.set(r"HKCU\Software\Spanlight\Installer", "OpenWith", "0", "REG_DWORD")
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
