"""Windows programs, run by Wine in a system disk of their own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest


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
