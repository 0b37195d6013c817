"""The command line in this process, what a command gives, a document for it, and real folders of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from app.cli import main as cli
from app.settings import settings as settings_file
from app.settings.settings import Settings

TEXT = "\ufeffThe King sat.\r\nThe Knave of Hearts 👩‍👩‍👧 stole the tarts. Nobody saw it.\r\n"
DECODED = TEXT[1:].replace("\r\n", "\n")
# Runs a command in this process: exit code, standard output, standard error.
Command = Callable[..., tuple[int, str, str]]
# Runs a command that succeeds with --json: what it prints.
AsJson = Callable[..., Any]


@dataclass(frozen=True)
class Said:
    """What a command said: its exit code and both streams."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as JSON."""
        return json.loads(self.out)


class Terminal:
    """Runs commands on an installation below `home`; its own models folder is empty at first."""

    def __init__(
        self, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.home, self._capsys = home, capsys
        monkeypatch.setenv("SPANLIGHT_HOME", str(home))

    def __call__(self, *arguments: str) -> Said:
        """Run `python3 -m app` with these arguments."""
        self._capsys.readouterr()
        code = cli.main(list(arguments))
        return Said(code, *self._capsys.readouterr())

    @property
    def models(self) -> Path:
        """Where models of one's own lie."""
        return self.home / "data" / "models"

    @property
    def settings(self) -> Settings:
        """The settings as they are kept."""
        return settings_file.load(self.home / "config" / "settings.json")

    def change(self, change: Callable[[Settings], None]) -> None:
        """Change the settings as the window would."""
        settings = self.settings
        change(settings)
        settings_file.save(settings, self.home / "config" / "settings.json")

    def installed(self) -> list[str]:
        """What lies in the models folder, hidden folders too."""
        return sorted(path.name for path in self.models.iterdir()) if self.models.is_dir() else []
