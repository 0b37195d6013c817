"""Where the app keeps its files."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from app.core.errors import SpanlightError
from app.core.message import Message


@dataclass(frozen=True, slots=True)
class Paths:
    """Folders of one installation; only `resources` is sure to exist, the others are created when written to."""

    config: Path
    data: Path
    logs: Path
    resources: Path

    @property
    def settings_file(self) -> Path:
        """The person's settings."""
        return self.config / "settings.json"

    @property
    def drafts(self) -> Path:
        """Typed texts, saved for the next start."""
        return self.data / "drafts"

    @property
    def history_file(self) -> Path:
        """The history of questions and their answers."""
        return self.data / "history.sqlite3"

    @property
    def tables_file(self) -> Path:
        """Tables of questions over libraries, with their answers and what the person said about them."""
        return self.data / "tables.sqlite3"

    @property
    def labels_file(self) -> Path:
        """Tables of texts with labels of the person's own."""
        return self.data / "labels.sqlite3"

    @property
    def corrections_file(self) -> Path:
        """What the person said of answers."""
        return self.data / "corrections.sqlite3"

    @property
    def recognised_file(self) -> Path:
        """The texts of pages that were recognised in their pictures."""
        return self.data / "recognised.sqlite3"

    @property
    def library(self) -> Path:
        """The index of the libraries' files."""
        return self.data / "library"

    @property
    def models(self) -> Path:
        """Models that the person trained or added."""
        return self.data / "models"

    @property
    def teaching(self) -> Path:
        """The teaching of a reader that was begun and is not finished."""
        return self.data / "teaching"

    @property
    def written(self) -> tuple[Path, ...]:
        """Folders in which files of the person's own are written beside and renamed."""
        return self.config, self.data, self.drafts, self.library, self.teaching, self.unfinished_downloads

    @property
    def unfinished_downloads(self) -> Path:
        """A file for each download that was begun and is not finished."""
        return self.data / "downloads"

    @property
    def ledger_file(self) -> Path:
        """Every network request."""
        return self.data / "network.jsonl"

    @property
    def uses_file(self) -> Path:
        """When each model was last used."""
        return self.data / "uses.json"

    @property
    def measures_file(self) -> Path:
        """Measurements of models."""
        return self.data / "measures.json"

    @property
    def adjustments_file(self) -> Path:
        """How readers' calibrations were adjusted to the person's verdicts."""
        return self.data / "adjustments.json"

    @property
    def catalogue_file(self) -> Path:
        """The models offered for download."""
        return self.resources / "models.json"

    @property
    def example_sets(self) -> Path:
        """Bundled examples with known answers."""
        return self.resources / "examples"

    @property
    def starter_models(self) -> Path:
        """Bundled models."""
        return self.resources / "models"

    @property
    def recognition(self) -> Path:
        """What languages are recognised by in pictures."""
        return self.resources / "recognition"

    @property
    def samples(self) -> Path:
        """Bundled passages and texts to try."""
        return self.resources / "samples"

    @property
    def known_documents(self) -> Path:
        """Bundled documents to check that every kind can be read."""
        return self.resources / "check"

    @property
    def log_file(self) -> Path:
        """The current log; older ones are next to it with a number."""
        return self.logs / "spanlight.log"


def default_paths(environ: Mapping[str, str] = os.environ) -> Paths:
    """The platform's own folders for this user, or all below SPANLIGHT_HOME if that is set.

    Raises SpanlightError if the app's resources are missing.
    """
    resources = _resources()
    home = environ.get("SPANLIGHT_HOME", "").strip()
    if home:
        base = Path(home).expanduser().absolute()
        return Paths(base / "config", base / "data", base / "logs", resources)
    dirs = platformdirs.PlatformDirs("spanlight", appauthor=False)
    return Paths(dirs.user_config_path, dirs.user_data_path, dirs.user_log_path, resources)


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
    raise SpanlightError(Message("Spanlight's own resources are missing."), Message("Install it again."))


def short_path(path: Path, home: Path | None = None) -> str:
    """A path as it is shown: with ~ for the home folder if it is below that."""
    home = home or Path.home()
    try:
        within = path.relative_to(home)
    except ValueError:
        return str(path)
    return str(Path("~") / within) if within.parts else "~"


def without_home(text: str, home: Path | None = None) -> str:
    """A text with ~ instead of the home folder, with any separators, but not in longer names that begin with it."""
    parts = re.split(r"[\\/]+", str(home or Path.home()))
    if not [part for part in parts if part and not part.endswith(":")]:
        return text  # a home at the root would be everywhere
    name = r"[\\/]+".join(re.escape(part) for part in parts)
    if not parts[0]:
        name = name.replace("+", "", 1)  # in file:///home the first two are not part of the path
    return re.sub(name + r"(?![\w.-])", "~", text, flags=re.IGNORECASE if os.name == "nt" else 0)
