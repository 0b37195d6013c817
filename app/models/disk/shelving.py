"""Installs and removes models: one is built in a hidden folder, marked when complete, then renamed into place."""

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
from app.core.locks import Lock
from app.core.message import Message
from app.core.offers import Origin
from app.models.disk import copying
from app.models.disk.copying import Meter
from app.models.disk.names import key_of
from app.models.disk.notes import write_origin

# Hidden in the models' folder: a model being built, one to restore if its replacement fails, one being removed, locks.
PART, OLD, GONE, LOCK = ".part", ".old", ".gone", ".lock"


@dataclass(frozen=True, slots=True)
class Placed:
    """A file put into a model's folder: its size in bytes, its SHA-256, and whether it is a link."""

    name: str
    size: int
    sha256: str
    linked: bool


class Staging:
    """A hidden folder below `models` in which the model `name` is built; it is deleted when the context ends.

    Leftovers of killed processes are cleared first. Raises SpanlightError on a disk error, or if another process is
    building or removing a model of this name.
    """

    def __init__(self, models: Path, name: str) -> None:
        self._models, self._name = models, name
        self._hidden = models / f".{name}{PART}"
        self._lock = Lock(models / f".{name}{LOCK}")
        # Error messages name the folder, so it has the model's name.
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
        """Add a file under `name`: as a link if `link` is set and links are possible, else as a copy.

        Raises SpanlightError on a disk error, Stopped when stopped.
        """
        target = self.folder / name
        try:
            real = source.resolve(strict=True)
            if link and make_link(real, target):
                sha256 = copying.digest(target, meter)
                return Placed(name, target.stat().st_size, sha256, linked=True)
            sha256 = copying.write(copying.chunks_of(real), target, meter)
            return Placed(name, target.stat().st_size, sha256, linked=False)
        except OSError as fault:
            raise copying.refusal(
                fault, Message("{file} of {name} could not be copied", file=name, name=self._name)
            ) from fault

    def install(self, origin: Origin, *, replace: bool = False) -> Path:
        """Write the origin file and rename the folder into place, which installs the model; returns its folder.

        With `replace` a model of this name is replaced. Raises SpanlightError if there is one otherwise, or on a disk
        error; then nothing has changed.
        """
        place = self._models / self._name
        try:
            write_origin(self.folder, origin)
            copying.sync_folder(self.folder)
            old = clash(self._models, self._name)
            if old is not None and not replace:
                raise SpanlightError(
                    Message("{name} is installed already.", name=old.name),
                    Message("Give this one another name, or remove that."),
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
        return copying.refusal(fault, Message("{name} could not be installed", name=self._name), self._models)


def make_link(real: Path, target: Path) -> bool:
    """Make a symbolic link, or else a hard link; returns whether either was possible."""
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
    """Remove a model's folder below `models`: hidden at once, then deleted; links are never followed.

    Raises ValueError for a folder that is not directly in `models`, SpanlightError on a disk error or if another
    process is using it; then nothing has changed.
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
        raise SpanlightError(Message("{name} is not there any more.", name=folder.name), "") from fault
    except OSError as fault:
        raise copying.refusal(fault, Message("{name} could not be removed", name=folder.name)) from fault


def clear_leftovers(models: Path) -> None:
    """Delete what killed processes left half built or half removed, except what a running process has locked.

    A model that was set aside for a replacement that failed is restored.
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
    """Delete a folder and its content, or a file; a link is deleted, never its target.

    Raises OSError if something could not be deleted; does nothing if the path does not exist.
    """
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
        return
    with contextlib.suppress(OSError):  # a model that was copied read-only
        path.chmod(path.stat().st_mode | stat.S_IRWXU)
    if sys.platform == "win32":  # Windows does not delete read-only files
        for each in path.iterdir():
            with contextlib.suppress(OSError):
                if not each.is_symlink():
                    each.chmod(stat.S_IWRITE)
    shutil.rmtree(path)


def clash(models: Path, name: str) -> Path | None:
    """The folder below `models` whose name some file system treats as `name`, None if there is none."""
    key = key_of(name)
    if not models.is_dir():
        return None
    return next((path for path in models.iterdir() if key_of(path.name) == key), None)


def busy(name: str) -> SpanlightError:
    """The error if another process is building or removing a model of this name."""
    return SpanlightError(
        Message("{name} is being added or removed already.", name=name),
        Message("Wait until that has ended, or stop it, and try again."),
    )
