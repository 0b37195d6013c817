"""The cards beside the corrections: teaching the reader, whether a version is better, and the list of versions."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QGridLayout

from app.core.days import day
from app.core.message import Message
from app.core.models import model_title
from app.ui.kit.boxes import column, flow
from app.ui.kit.confirmation import Confirmation
from app.ui.kit.model_list import ModelList, ModelRow
from app.ui.kit.parts import Label, as_tip, plain_label, push_button
from app.ui.kit.progress_strip import ProgressStrip
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import localised, tr
from app.ui.teach.curves import Curves
from app.ui.teach.teaching import ReaderState

if TYPE_CHECKING:
    from app.flows.teach.reader import ReaderVersion, UnfinishedTeaching

_HOW = Message("This takes some minutes, behind all other work. The reader in use is not changed.")
_GOING_ON = Message("You can keep working as usual. What is learnt is kept, even if you close Spanlight.")


class TeachCard(QFrame):
    """The reader to teach and the number of corrections; while it is taught, the progress and the curves."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        self._of = plain_label(type="small", ink="quiet")
        self._reader = plain_label(type="strong")
        self.teach = push_button(theme, kind="primary")
        self.discard = push_button(theme, tr("Discard…"), tip=tr("Delete what was learnt"))
        self.strip = ProgressStrip(theme, pauses=True)
        self.curves = Curves(theme)
        self.stop = push_button(theme, tr("Stop and discard…"), kind="link")
        self.losing = Confirmation(theme, tr("Discard"))
        self._about = plain_label(type="small", ink="quiet")
        actions = flow(theme, self.teach, self.discard)
        stop = (self.stop, 0, Qt.AlignmentFlag.AlignLeft)
        parts = (self._of, self._reader, actions, self.strip, self.curves, self._about, self.losing, stop)
        column(theme, *parts, gap=2, margins=(4, 4, 4, 4), parent=self)
        self.discard.clicked.connect(self._ask)
        self.stop.clicked.connect(self._ask)
        self.losing.cancelled.connect(self._keep)

    def show_state(self, state: ReaderState, corrections: int, fewest: int, *, busy: bool) -> None:
        """Show that the reader can be taught, that teaching can be resumed, or with `busy`, that it is running."""
        unfinished, reader = state.unfinished, state.reader
        name = reader.title if reader is not None else tr("No reader is installed")
        self._of.setText(tr("Reader in use"))
        if unfinished is not None:
            name = model_title(unfinished.base)
            self._of.setText(tr("Reader being taught"))
        self._reader.setText(name)
        self.teach.setVisible(not busy)
        self.discard.setVisible(not busy and unfinished is not None)
        self.curves.setVisible(busy or (unfinished is not None and self.curves.count() > 0))
        if not busy:
            self.losing.withdraw()
        self.stop.setVisible(busy and not self.losing.asking)
        self.teach.setEnabled(reader is not None and (unfinished is not None or corrections >= fewest))
        if not busy and self.strip.has_focus():  # Qt would move it on to the versions, and choose one
            self.teach.setFocus(Qt.FocusReason.OtherFocusReason)
        self.strip.setVisible(busy)
        if unfinished is not None:
            self._set_action(tr("Go on teaching"))
            self._about.setText(_GOING_ON if busy else _unfinished(unfinished))
        else:
            self._set_action(
                tr(
                    "Teach the reader from {n:,} correction",
                    "Teach the reader from {n:,} corrections",
                    n=corrections,
                )
            )
            lacking = fewest - corrections
            few = tr(
                "It takes at least {fewest} corrections: {lacking} more.", fewest=fewest, lacking=lacking
            )
            self._about.setText(_GOING_ON if busy else few if lacking > 0 else _HOW)

    def _set_action(self, words: str) -> None:
        self.teach.setText(words)
        self.teach.setAccessibleName(words)

    @Slot()
    def _ask(self) -> None:
        self.losing.ask(tr("Discard what was learnt so far?"))
        self.stop.hide()

    @Slot()
    def _keep(self) -> None:
        self.stop.setVisible(self.strip.isVisibleTo(self))


def _unfinished(unfinished: UnfinishedTeaching) -> str:
    """When unfinished teaching was begun, and the step that it has reached."""
    on, number = _day(unfinished.begun, within=True), unfinished.corrections
    if on in ("today", "yesterday"):
        begun = tr(
            "Begun {day} with {n:,} correction.", "Begun {day} with {n:,} corrections.", day=on, n=number
        )
    else:
        begun = tr(
            "Begun on {day} with {n:,} correction.",
            "Begun on {day} with {n:,} corrections.",
            day=on,
            n=number,
        )
    if not unfinished.step:
        return begun
    kept = tr("Step {step:,} of {steps:,} is kept.", step=unfinished.step, steps=unfinished.steps)
    return f"{begun} {kept}"


