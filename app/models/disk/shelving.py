"""Models put into place: built in a hidden folder, marked when whole, and renamed into sight."""

from __future__ import annotations

import contextlib
import shutil
import stat
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from app.core.errors import SpanlightError
from app.core.offers import Origin
from app.models.disk import copying
from app.models.disk.copying import Meter
from app.models.disk.locks import Lock
from app.models.disk.names import key_of
from app.models.disk.origin import write_origin

# What is hidden below the models' folder: being built, to be brought back if its successor does not come, going.
PART, OLD, GONE, LOCK = ".part", ".old", ".gone", ".lock"


@dataclass(frozen=True, slots=True)
class Placed:
    """A file put into a model's folder: its bytes, its SHA-256, and whether it is a link to another."""

    name: str
    size: int
    sha256: str
    linked: bool


class Staging:
    """A hidden folder below `models` in which the model `name` is built; it is gone after the `with`.

    What killed processes left there is cleared before. Raises SpanlightError where the disk refuses, or another
    process is building or removing a model of this name.
    """

    def __init__(self, models: Path, name: str) -> None:
        self._models, self._name = models, name
        self._hidden = models / f".{name}{PART}"
        self._lock = Lock(models / f".{name}{LOCK}")
        # The name stands in the sentences that are said of the folder.
        self.folder = self._hidden / name

    def __enter__(self) -> Staging:
        try:
            self._models.mkdir(parents=True, exist_ok=True)
            clear_leftovers(self._models)
            if not self._lock.take():
                raise busy(self._name)
            try:
                delete_tree(self._hidden)
                self.folder.mkdir(parents=True)
            except BaseException:
                self._lock.release()
                raise
        except OSError as fault:
            raise self._refusal(fault) from fault
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(OSError):  # what stays is cleared the next time
            delete_tree(self._hidden)
        with contextlib.suppress(OSError):
            self._lock.release()

    def put(self, source: Path, name: str, meter: Meter, *, link: bool) -> Placed:
        """Put a file in under `name`: a link to it, or a copy of it. A link is made where `link` wants it and can be.

        Raises SpanlightError where the disk refuses, Stopped when stopped.
        """
        target = self.folder / name
        try:
            real = source.resolve(strict=True)
            if link and make_link(real, target):
                sha256 = copying.digest(target, meter)
                return Placed(name, target.stat().st_size, sha256, linked=True)
            sha256 = copying.write(copying.pieces_of(real), target, meter)
            return Placed(name, target.stat().st_size, sha256, linked=False)
        except OSError as fault:
            raise copying.refusal(fault, f"{name} of {self._name} could not be copied") from fault

    def shelve(self, origin: Origin, *, replace: bool = False) -> Path:
        """Write the mark and rename the folder into place, where it counts from then on; gives that place.

        `replace` takes the place of a model of this name. Raises SpanlightError where there is one and it is not to be
        replaced, and where the disk refuses; then everything is as it was.
        """
        place = self._models / self._name
        try:
            write_origin(self.folder, origin)
            copying.sync_folder(self.folder)
            old = clash(self._models, self._name)
            if old is not None and not replace:
                raise SpanlightError(
                    f"{old.name} is installed already.", "Give this one another name, or remove that."
                )
            aside = self._models / f".{self._name}{OLD}"
            if old is not None:
                old.rename(aside)
            try:
                self.folder.rename(place)
            except OSError:
                if old is not None:
                    aside.rename(old)
                raise
            copying.sync_folder(self._models)
        except OSError as fault:
            raise self._refusal(fault) from fault
        with contextlib.suppress(OSError):  # what stays is cleared the next time
            delete_tree(aside)
        return place

    def _refusal(self, fault: OSError) -> SpanlightError:
        return copying.refusal(fault, f"{self._name} could not be installed", self._models)


def make_link(real: Path, target: Path) -> bool:
    """A symbolic link, or where the system makes none a hard link; whether either could be made."""
    makers: tuple[Callable[[], object], ...] = (
        lambda: target.symlink_to(real),
        lambda: target.hardlink_to(real),
    )
    for make in makers:
        with contextlib.suppress(OSError, NotImplementedError):
            make()
            return True
    return False


def remove_folder(folder: Path, models: Path) -> None:
    """Remove a model's folder below `models`: it stops counting at once, then its files go; links are never followed.

    Raises ValueError for a folder that does not lie directly in `models`, SpanlightError where the disk refuses or
    another process is at it; then it is as it was.
    """
    if folder.parent != models or folder.name.startswith(".") or folder.name in ("", ".."):
        raise ValueError(f"{folder} does not lie in {models}")
    hidden = models / f".{folder.name}{GONE}"
    lock = Lock(models / f".{folder.name}{LOCK}")
    try:
        clear_leftovers(models)
        if not lock.take():
            raise busy(folder.name)
        try:
            folder.rename(hidden)
            copying.sync_folder(models)
            with contextlib.suppress(OSError):  # what stays is cleared the next time
                delete_tree(hidden)
        finally:
            lock.release()
    except FileNotFoundError as fault:
        raise SpanlightError(f"{folder.name} is not there any more.", "") from fault
    except OSError as fault:
        raise copying.refusal(fault, f"{folder.name} could not be removed") from fault


def clear_leftovers(models: Path) -> None:
    """Clear what processes that were killed left half built or half removed; not what a living one is at.

    A model that was set aside for another that did not come gets its place back.
    """
    with contextlib.suppress(OSError):
        for path in sorted(models.iterdir()):
            suffix = next((end for end in (PART, OLD, GONE, LOCK) if path.name.endswith(end)), None)
            if not path.name.startswith(".") or suffix is None or path.name == suffix:
                continue
            name = path.name[1 : -len(suffix)]
            lock = Lock(models / f".{name}{LOCK}")
            with contextlib.suppress(OSError):
                if not lock.take():
                    continue
                try:
                    if suffix == OLD and clash(models, name) is None:
                        path.rename(models / name)
                    elif suffix != LOCK:
                        delete_tree(path)
                finally:
                    lock.release()


def delete_tree(path: Path) -> None:
    """Delete a folder with all that is in it, or what else is there; a link goes, never what it leads to.

    Raises OSError where something could not be deleted; nothing happens where there is nothing.
    """
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
        return
    with contextlib.suppress(OSError):  # a model that was copied read-only
        path.chmod(path.stat().st_mode | stat.S_IRWXU)
    if sys.platform == "win32":  # it deletes no file that is read-only
        for each in path.iterdir():
            with contextlib.suppress(OSError):
                if not each.is_symlink():
                    each.chmod(stat.S_IWRITE)
    shutil.rmtree(path)


def clash(models: Path, name: str) -> Path | None:
    """The folder below `models` that some file system would take for `name`, None where there is none."""
    key = key_of(name)
    if not models.is_dir():
        return None
    return next((path for path in models.iterdir() if key_of(path.name) == key), None)


def busy(name: str) -> SpanlightError:
    """The fault where another process is building or removing a model of this name."""
    return SpanlightError(
        f"{name} is being added or removed already.", "Wait until that has ended, or stop it, and try again."
    )
