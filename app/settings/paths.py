"""Where the app keeps its files."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from app.core.errors import SpanlightError


@dataclass(frozen=True, slots=True)
class Paths:
    """Folders of one installation; only `resources` exists for certain, the others are made when written to."""

    config: Path
    data: Path
    cache: Path
    logs: Path
    resources: Path

    @property
    def settings_file(self) -> Path:
        """The person's settings."""
        return self.config / "settings.json"

    @property
    def drafts(self) -> Path:
        """What was typed, kept for the next start."""
        return self.data / "drafts"

    @property
    def history_file(self) -> Path:
        """The questions asked and their answers."""
        return self.data / "history.sqlite3"

    @property
    def models(self) -> Path:
        """Models that the person trained or added."""
        return self.data / "models"

    @property
    def unfinished_downloads(self) -> Path:
        """A file for each download that was begun and is not finished."""
        return self.data / "downloads"

    @property
    def ledger_file(self) -> Path:
        """Every request that was made over the network."""
        return self.data / "network.jsonl"

    @property
    def uses_file(self) -> Path:
        """When each model was last used."""
        return self.data / "uses.json"

    @property
    def measures_file(self) -> Path:
        """What was measured of each model."""
        return self.data / "measures.json"

    @property
    def catalogue_file(self) -> Path:
        """The models that are offered."""
        return self.resources / "models.json"

    @property
    def example_sets(self) -> Path:
        """Examples with known answers that come along."""
        return self.resources / "examples"

    @property
    def starter_models(self) -> Path:
        """Models that come along."""
        return self.resources / "models"

    @property
    def samples(self) -> Path:
        """Passages and texts to try that come along."""
        return self.resources / "samples"

    @property
    def known_documents(self) -> Path:
        """Documents that come along to see whether every kind is read."""
        return self.resources / "check"

    @property
    def log_file(self) -> Path:
        """The log being written; older ones stand beside it with a number."""
        return self.logs / "spanlight.log"


def default_paths(environ: Mapping[str, str] = os.environ) -> Paths:
    """The platform's own folders for this person, or all below SPANLIGHT_HOME when that is set.

    Raises SpanlightError when the app's resources are not there.
    """
    resources = _resources()
    home = environ.get("SPANLIGHT_HOME", "").strip()
    if home:
        base = Path(home).expanduser().absolute()
        return Paths(base / "config", base / "data", base / "cache", base / "logs", resources)
    dirs = platformdirs.PlatformDirs("spanlight", appauthor=False)
    return Paths(
        dirs.user_config_path, dirs.user_data_path, dirs.user_cache_path, dirs.user_log_path, resources
    )


def _resources() -> Path:
    """The resources of the source tree, inside the installed package, or among the installation's shared data."""
    app = Path(__file__).resolve().parent.parent
    places = (
        app.parent / "resources",
        app / "resources",
        Path(sys.prefix) / "share" / "spanlight" / "resources",
    )
    for place in places:
        if (place / "samples").is_dir():
            return place
    raise SpanlightError("Spanlight's own resources are missing.", "Install it again.")