class GateCard(QFrame):
    """A version's figures beside those of the reader that it was taught from, with a button to use it.

    `use_asked` carries the version's name.
    """

    use_asked = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        self.version: ReaderVersion | None = None
        self._title = plain_label(type="answer")
        self.words = plain_label()
        self._grid = QGridLayout()
        self._grid.setColumnStretch(0, 1)
        for at, heading in enumerate(("", tr("Before"), tr("Now"))):
            label = plain_label(heading, type="small", ink="quiet", wrap=False)
            self._grid.addWidget(label, 0, at, Qt.AlignmentFlag.AlignRight)
        self._cells = [self._line(at) for at in range(1, _LINES + 1)]
        self.use = push_button(theme, tr("Use it"))
        self.keep = push_button(theme, tr("Keep the old one"))
        parts = (self._title, self.words, self._grid, flow(theme, self.use, self.keep))
        column(theme, *parts, gap=3, margins=(4, 4, 4, 4), parent=self)
        theme.in_steps(self._grid.setHorizontalSpacing, 4)
        theme.in_steps(self._grid.setVerticalSpacing, 1)
        self.use.clicked.connect(self._use)
        self.keep.clicked.connect(self._close)
        self.hide()

    def show_version(self, version: ReaderVersion | None, *, in_use: bool = False) -> None:
        """Show a version's figures, with the buttons unless it is in use; None hides the card."""
        self.version = version
        self.setVisible(version is not None)
        if version is None:
            return
        self._title.setText(
            tr("The new reader is better") if version.is_better else tr("The new reader is not better")
        )
        self.words.setText(in_words(version))
        for cells, (name, before, after, tip) in zip(self._cells, _lines(version), strict=True):
            for label, text in zip(cells, (name, before, after), strict=True):
                label.setText(text)
                label.setToolTip(as_tip(tip))
            cells[2].setAccessibleName(
                tr("{name}: {before} before, {after} now", name=name, before=before, after=after)
            )
        for button, is_advised in ((self.use, version.is_better), (self.keep, not version.is_better)):
            button.setVisible(not in_use)
            mark(button, kind="primary" if is_advised else "")

    def _line(self, at: int) -> tuple[Label, Label, Label]:
        """Add a line to the grid; returns its labels: what was measured, before, and now."""
        line = (
            plain_label(type="small"),
            plain_label(type="small", ink="quiet", wrap=False),
            plain_label(type="small_strong", wrap=False),
        )
        for index, label in enumerate(line):
            align = Qt.AlignmentFlag.AlignRight if index else Qt.AlignmentFlag(0)
            self._grid.addWidget(label, at, index, align)
        return line

    @Slot()
    def _use(self) -> None:
        if self.version is not None:
            self.use_asked.emit(self.version.name)

    @Slot()
    def _close(self) -> None:
        self.show_version(None)


_LINES = 4  # that `_lines` returns


def _lines(version: ReaderVersion) -> tuple[tuple[str, str, str, str], ...]:
    """The measures of a version, each with its name, the figures before and now, and a tip."""
    held, known = version.held, version.known
    held_out, replayed = held.after.questions, known.after.questions
    return (
        (
            tr("{n:,} correction, exactly right", "{n:,} corrections, exactly right", n=held_out),
            tr("{number:.0f}%", number=held.before.exact),
            tr("{number:.0f}%", number=held.after.exact),
            tr("Corrections that it has not learnt from, with exactly the right words"),
        ),
        (
            tr("{n:,} correction, F1", "{n:,} corrections, F1", n=held_out),
            tr("{number:.1f}%", number=held.before.f1),
            tr("{number:.1f}%", number=held.after.f1),
            tr("How much its words share with the right ones"),
        ),
        (
            tr("{n:,} other, F1", "{n:,} others, F1", n=replayed),
            tr("{number:.1f}%", number=known.before.f1),
            tr("{number:.1f}%", number=known.after.f1),
            tr("Questions like those that the reader was made from"),
        ),
        (
            tr("Its probabilities, off by"),
            tr("{number:.1f}%", number=known.before.calibration_error),
            tr("{number:.1f}%", number=known.after.calibration_error),
            tr("Expected calibration error on those questions"),
        ),
    )


# With fewer held-out corrections, one more right or wrong answer changes F1 by more than ten points.
_FEW = 10


def in_words(version: ReaderVersion) -> str:
    """Whether a version is better than the reader that it was taught from, in a few sentences."""
    held, known = version.held, version.known
    gained, lost = held.after.f1 - held.before.f1, known.before.f1 - known.after.f1
    questions = held.after.questions
    if gained > 0:
        words = tr(
            "On {n:,} correction that it has not learnt, its words fit better: F1 rose by {points}.",
            "On {n:,} corrections that it has not learnt, its words fit better: F1 rose by {points}.",
            n=questions,
            points=_points(gained),
        )
    elif gained < 0:
        words = tr(
            "On {n:,} correction that it has not learnt, its words fit worse: F1 fell by {points}.",
            "On {n:,} corrections that it has not learnt, its words fit worse: F1 fell by {points}.",
            n=questions,
            points=_points(-gained),
        )
    else:
        words = tr(
            "On {n:,} correction that it has not learnt, its words fit as well as before.",
            "On {n:,} corrections that it has not learnt, its words fit as well as before.",
            n=questions,
        )
    if lost > 1:
        kept = tr("Of what it knew before it lost {points}, which is too much.", points=_points(lost))
    elif lost > 0.05:
        kept = tr("Of what it knew before it lost {points}.", points=_points(lost))
    else:
        kept = tr("It still knows what it knew before.")
    if questions >= _FEW:
        return f"{words} {kept}"
    few = tr("With so few, chance decides much: more corrections tell more.")
    return f"{words} {kept} {few}"


