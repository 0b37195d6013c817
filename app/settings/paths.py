"""The folders and files of the app."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from app.core.errors import SpanlightError
from app.core.message import Message


class _Below:
    """A descriptor: the path `name` below one of the folders of `Paths`, documented by `about`."""

    def __init__(self, folder: str, name: str, about: str) -> None:
        self._folder, self._name, self.__doc__ = folder, name, about

    def __get__(self, paths: Paths, kind: type[Paths]) -> Path:
        folder: Path = getattr(paths, self._folder)
        return folder / self._name


@dataclass(frozen=True, slots=True)
class Paths:
    """The folders of an installation; `resources` always exists, the others are created when they are written to."""

    config: Path
    data: Path
    logs: Path
    resources: Path

    settings_file = _Below("config", "settings.json", "The person's settings.")
    drafts = _Below("data", "drafts", "Typed texts, saved for the next start.")
    history_file = _Below("data", "history.sqlite3", "The history of questions and their answers.")
    tables_file = _Below(
        "data",
        "tables.sqlite3",
        "Tables of questions over libraries, with their answers.",
    )
    labels_file = _Below("data", "labels.sqlite3", "Tables of texts with labels of the person's own.")
    corrections_file = _Below("data", "corrections.sqlite3", "What the person said of answers.")
    recognised_file = _Below(
        "data", "recognised.sqlite3", "The texts of pages that were recognised in their pictures."
    )
    library = _Below("data", "library", "The index of the libraries' files.")
    models = _Below("data", "models", "Models that the person trained or added.")
    teaching = _Below("data", "teaching", "The teaching of a reader that was begun and is not finished.")
    unfinished_downloads = _Below(
        "data", "downloads", "A file for each download that was begun and is not finished."
    )
    ledger_file = _Below("data", "network.jsonl", "Every network request.")
    uses_file = _Below("data", "uses.json", "When each model was last used.")
    measures_file = _Below("data", "measures.json", "Measurements of models.")
    adjustments_file = _Below(
        "data", "adjustments.json", "How readers' calibrations were adjusted to the person's verdicts."
    )
    catalogue_file = _Below("resources", "models.json", "The models offered for download.")
    example_sets = _Below("resources", "examples", "Bundled examples with known answers.")
    starter_models = _Below("resources", "models", "Bundled models.")
    recognition = _Below("resources", "recognition", "What languages are recognised by in pictures.")
    samples = _Below("resources", "samples", "Bundled passages and texts to try.")
    known_documents = _Below("resources", "check", "Bundled documents to check that every kind can be read.")
    log_file = _Below("logs", "spanlight.log", "The current log; older ones are next to it with a number.")

    @property
    def written(self) -> tuple[Path, ...]:
        """The folders in which the person's files are written to a temporary file and renamed."""
        return self.config, self.data, self.drafts, self.library, self.teaching, self.unfinished_downloads


def default_paths(environ: Mapping[str, str] = os.environ) -> Paths:
    """Return the platform's folders for this user, or folders below SPANLIGHT_HOME if that is set.

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
    """Find the resources: in the source tree, inside the installed package, or in the installation's shared data."""
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
    """Return a path as it is shown: with ~ for the home folder if it is there."""
    home = home or Path.home()
    try:
        within = path.relative_to(home)
    except ValueError:
        return str(path)
    return str(Path("~") / within) if within.parts else "~"


def without_home(text: str, home: Path | None = None) -> str:
    """Replace the home folder in a text by ~, with any separators, but not in longer names that begin with it."""
    parts = re.split(r"[\\/]+", str(home or Path.home()))
    if not [part for part in parts if part and not part.endswith(":")]:
        return text  # a home folder that is the root is part of every path
    name = r"[\\/]+".join(re.escape(part) for part in parts)
    if not parts[0]:
        name = name.replace("+", "", 1)  # the first two slashes of file:///home are not part of the path
    return re.sub(name + r"(?![\w.-])", "~", text, flags=re.IGNORECASE if os.name == "nt" else 0)


def may_write(folder: Path) -> bool:
    """Whether files may be written below a folder, which need not exist; found out without writing."""
    there = next((each for each in (folder, *folder.parents) if os.path.exists(each)), folder)  # noqa: PTH110
    return os.path.isdir(there) and os.access(there, os.W_OK | os.X_OK)  # noqa: PTH112


def make_private(folder: Path) -> None:
    """Create a folder that the computer's other users cannot enter, or close an existing one to them.

    Raises nothing: if the folder cannot be created, writing to it will raise the error.
    """
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.name == "posix" and (there := folder.stat()).st_uid == os.getuid() and there.st_mode & 0o077:
            folder.chmod(0o700)
