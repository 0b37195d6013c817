"""The section Measure: measures models on labelled examples, and saves and compares the results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QWidget

from app.core import wording
from app.core.measures import ExampleSet, Measure, examples
from app.core.message import Message
from app.core.models import Head, ModelCard, model_title
from app.core.report import Progress, Report
from app.flows.measure.label_matching import LabelsDiffer
from app.flows.measure.measure import example_set, example_sets, measure, measured
from app.flows.models.installed import in_use, installed
from app.flows.workspace import Workspace
from app.ui.kit.boxes import column, row
from app.ui.kit.empty_state import SampleGrid
from app.ui.kit.file_dialog import open_name
from app.ui.kit.jobs import Job, Lanes, do
from app.ui.kit.parts import Scrolling, plain_label
from app.ui.kit.progress_strip import ProgressStrip, QueueStatus
from app.ui.kit.sectioned import Section
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr
from app.ui.models.measure.form import MOST_LABELS, MeasureForm
from app.ui.models.measure.saved import SavedMeasures

_ENDINGS = (".json", ".jsonl", ".xz", ".csv", ".tsv", ".conll", ".bio", ".iob", ".iob2", ".txt")
_WORDS = Message(
    "A model reads examples whose answers are known: how often it is right, how fast it is, and whether its"
    " probabilities can be trusted are kept here, so that two models can be compared. Take examples that are like your"
    " own texts where you have them; small sets come along to try."
)


@dataclass(frozen=True, slots=True)
class _Content:
    """What the section shows: models, example sets, measures, and the folder of the model in use for each head."""

    cards: tuple[ModelCard, ...]
    sets: tuple[ExampleSet, ...]
    measures: tuple[Measure, ...]
    used: dict[Head, str]


def _read_content(workspace: Workspace, report: Report) -> _Content:
    sets = example_sets(workspace, report)
    return _Content(installed(workspace), sets, measured(workspace, report), in_use(workspace))


class MeasureEmpty(QFrame):
    """A title, a few sentences, and a button for each of the `suggestions`."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._words = plain_label(_WORDS, ink="quiet")
        self.suggestions = SampleGrid(theme)
        # Without a row of its own Qt would take the text's height at any width.
        words = row(theme, (self._words, 1), 0)
        title = plain_label(tr("How good is a model?"), type="answer")
        column(theme, title, words, self.suggestions, gap=3, parent=self)
        theme.in_steps(self._words.setMaximumWidth, 190)

    def offer(self, suggestions: Sequence[tuple[str, str]]) -> None:
        """Offer these suggestions, each a title and a line."""
        self.suggestions.offer(suggestions)
        self._lay_out()

    def minimumSizeHint(self) -> QSize:
        """As wide as the widest suggestion: in a narrow window they are below each other."""
        least = max((button.minimumWidth() for button in self.suggestions.buttons), default=0)
        return QSize(least, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def _lay_out(self) -> None:
        """Put the suggestions beside each other, or where there is no room for that, below."""
        buttons = self.suggestions.buttons
        wide = sum(button.minimumWidth() + self.suggestions.spacing() for button in buttons)
        self.suggestions.set_columns(len(buttons) if buttons and wide <= self.width() else 1)

    def set_busy(self, busy: bool) -> None:
        """Set whether a measurement is running."""
        for button in self.suggestions.buttons:
            button.setEnabled(not busy)


class MeasureSection(Section):
    """The form of the next measure above, the saved measures below."""

    KEY = "measure"
    TITLE = Message("Measure")

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__(workspace, theme, lanes)
        self._content: _Content | None = None
        self._file_sets: dict[str, ExampleSet] = {}
        self._wanted = ""
        self._content_job: Job | None = None
        self._file_job: Job | None = None
        self._job: Job | None = None
        self._measuring: tuple[ModelCard, ExampleSet] | None = None
        self.form = MeasureForm(theme)
        self.strip = ProgressStrip(theme)
        self.empty = MeasureEmpty(theme)
        self.empty.hide()
        self.saved = SavedMeasures(workspace, theme, lanes)
        self._lay_out()
        self._connect()

    # The section's interface to the page

    def shown(self) -> None:
        """Refresh the installed models and the measures, and focus the form."""
        self.settings_changed()
        if not self.isAncestorOf(self.window().focusWidget() or self):
            self.form.model.setFocus(Qt.FocusReason.OtherFocusReason)

    def receive(self, argument: object) -> None:
        """Choose a model: its card, or its folder."""
        self._wanted = argument.folder if isinstance(argument, ModelCard) else str(argument)
        if self._measuring is None and self.form.choose_model(self._wanted):
            self._wanted = ""

    def stop(self) -> bool:
        """Stop measuring; nothing is saved."""
        running = self._job is not None and self._job.running
        if self._job is not None:
            self._job.stop()
        return running

    def take_files(self, paths: list[Path]) -> bool:
        """Open a file of examples, while this section is shown."""
        if not self.isVisible() or len(paths) != 1 or not paths[0].name.lower().endswith(_ENDINGS):
            return False
        self.open_file(paths[0])
        return True

    def settings_changed(self) -> None:
        """Read the installed models and the measures again."""
        job = self.lanes.files.start(_read_content, self.workspace).replacing(self._content_job)
        self._content_job = job.then(self._show_content, self.show_fault)

    def open_file(self, path: Path) -> None:
        """Offer the examples of a file, and choose them."""
        self.notice.hide()
        job = self.lanes.files.start(do, partial(example_set, path)).replacing(self._file_job)
        self._file_job = job.then(self._file_read, self.show_fault)

    # Content

    @Slot(object)
    def _show_content(self, found: _Content) -> None:
        before, self._content = self._content, found
        if before is None or self._wanted or (before.cards, before.sets) != (found.cards, found.sets):
            self._offer_sets()
            self.form.set_models(found.cards, self._wanted, found.used.get(Head.QUESTION_ANSWERING, ""))
            self.form.set_busy(self._measuring is not None)
            self._wanted = ""
        self._show_measures(found.measures)

    @Slot(object)
    def _file_read(self, found: ExampleSet) -> None:
        self._file_sets[found.path] = found
        self._offer_sets()
        if not self.form.choose_set(found.path):
            self.notice.show_hint(
                tr(
                    "No model that is installed can read {examples}.",
                    examples=examples(found.examples, found.head),
                ),
                tr("Get one under “Get more”."),
            )
        self.form.set_busy(self._measuring is not None)

    def _offer_sets(self) -> None:
        self.form.set_example_sets(
            (*(self._content.sets if self._content else ()), *self._file_sets.values())
        )

    @Slot(object)
    def _measures_changed(self, measures: tuple[Measure, ...]) -> None:
        self._show_measures(measures)
        self.changed.emit("measures")

    def _show_measures(self, measures: tuple[Measure, ...], chosen: tuple[Measure, ...] = ()) -> None:
        if self._content is not None:
            self._content = replace(self._content, measures=measures)
        self.saved.show_measures(measures, chosen)
        self.empty.setVisible(not measures)
        self.empty.offer([(localised(data.title), line) for data, line, _ in self._suggestions()])
        self.empty.set_busy(self._measuring is not None)

    def _suggestions(self) -> list[tuple[ExampleSet, str, ModelCard]]:
        """The bundled example sets that an installed model can read, each with a line and the model to measure."""
        found: list[tuple[ExampleSet, str, ModelCard]] = []
        if self._content is None:
            return found
        for data in self._content.sets:
            fitting = [each for each in self._content.cards if data.head in each.heads]
            used = self._content.used.get(data.head, "")
            if card := next((each for each in fitting if each.folder == used), next(iter(fitting), None)):
                number = examples(data.examples, data.head)
                line = tr("Measure {model} on {examples}", model=card.title, examples=number)
                found.append((data, line, card))
        return found

    # Measuring

    @Slot(int)
    def _measure_suggestion(self, index: int) -> None:
        data, _, card = self._suggestions()[index]
        self.form.choose_model(card.folder)
        self.form.choose_set(data.path)
        self._measure()

    @Slot()
    def _measure(self) -> None:
        card, data = self.form.card(), self.form.example_set()
        if card is None or data is None or self._measuring is not None:
            return
        self.notice.hide()
        self.note.emit("")
        labels = self.form.matching.answer()
        self._measuring = card, data
        words = tr("Getting {model} ready", model=card.title)
        self.strip.show_busy(words)
        # A disabled widget loses the focus, and Qt would pass it to the next one.
        focus = self.window().focusWidget()
        if focus is not None and (self.form.isAncestorOf(focus) or self.empty.isAncestorOf(focus)):
            self.strip.focus_stop()
        self._set_busy()
        self._job = self.lanes.work.start(measure, self.workspace, card.folder, data, labels=labels)
        self._job.name = tr("the measuring of {model}", model=card.title)
        QueueStatus(self.lanes.work, self._job, self.strip, words)
        self._job.then(self._measured, self._failed, self._stopped, progress=self._progressed)

    @Slot(object)
    def _progressed(self, progress: Progress) -> None:
        if self._measuring is not None and progress.what in ("questions", "texts"):
            card, data = self._measuring
            what = tr(
                "{model} reads {set}: {done:,} of {all}",
                model=localised(card.title), set=localised(data.title), done=progress.done,
                all=examples(progress.total, data.head),
            )  # fmt: skip
            progress = replace(progress, what=what)
        self.strip.show_progress(progress)

    @Slot(object)
    def _measured(self, found: Measure) -> None:
        self._rest()
        self.form.matching.clear()
        if self._content is not None:
            self._show_measures((found, *self._content.measures), (found,))
        time = wording.duration(found.seconds)
        self.note.emit(tr("{model} measured in {time}", model=model_title(found.model), time=time))
        self.changed.emit("measures")
        # After the panel has been laid out.
        QTimer.singleShot(0, self._show_panel)

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        self._rest()
        if isinstance(error, LabelsDiffer) and len(error.model_labels) <= MOST_LABELS:
            self.notice.show_hint(error.message)
            self.form.matching.ask(error.model_labels, error.set_labels)
        else:
            self.show_fault(error)

    @Slot()
    def _stopped(self) -> None:
        self._rest()
        self.note.emit(tr("Stopped, and nothing of it kept"))

    def _rest(self) -> None:
        self._measuring = None
        self._set_busy()
        if self.strip.has_focus():
            self.form.button.setFocus(Qt.FocusReason.OtherFocusReason)
        self.strip.clear()

    def _set_busy(self) -> None:
        self.form.set_busy(self._measuring is not None)
        self.empty.set_busy(self._measuring is not None)

    @Slot()
    def _show_panel(self) -> None:
        self._scroll.ensureWidgetVisible(self.saved.panel, 0, self.theme.step(4))

    @Slot()
    def _choose_file(self) -> None:
        endings = " ".join(f"*{ending}" for ending in _ENDINGS)
        kinds = tr("Examples ({endings});;All files (*)", endings=endings)
        name = open_name(self, tr("Examples with known answers"), kinds)
        if name:
            self.open_file(Path(name))

    @Slot(list)
    def _dropped(self, paths: list[Path]) -> None:
        self.open_file(paths[0])

    # Looks

    def _connect(self) -> None:
        self.form.button.clicked.connect(self._measure)
        self.form.file_requested.connect(self._choose_file)
        self.form.dropped.connect(self._dropped)
        self.strip.stop_asked.connect(self.stop)
        self.empty.suggestions.chosen.connect(self._measure_suggestion)
        self.saved.changed.connect(self._measures_changed)
        self.saved.failed.connect(self.show_fault)
        self.saved.note.connect(self.note)
        self.add_shortcuts(("Ctrl+Return", self._measure), ("Ctrl+Z", self.saved.bring_back), within=self)

    def _lay_out(self) -> None:
        inner = QWidget()
        parts = (self.form, self.notice, self.strip, self.empty, self.saved)
        column(self.theme, *parts, 1, gap=4, margins=(6, 5, 6, 6), parent=inner)
        self._scroll = Scrolling(inner)
        column(self.theme, self._scroll, parent=self)
