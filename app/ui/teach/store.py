"""The data sets as the section Labels uses them: loaded, labelled with undo and redo, guessed and taught."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from app.core.labels import ENOUGH, Dataset, GivenLabels, HeldOut, Label
from app.core.message import Message
from app.core.report import Progress, Report
from app.flows.workspace import Workspace
from app.ui.kit.jobs import Flow, Job, Lanes, do
from app.ui.teach.labelled import LabelledTexts
from app.ui.teach.teaching import LATER

if TYPE_CHECKING:
    from app.flows.teach.files import TextTable
    from app.flows.teach.teach import Guesses

# The progress of guessing fewer texts is not shown: they are read in no time.
_FEW = 100
# A classifier is taught again when the examples have grown by this share of those that it has learnt from.
_GROWTH = 0.25

# The labels given to rows; None where they are taken back.
Changes = dict[int, GivenLabels | None]


@dataclass(frozen=True, slots=True)
class Loaded:
    """A data set with its stored content; `unmeasured` is whether its classifier was taught but not measured."""

    dataset: Dataset
    rows: list[list[str]]
    given: dict[int, GivenLabels]
    held_out: HeldOut
    unmeasured: bool


def _load(workspace: Workspace, number: int, report: Report) -> tuple[list[Dataset], Loaded | None]:
    """Load the list of data sets, and the content of the one of this number, or else of the first one."""
    store = workspace.datasets
    found = store.all()
    chosen = next((one for one in found if one.number == number), found[0] if found else None)
    if chosen is None:
        return found, None
    from app.flows.teach.teach import is_unmeasured

    unmeasured = is_unmeasured(workspace, chosen)
    return found, Loaded(chosen, store.rows(chosen), store.given(chosen), store.held_out(chosen), unmeasured)


class TeachStore(QObject, LabelledTexts):
    """The current data set, in memory and in the database.

    `loaded` is sent when a data set was loaded or has changed (labels, classifier), and when there is none; `opened`
    when another one was loaded, or the person has made it or changed its labels. `given_changed` carries the rows whose
    labels have changed; `guessed` is sent when there are new guesses. `teaching` carries the Progress of teaching, or
    of reading all texts for the first guess, None at the end; `taught` is sent when a classifier was taught,
    `classifier_changed` when one was taught or measured, or its labels were renamed. `failed` carries an error.
    """

    loaded = Signal()
    opened = Signal()
    given_changed = Signal(list)
    guessed = Signal()
    teaching = Signal(object)
    taught = Signal()
    classifier_changed = Signal()
    failed = Signal(object)

    def __init__(self, workspace: Workspace, lanes: Lanes, parent: QObject) -> None:
        super().__init__(parent)
        LabelledTexts.__init__(self)
        self._workspace, self._lanes = workspace, lanes
        self.datasets: tuple[Dataset, ...] = ()
        self.rows: list[list[str]] = []
        self.held_out = HeldOut()
        self.is_unmeasured = False
        self._undo: list[Changes] = []
        self._redo: list[Changes] = []
        self._loading: Job | None = None
        self._guessing: Job | None = None
        self._guess_again = False
        self._teaching: Job | None = None
        # What resumes the work that was dropped, teaching or only measuring, and whether it waits for other work.
        self._resume: Callable[[], None] = self.teach
        self._waiting = False
        self._measuring: Job | None = None
        self._learnt_from = 0  # the number of examples of the last teaching
        self._learning: dict[int, GivenLabels] = {}  # these examples
        self._changes = self._changes_at_load = 0  # counted, to notice those made during a load
        self._is_new = False  # the data set that is being loaded was just made or changed by the person
        self._reading: Job | None = None
        # Changes that are being saved, in order, and those that could not be, each with its data set.
        self._saving: deque[tuple[Dataset, Changes]] = deque()
        self._unsaved: list[tuple[Dataset, Changes]] = []
        lanes.work.begun.connect(self._give_way)
        lanes.work.rested.connect(self._go_on)

    # Data sets

    def load(self, number: int = 0) -> None:
        """List the data sets, and load the one of this number, or the one used last."""
        wanted = number or self._workspace.settings.last_labels
        self._changes_at_load = self._changes
        job = self._lanes.files.start(_load, self._workspace, wanted)
        self._loading = job.replacing(self._loading).then(self._found, self.failed)

    @Slot(object)
    def _found(self, found: tuple[list[Dataset], Loaded | None]) -> None:
        listed, content = found
        same = (
            content is not None and self.dataset is not None and content.dataset.number == self.dataset.number
        )
        if same and self._changes != self._changes_at_load:
            self.load(content.dataset.number)  # type: ignore[union-attr]  # labels were given meanwhile
            return
        self.datasets = tuple(listed)
        if not same:
            self._drop_work()
        if content is None or self.dataset is None or content.dataset.names != self.dataset.names or not same:
            self._undo, self._redo = [], []
        if content is None:
            self.take_texts(None, [], {})
            self.rows, self.held_out, self.is_unmeasured = [], HeldOut(), False
        else:
            texts = [row[content.dataset.text_column] for row in content.rows]
            self.take_texts(content.dataset, texts, content.given)
            self.rows = content.rows
            self.held_out, self.is_unmeasured = content.held_out, content.unmeasured
            self._learnt_from = len(content.given if content.unmeasured else content.held_out.rows)
            self._workspace.settings.last_labels = content.dataset.number
        self.loaded.emit()
        if not same or self._is_new:
            self._is_new = False
            self.opened.emit()
        if content is not None and self.guesses is None:
            self.guess()
        if self.is_unmeasured and not same:
            self.measure()

    def make(
        self,
        table: TextTable,
        name: str,
        labels: Sequence[Label],
        *,
        multi: bool,
        source: str = "",
        model: str = "",
    ) -> None:
        """Make a data set of a table, and load it."""
        from app.flows.teach.datasets import make_dataset

        self._lanes.files.start_write(
            make_dataset, self._workspace, table, name, labels, multi=multi, source=source, model=model
        ).then(self._made, self.failed)

    @Slot(object)
    def _made(self, dataset: Dataset) -> None:
        self._is_new = True
        self.load(dataset.number)

    def change_labels(self, labels: Sequence[Label], renamed: Mapping[str, str]) -> None:
        """Give the data set these labels, with the new names of those that were renamed."""
        from app.flows.teach.teach import change_labels

        assert self.dataset is not None
        self._drop_work()
        self._lanes.files.start_write(change_labels, self._workspace, self.dataset, labels, renamed).then(
            self.classifier_changed
        ).then(self._made, self.failed)

    def rename(self, name: str) -> None:
        """Rename the data set, unless the name is blank."""
        if self.dataset is not None and name.strip():
            rename = partial(self._workspace.datasets.rename, self.dataset, name.strip())
            self._lanes.files.start_write(do, rename).then(self._made, self.failed)

    @Slot()
    def remove(self) -> None:
        """Delete the data set; its classifier stays among the models."""
        if self.dataset is not None:
            self._drop_work()
            self._lanes.files.start_write(do, partial(self._workspace.datasets.remove, self.dataset)).then(
                self._removed, self.failed
            )

    @Slot()
    def _removed(self, _: object = None) -> None:
        self.dataset = None
        self.load()

    # Labels

    def give(self, rows: Sequence[int], labels: Sequence[str], *, seen: bool = False) -> None:
        """Give texts these labels in place of earlier ones; this can be undone.

        `seen` is whether their guesses were in view, as they are in the table; otherwise `shows_guess` decides.
        """
        now = time.time()
        changes: Changes = {}
        for row in rows:
            shown = seen or row in self.given or self.shows_guess(row)
            changes[row] = GivenLabels(row, tuple(labels), self.guess_of(row), shown, now)
        self._change(changes)

    def take_back(self, rows: Sequence[int]) -> None:
        """Take the labels of texts back; this can be undone."""
        self._change({row: None for row in rows if row in self.given})

    def _change(self, changes: Changes) -> None:
        before = self._apply(changes)
        if before:
            self._undo.append(before)
            self._redo.clear()

    def undo(self) -> list[int]:
        """Undo the last change; returns its rows, none if there was no change to undo."""
        return self._step(self._undo, self._redo)

    def redo(self) -> list[int]:
        """Redo the change that was undone last; returns its rows, none if there was none."""
        return self._step(self._redo, self._undo)

    def _step(self, source: list[Changes], target: list[Changes]) -> list[int]:
        """Apply the last changes of a history, and add what reverts them to the other one."""
        if not source:
            return []
        changes = source.pop()
        target.append(self._apply(changes))
        return list(changes)

    def _apply(self, changes: Changes) -> Changes:
        """Apply changes in memory and in the database; returns the changes that revert them."""
        assert self.dataset is not None
        if not changes:
            return {}
        before = {row: self.given.get(row) for row in changes}
        self._changes += 1
        for row, each in changes.items():
            self.set_given(row, each)
        for dataset, rows in [*self._unsaved, (self.dataset, changes)]:
            self._save(dataset, rows)
        self._unsaved.clear()
        if self.is_teaching and self.missing():  # examples of the teaching were taken back
            self.stop()
            self._learnt_from = len(self.held_out.rows)
        self.given_changed.emit(list(changes))
        self.guess()
        self._teach_if_grown()
        return before

    def _save(self, dataset: Dataset, changes: Changes) -> None:
        self._saving.append((dataset, changes))
        self._lanes.files.start_write(do, partial(_store, self._workspace, dataset, changes)).then(
            self._saved, self._not_saved
        )

    @Slot(object)
    def _saved(self, _: object = None) -> None:
        self._saving.popleft()

    @Slot(object)
    def _not_saved(self, error: BaseException) -> None:
        """Keep what could not be saved, to save it with the next change, or when the window closes."""
        self._unsaved.append(self._saving.popleft())
        self.failed.emit(error)

    def keep(self) -> None:
        """Save the labels that could not be saved before; raises SpanlightError if the disk still refuses."""
        for dataset, changes in self._unsaved:
            _store(self._workspace, dataset, changes)

    @property
    def can_undo(self) -> bool:
        """Whether a change of labels can be undone."""
        return bool(self._undo)

    @property
    def can_redo(self) -> bool:
        """Whether an undone change can be redone."""
        return bool(self._redo)

    # Guessing and teaching

    @Slot()
    def guess(self) -> None:
        """Guess all labels again, once guessing that is running has ended."""
        if self.dataset is None:
            return
        if _runs(self._guessing):
            self._guess_again = True
            return
        from app.flows.teach.teach import Labelled, guess

        self._guess_again = False
        labelled = Labelled(self.dataset, self.texts, dict(self.given))
        self._guessing = self._lanes.work.start_aside(guess, self._workspace, labelled).then(
            self._guessed, self._fail, progress=self._guess_progressed
        )

    @Slot(object)
    def _guess_progressed(self, progress: Progress) -> None:
        if progress.total > _FEW and not self.is_teaching:
            self.teaching.emit(progress)

    @Slot(object)
    def _guessed(self, guesses: Guesses) -> None:
        is_current = self.dataset is not None and guesses.probabilities.shape == (
            len(self.texts), len(self.dataset.labels),
        )  # fmt: skip
        if not self.is_teaching:
            self.teaching.emit(None)
        if not is_current:
            self.guess()
            return
        self.take_guesses(guesses)
        self.guessed.emit()
        if self._guess_again:
            self.guess()

    def _teach_if_grown(self) -> None:
        """Teach a classifier once there are enough examples, and again when there are many more."""
        added = len(self.given) - self._learnt_from
        if added >= max(ENOUGH, _GROWTH * self._learnt_from) and not self.missing():
            self.teach()

    @property
    def is_teaching(self) -> bool:
        """Whether a classifier is being taught, or will be after other work."""
        return self._waiting or _runs(self._teaching)

    @Slot()
    def teach(self) -> None:
        """Teach a classifier and measure it, in place of teaching that is running."""
        from app.flows.teach.teach import teach

        self._resume = self.teach
        job = self._start(teach, Message("Getting ready to learn"))
        if job is not None:
            self._learnt_from = len(self._learning)
            job.done.connect(self.taught)

    @Slot()
    def measure(self) -> None:
        """Measure the classifier that was taught, where measuring it was stopped."""
        from app.flows.teach.teach import measure

        self._resume = self.measure
        self._start(measure, Message("Getting ready to measure"))

    def _start(self, flow: Flow, words: str) -> Job | None:
        """Start teaching or measuring; returns None if there are too few examples."""
        from app.flows.teach.teach import Labelled

        is_resumed, self._waiting = self._waiting, False
        if self.dataset is None or self.missing():
            self.teaching.emit(None)
            return None
        if not (is_resumed and self._learning.items() <= self.given.items()):  # else from the same examples
            self._learning = dict(self.given)
        labelled = Labelled(self.dataset, self.texts, self._learning)
        # Aside: questions and all other work go first.
        job = self._lanes.work.start_aside(flow, self._workspace, labelled).replacing(self._teaching)
        self._teaching = job.then(self._done, self._fail, progress=self.teaching, partial=self._part_taught)
        self.teaching.emit(Progress(0, 0, Message("Teaching goes on") if is_resumed else words))
        return job

    @Slot()
    def stop(self) -> bool:
        """Stop teaching and guessing; returns whether either was running or waiting."""
        running = self.is_teaching or _runs(self._guessing)
        for job in (self._guessing, self._teaching):
            if job is not None:
                job.drop()
        self._waiting = False
        if running:
            self.teaching.emit(None)
        return running

    @Slot(object)
    def _part_taught(self, part: object) -> None:
        if isinstance(part, Dataset):
            self.take_texts(part, self.texts, self.given)
            self.is_unmeasured, self._resume = True, self.measure
            self.loaded.emit()
        else:
            self._guessed(part)  # type: ignore[arg-type]

    @Slot(object)
    def _done(self, dataset: Dataset) -> None:
        self.teaching.emit(None)
        self.classifier_changed.emit()
        self._measuring = self._lanes.files.start(
            do, partial(self._workspace.datasets.held_out, dataset)
        ).then(self._measured, self.failed)
        self.guess()

    @Slot(object)
    def _measured(self, held_out: HeldOut) -> None:
        self.held_out, self.is_unmeasured = held_out, False
        self.loaded.emit()

    @Slot(object)
    def _fail(self, error: BaseException) -> None:
        if not self.is_teaching:
            self.teaching.emit(None)
        self.failed.emit(error)

    @Slot(object)
    def _give_way(self, job: Job) -> None:
        """Drop teaching and guessing before other work is queued, to resume them afterwards."""
        if self._teaching is not None and self._teaching.running:
            self._teaching.drop()
            self._waiting = True
            self.teaching.emit(LATER)
        if self._guessing is not None and self._guessing.running:
            self._guessing.drop()
            self._guess_again = True

    @Slot()
    def _go_on(self) -> None:
        if self._waiting:
            self._resume()
        if self._guess_again:
            self.guess()

    def _drop_work(self) -> None:
        """Stop all work on the current data set."""
        self.stop()
        if self._measuring is not None:
            self._measuring.drop()
        self._guess_again = False
        # An ended job holds its texts and probabilities.
        self._guessing = self._teaching = self._measuring = None

    # Files

    def read(self, path: Path, done: Callable[[Any], None]) -> None:
        """Read a table, in place of one that is being read; `done`, a bound slot, receives the ReadTable."""
        from app.flows.teach.datasets import read_table

        job = self._lanes.documents.start(read_table, self._workspace, path)
        self._reading = job.replacing(self._reading).then(done, self.failed)


def _runs(job: Job | None) -> bool:
    return job is not None and job.running


def _store(workspace: Workspace, dataset: Dataset, changes: Changes) -> None:
    given = [each for each in changes.values() if each is not None]
    workspace.datasets.give(dataset, given, [row for row, each in changes.items() if each is None])
