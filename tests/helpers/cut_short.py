"""Runs something again and again, killed or failed by the disk one file operation later each time.

`python -m tests.helpers.cut_short HOW WHAT SOURCE FOLDER` does WHAT of `DOINGS` with the checkpoint SOURCE in folders
below FOLDER, and prints how many operations there were; it ends with an assertion that does not hold. HOW is "kill"
(SIGKILL) or "fail" (the operation raises OSError: no space left).
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.offers import Origin, Source
from app.core.report import Silent
from app.models.disk.copying import Meter, files_of
from app.models.disk.installed import Shelf
from app.models.disk.notes import read_origin
from app.models.disk.shelving import Staging, clear_leftovers, remove_folder

EVENTS = {
    "open",
    "os.mkdir",
    "os.rename",
    "os.link",
    "os.symlink",
    "os.remove",
    "os.rmdir",
    "os.listdir",
    "os.chmod",
}
EVENTS |= {"os.scandir", "shutil.rmtree"}
NAME, OLD, NEW = "reader", "old", "new"


def add(models: Path, source: Path, *, link: bool = False, replace: bool = False, mark: str = NEW) -> None:
    with Staging(models, NAME) as stage:
        files = files_of(source)
        meter = Meter(Silent(), "Copying", 0)
        placed = [stage.put(source / file, file, meter, link=link) for file in files]
        sizes = tuple((file.name, file.size) for file in placed)
        stage.install(Origin(Source.FOLDER, path=mark, sizes=sizes), replace=replace)


def take_away(models: Path, source: Path) -> None:
    remove_folder(models / NAME, models)


DOINGS: dict[str, tuple[bool, set[str], Callable[[Path, Path], None]]] = {
    # what it does, whether a model is there before, and whose mark the one that counts may have afterwards
    "copy": (False, {"", NEW}, add),
    "link": (False, {"", NEW}, lambda models, source: add(models, source, link=True)),
    "replace": (True, {OLD, NEW}, lambda models, source: add(models, source, replace=True)),
    "remove": (True, {"", OLD}, take_away),
}


def what_counts(models: Path, source: Path) -> str:
    """Whose mark the one model has that counts, "" where none does; it is whole, byte for byte."""
    shelf = Shelf([models])
    cards = shelf.cards()
    assert not shelf.refused, shelf.refused
    assert len(cards) <= 1, cards
    if not cards:
        return ""
    folder = Path(cards[0].folder)
    origin = read_origin(folder)
    assert origin is not None
    for file in files_of(source):
        assert (folder / file).read_bytes() == (source / file).read_bytes(), file
    return origin.path


class Cut:
    """Cuts the process short at the operation of this number below a folder."""

    def __init__(self, how: str, below: Path, number: int) -> None:
        self.how, self.below, self.number, self.seen, self.on = how, str(below), number, 0, True
        sys.addaudithook(self)

    def __call__(self, event: str, values: tuple[object, ...]) -> None:
        if not self.on or event not in EVENTS or not any(self.below in str(value) for value in values):
            return
        self.seen += 1
        if self.seen == self.number:
            if self.how == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            raise OSError(errno.ENOSPC, "No space left on device")


def attempt(how: str, what: str, source: Path, models: Path, number: int) -> None:
    """In a process of its own: do it, cut short; whatever happens, what counts afterwards is whole."""
    _, allowed, doing = DOINGS[what]
    cut = Cut(how, models, number)
    try:
        doing(models, source)
    except SpanlightError as fault:
        assert how == "fail" and fault.hint, fault
    cut.on = False
    ended = cut.seen < number
    assert what_counts(models, source) in allowed
    os._exit(3 if ended else 0)


def main(how: str, what: str, source: Path, folder: Path) -> int:
    before, allowed, _ = DOINGS[what]
    for number in range(1, 1000):
        models = folder / str(number) / "models"
        if before:
            add(models, source, mark=OLD)
        child = os.fork()
        if child == 0:
            try:
                attempt(how, what, source, models, number)
            except BaseException as error:
                print(what, how, number, repr(error), flush=True)
                os._exit(1)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert status in (0, 3, -signal.SIGKILL), (number, status)
        clear_leftovers(models)
        counts = what_counts(models, source) if models.is_dir() else ""
        assert counts in allowed, (number, counts)
        hidden = (
            [path.name for path in models.iterdir() if path.name.startswith(".")] if models.is_dir() else []
        )
        assert not hidden, (number, hidden)
        # And it can be done again.
        if what == "remove":
            if counts:
                take_away(models, source)
            assert what_counts(models, source) == ""
        else:
            add(models, source, replace=True)
            assert what_counts(models, source) == NEW
        shutil.rmtree(folder / str(number))
        if status == 3:
            return number
    raise AssertionError("it did not come to its end")


if __name__ == "__main__":
    print(main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4])))
