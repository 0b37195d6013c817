"""The page where texts are given their class probabilities."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from app.core import wording
from app.core.errors import EngineLost
from app.core.layout import Opened
from app.core.models import Head
from app.core.requests import TextsToClassify
from app.core.results import Classifications
from app.flows.classify import classify, load_classifier
from app.flows.read import read_document
from app.flows.samples import CLASSIFY, Sample
from app.flows.workspace import Workspace
from app.settings.drafts import Drafts
from app.settings.files import write_atomic
from app.ui.jobs import Job, Lanes
from app.ui.messages import fault_of
from app.ui.theme import Theme
from app.ui.views.classify_work import DRAFT, texts_of, visit_of, write
from app.ui.views.draft import Draft, first_things
from app.ui.views.model_ahead import ModelAhead
from app.ui.views.page import Page
from app.ui.widgets.class_panel import LINES, ONE, ClassPanel
from app.ui.widgets.text_editor import TextEditor


class ClassifyView(Page):
    """A text on paper at the left, its classes at the right; or each line a text, with a table."""

    KEY = "classify"
    TITLE = "Classify"
    ICON = "classify"
    SHORTCUTS = (
        ("Ctrl+Enter", "Classify"),
        ("Esc", "Stop"),
        ("Ctrl+O", "Open a text file"),
        ("Ctrl+L", "Go to the text"),
        ("Ctrl+S", "Save the table as CSV"),
        ("Ctrl+I", "Look inside: how the model came to it"),
        ("Ctrl+C", "Copy the chosen rows, or the probabilities"),
    )

    def __init__(
        self, workspace: Workspace, theme: Theme, lanes: Lanes, parent: QWidget | None = None
    ) -> None:
        super().__init__(workspace, theme, lanes, parent)
        self._classifier = ModelAhead(
            workspace, lanes, self, Head.CLASSIFICATION, load_classifier, "classifier"
        )
        self._job: Job | None = None
        self._file_job: Job | None = None
        self._save_job: Job | None = None
        self._asked: tuple[str, ...] = ()
        self._result: Classifications | None = None
        self._way = ONE
        self._samples: tuple[Sample, ...] = ()
        self._editor = TextEditor(
            theme, "Text to classify", "Type or paste a text, or drop a text file here."
        )
        self._draft = Draft(Drafts(workspace.paths.drafts), DRAFT, self._editor.text, lanes, self)
        self._panel = ClassPanel(theme)
        self._lay_out()
        self._connect()
        self._make_shortcuts()
        self._restyle()
        self._set_way(LINES if workspace.settings.classify_lines else ONE)
        self._refresh()
        self._first_job = lanes.files.start(first_things, workspace, (DRAFT,), CLASSIFY)
        self._first_job.done.connect(self._begin)

    # What the window asks of a page

    def stop(self) -> bool:
        """Stop classifying, or reading a file."""
        running = [job for job in (self._job, self._file_job) if job is not None and job.running]
        for job in running:
            job.stop()
        return bool(running)

    def keep(self) -> None:
        """Save the text, and the splitter's place."""
        self._keep_splitter()
        if not self._first_job.running:
            self._draft.save_now()

    def shown(self) -> None:
        """Go to the text; tell which model classifies, and have it loaded."""
        self._editor.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._classifier.look_once()

    def open_files(self, paths: list[Path]) -> None:
        """Put the first file's text on the paper; what was there can be had back with undo."""
        if self._file_job is not None:
            self._file_job.drop()
        self._panel.notice.clear()
        self._file_job = self.lanes.documents.start(read_document, self.workspace, paths[0])
        self._file_job.done.connect(self._file_read)
        self._file_job.failed.connect(self._say_fault)

    def settings_changed(self) -> None:
        """Find out which model classifies now, and have it loaded."""
        self._classifier.look()

    # Classifying

    @Slot()
    def run(self) -> None:
        """Classify what stands on the paper; takes the place of what is running."""
        self._panel.notice.clear()
        self._asked = texts_of(self._editor.text(), self._way)
        if not self._asked:
            self._panel.notice.show_hint("There is nothing to classify yet.", "Type or paste a text first.")
            self._editor.setFocus()
            return
        if self._job is not None:
            self._job.drop()
        self.note.emit("")
        self._result = None
        many = wording.count(len(self._asked), "text") if self._way == LINES else "the text"
        self._panel.working(f"Getting ready to classify {many}")
        self._job = self.lanes.work.start(classify, self.workspace, TextsToClassify(self._asked))
        self._job.progress.connect(self._panel.strip.show_progress)
        self._job.partial.connect(self._partly)
        self._job.done.connect(self._done)
        self._job.failed.connect(self._failed)
        self._job.stopped.connect(self._stopped)

    @Slot(object)
    def _partly(self, result: object) -> None:
        if isinstance(result, Classifications) and result.items and self._way == LINES:
            self._panel.show_results(self._asked, result)

    @Slot(object)
    def _done(self, result: Classifications) -> None:
        self._panel.rested()
        self._result = result
        self._panel.show_results(self._asked, result)
        if len(result.items) == 1:
            windows = wording.count(result.items[0].windows, "window")
            self.note.emit(f"1 text ({windows}) classified in {wording.duration(result.seconds)}")
        else:
            texts = wording.count(len(result.items), "text")
            self.note.emit(f"{texts} classified in {wording.duration(result.seconds)}")

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        self._panel.rested()
        self._say_fault(error)
        if isinstance(error, EngineLost):
            self.lost.emit()

    @Slot()
    def _stopped(self) -> None:
        self._panel.rested()
        self.note.emit("Stopped")

    @Slot()
    def _stop_asked(self) -> None:
        self.stop()

    @Slot()
    def _look(self) -> None:
        text = self._asked[0] if self._asked and self._way == ONE else self._panel.table.chosen_text()
        if self._result is not None and text:
            self.look_inside.emit(visit_of(text, self._result.model))

    # Text in

    @Slot(object)
    def _begin(self, first: tuple[tuple[str, ...], tuple[Sample, ...]]) -> None:
        (text,), self._samples = first
        self._panel.set_samples(tuple(sample.title for sample in self._samples))
        if self._editor.is_empty():
            self._editor.start_with(text)
        self._refresh()

    @Slot()
    def _text_edited(self) -> None:
        self._draft.save_soon()
        self._refresh()

    def _refresh(self) -> None:
        empty = self._editor.is_empty()
        self._panel.set_empty(empty)
        if not empty and self._asked:
            self._panel.set_outdated(texts_of(self._editor.text(), self._way) != self._asked)

    @Slot(str)
    def _way_chosen(self, way: str) -> None:
        self._keep_splitter()
        self._set_way(way)
        self._refresh()

    def _set_way(self, way: str) -> None:
        self._way = way
        self.workspace.settings.classify_lines = way == LINES
        self._panel.set_way(way)
        self._editor.set_wrapped(way == ONE)
        step = self.theme.step
        usual = [step(160), step(96)] if way == ONE else [step(90), step(170)]
        self._splitter.setSizes(self.workspace.settings.splitters.get(f"classify-{way}", usual))

    @Slot(int)
    def _try_sample(self, index: int) -> None:
        self._editor.replace(self._samples[index].text)
        self.run()

    @Slot()
    def _choose_file(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self, "Open a text file", "", "Text (*.txt *.md);;All files (*)"
        )
        if name:
            self.open_files([Path(name)])

    @Slot(object)
    def _file_read(self, opened: Opened) -> None:
        document = opened.document
        self._editor.replace(document.text)
        self.note.emit(f"{document.name} opened")
        self._editor.setFocus()

    # Text and table out

    @Slot()
    def _save_table(self) -> None:
        if self._way != LINES or not self._panel.table.row_count():
            return
        dialog = QFileDialog(self, "Save the table", filter="CSV (*.csv)")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("csv")
        dialog.selectFile("classified.csv")
        if dialog.exec():
            self.save_table_as(Path(dialog.selectedFiles()[0]))
        dialog.deleteLater()

    def save_table_as(self, path: Path) -> None:
        """Write the table as CSV, in the files lane."""
        data = self._panel.table.csv()
        self._save_job = self.lanes.files.start(write, lambda: write_atomic(path, data))
        self._save_job.done.connect(self._saved)
        self._save_job.failed.connect(self._say_fault)

    @Slot()
    def _saved(self) -> None:
        self.note.emit(f"{wording.count(self._panel.table.row_count(), 'row')} saved")

    @Slot(object)
    def _no_model(self, error: BaseException) -> None:
        fault = fault_of(error)
        self._panel.show_no_model(f"{fault.sentence} {fault.hint}".strip())

    @Slot(str)
    def _classifier_noted(self, note: str) -> None:
        if self._job is None:  # what was classified says more
            self.note.emit(note)

    @Slot(object)
    def _say_fault(self, error: BaseException) -> None:
        fault = fault_of(error)
        self._panel.notice.show_fault(fault.sentence, fault.hint, fault.report)

    def _keep_splitter(self) -> None:
        if self._splitter.isVisible():
            self.workspace.settings.splitters[f"classify-{self._way}"] = self._splitter.sizes()

    @Slot()
    def _restyle(self) -> None:
        step = self.theme.step
        self._desk_layout.setContentsMargins(step(6), step(5), step(6), step(5))
        self._editor.setMinimumWidth(step(50))
        self._editor.setMaximumWidth(step(200))

    def _lay_out(self) -> None:
        desk = QWidget()
        desk.setProperty("kind", "desk")
        desk.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._desk_layout = QHBoxLayout(desk)
        self._desk_layout.addStretch(1)
        self._desk_layout.addWidget(self._editor, 1000)
        self._desk_layout.addStretch(1)
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._splitter.addWidget(desk)
        self._splitter.addWidget(self._panel)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.setStretchFactor(0, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._splitter)

    def _connect(self) -> None:
        self._draft.failed.connect(self._say_fault)
        self._editor.edited.connect(self._text_edited)
        self._editor.dropped.connect(self.open_files)
        self._panel.run_asked.connect(self.run)
        self._panel.card.look_asked.connect(self._look)
        self._panel.stop_asked.connect(self._stop_asked)
        self._panel.way_chosen.connect(self._way_chosen)
        self._panel.sample_chosen.connect(self._try_sample)
        self._panel.save_asked.connect(self._save_table)
        self._panel.open_asked.connect(self._choose_file)
        self._classifier.found.connect(self._panel.show_model)
        self._classifier.missing.connect(self._no_model)
        self._classifier.note.connect(self._classifier_noted)
        self._classifier.lost.connect(self.lost)
        self.theme.changed.connect(self._restyle)

    def _make_shortcuts(self) -> None:
        self.add_shortcuts(
            ("Ctrl+Return", self.run), ("Ctrl+Enter", self.run), ("Ctrl+O", self._choose_file),
            ("Ctrl+S", self._save_table), ("Ctrl+L", self.shown), ("Ctrl+I", self._look),
        )  # fmt: skip