def _points(value: float) -> str:
    """A difference of F1 to a tenth: "20 points", "0.5 points"."""
    tenths = round(value, 1)
    if tenths == int(tenths):
        return tr("{n} point", "{n} points", n=int(tenths))
    return tr("{number:.1f} points", number=tenths)


class VersionsCard(QFrame):
    """The taught versions, newest first, then the readers that they were taught from, and the one that comes along.

    `chosen` carries a version, None for another reader; `use_asked` the name of a reader to use, "" for the one that
    comes along; `export_asked` and `remove_asked` a version's name.
    """

    chosen = Signal(object)
    use_asked = Signal(str)
    export_asked = Signal(str)
    remove_asked = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        self._versions: dict[str, ReaderVersion] = {}
        self._in_use = ""
        self.list = ModelList(theme, tr("Versions of the reader"))
        self.list.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.use = push_button(theme, tr("Use it"))
        self.export = push_button(
            theme, tr("Export…"), tip=tr("Copy it into a folder, which opens in transformers")
        )
        self.remove = push_button(theme, tr("Delete…"), tip=tr("Delete this version  (Del)"))
        self.removal = Confirmation(theme, tr("Delete it"))
        title = plain_label(tr("Versions"), type="strong")
        actions = flow(theme, self.use, self.export, self.remove)
        column(theme, title, self.list, actions, self.removal, gap=2, margins=(4, 4, 4, 4), parent=self)
        self.list.chosen.connect(self._choose)
        self.list.entered.connect(self._use)
        self.list.remove_requested.connect(self._ask)
        self.use.clicked.connect(self._use)
        self.export.clicked.connect(self._export)
        self.remove.clicked.connect(self._ask)
        self.removal.confirmed.connect(self._remove)
        theme.changed.connect(self._fit)
        self.hide()

    def show_state(self, state: ReaderState) -> None:
        """Show the readers; the card is hidden if there are no versions."""
        self._versions = {one.name: one for one in state.versions}
        in_use = state.in_use
        self._in_use = in_use.name if in_use is not None else ""
        rows = [
            ModelRow(
                one.name,
                one.name,
                tr(
                    "{n:,} correction · F1 {before:.0f} → {after:.0f}%",
                    "{n:,} corrections · F1 {before:.0f} → {after:.0f}%",
                    n=one.corrections,
                    before=one.held.before.f1,
                    after=one.held.after.f1,
                ),
                localised(_day(one.made)),
                tr("In use") if one.name == self._in_use else "",
            )
            for one in state.versions
        ]
        untaught = [(card.name, card, tr("As it was before teaching")) for card in state.bases]
        if state.own is not None:
            untaught.append((_OWN, state.own, tr("Comes with Spanlight")))
        for key, card, line in untaught:
            is_used = state.reader is not None and state.reader.folder == card.folder
            self._in_use = key if is_used else self._in_use
            rows.append(ModelRow(key, localised(card.title), line, sign=tr("In use") if is_used else ""))
        self.list.set_rows(rows)
        self.setVisible(bool(self._versions))
        self._fit()
        self._show_actions()

    def choose(self, name: str) -> None:
        """Choose a version without a signal."""
        self.list.choose(name)
        self._show_actions()

    @Slot()
    def _fit(self) -> None:
        self.list.setFixedHeight(max(1, len(self.list.rows()) * self.list.sizeHintForRow(0)))

    def _show_actions(self) -> None:
        key = self.list.key()
        self.use.setEnabled(bool(key) and key != self._in_use)
        for button in (self.export, self.remove):
            button.setEnabled(key in self._versions)

    @Slot(str)
    def _choose(self, key: str) -> None:
        self.removal.withdraw()
        self._show_actions()
        self.chosen.emit(self._versions.get(key))

    @Slot()
    def _use(self) -> None:
        if self.use.isEnabled():
            self.use_asked.emit("" if self.list.key() == _OWN else self.list.key())

    @Slot()
    def _export(self) -> None:
        self.export_asked.emit(self.list.key())

    @Slot()
    def _ask(self) -> None:
        if self.list.key() in self._versions:
            self.removal.ask(tr("Delete “{name}” for good?", name=self.list.key()))

    @Slot()
    def _remove(self) -> None:
        self.remove_asked.emit(self.list.key())


# The key of the reader that comes along, which cannot be a version's name.
_OWN = "/"


def _day(moment: str, *, within: bool = False) -> str:
    """The day of a moment in ISO 8601, such as "Today"; `within` a sentence, "today"."""
    return day(datetime.fromisoformat(moment).astimezone().date(), date.today(), within=within)
