"""The base class of the pages that run one head on a text: its flow, result, errors, files and model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QWidget

from app.core.errors import EngineLost, PasswordNeeded
from app.core.inspection import Visit
from app.core.languages import LanguageSubject
from app.core.layout import Opened
from app.core.message import Message
from app.core.models import Head, LoadedModel, ModelCard
from app.core.report import Progress, Report, Silent
from app.flows.ask.read import read_document
from app.flows.heads.heads import load_head
from app.flows.heads.kept import HeadResult, KeptResult, load_result, save_result
from app.flows.samples import Sample
from app.flows.workspace import Workspace
from app.settings.drafts import Drafts
from app.ui.document.find_bar import FindBar
from app.ui.document.marks.searchable import Searchable
from app.ui.document.text.text_editor import Paper
from app.ui.document.zoom import Zoom, reading_keys
from app.ui.heads.text_panel import TextPanel
from app.ui.kit.boxes import column
from app.ui.kit.draft import Draft, initial_content
from app.ui.kit.file_dialog import open_names
from app.ui.kit.jobs import Job, Lanes, do
from app.ui.kit.language_line import LanguageLine
from app.ui.kit.messages import fault_of
from app.ui.kit.page import Page
from app.ui.kit.progress_strip import QueueStatus
from app.ui.kit.spoken import announce
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr
from app.ui.kit.two_panes import Panes

# For each head: that its model is being loaded, the name of that job, and that the model is ready.
_LOADING = {
    Head.CLASSIFICATION: (
        Message("Loading the classifier…"), Message("the loading of the classifier"), Message("Classifier ready"),
    ),
    Head.MASKED_WORDS: (
        Message("Loading the model for blanks…"), Message("the loading of the model for blanks"),
        Message("Model for blanks ready"),
    ),
    Head.NEXT_SENTENCE: (
        Message("Loading the model for passages…"), Message("the loading of the model for passages"),
        Message("Model for passages ready"),
    ),
    Head.TOKEN_CLASSIFICATION: (
        Message("Loading the name finder…"), Message("the loading of the name finder"), Message("Name finder ready"),
    ),
}  # fmt: skip


class FileLocked(PasswordNeeded):
    """The file at `path` is encrypted, and no password was given, or a wrong one."""

    def __init__(self, path: Path, needed: PasswordNeeded) -> None:
        super().__init__(needed.message, needed.hint, needed.wrong)
        self.path = path


def read_documents(
    workspace: Workspace, paths: list[Path], passwords: Mapping[Path, str], report: Report
) -> tuple[Opened, ...]:
    """Read files; raises FileLocked for one that needs a password, and otherwise the errors of `read_document`."""
    opened = []
    for path in paths:
        try:
            opened.append(read_document(workspace, path, report, password=passwords.get(path, "")))
        except PasswordNeeded as needed:
            raise FileLocked(path, needed) from needed
    return tuple(opened)


def _file_names(files: Sequence[str]) -> str:
    """The names of one or two files."""
    return files[0] if len(files) == 1 else tr("{first} and {second}", first=files[0], second=files[1])


class TextPage(Page):
    """One paper (text editor) or several at the left, a panel at the right.

    A subclass calls `build` once its widgets exist, starts its flow in `run` with `start`, and overrides `show_result`,
    `refresh`, `result_note` and `visit`. `show_result` gets every result: final and partial ones, and that of an
    earlier session. `kept` is the result that is shown, with its texts; it is saved for the next start. `file` is the
    name of the file whose text is on the paper, empty for any other text.
    """

    HEAD: Head
    SAMPLES = ""
    DRAFTS: tuple[str, ...] = ()
    FILES: str = Message("Text (*.txt *.md);;All files (*)")

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__(workspace, theme, lanes)
        self._samples: tuple[Sample, ...] = ()
        self.file = ""
        self._was_empty = True
        # The flow's job, what makes a KeptResult of its results, the shown result, and the job that saves it.
        self._job: Job | None = None
        self._kept_from: Callable[[HeadResult], KeptResult]
        self.kept: KeptResult | None = None
        self._save_job: Job | None = None
        # The job that reads files, the first paper to fill, the files, the one that needs a password, all passwords.
        self._read_job: Job | None = None
        self._first_paper, self._paths, self._locked = 0, list[Path](), Path()
        self._passwords: dict[Path, str] = {}
        # The jobs that find and load the model; its folder, device and precision; whether there is none.
        self._find_job: Job | None = None
        self._load_job: Job | None = None
        self._loaded: tuple[str, str, str] | None = None
        self._no_model_found = False

    def build(self, desk: QWidget, papers: tuple[Paper, ...], panel: TextPanel) -> None:
        """Lay the page out, and load what it begins with."""
        self._papers, self._panel = papers, panel
        self.find_bar = FindBar(self.theme, self._searched)
        zoom = Zoom(self.workspace, self.theme, self._searched, self)
        self._language = LanguageLine(self.workspace, self.theme, self.lanes, self.HEAD)
        panel.add_line(self._language)
        drafts = Drafts(self.workspace.paths.drafts)
        self._drafts = [
            Draft(drafts, name, paper.text, self.lanes, self)
            for name, paper in zip(self.DRAFTS, papers, strict=True)
        ]
        desk.setProperty("kind", "desk")
        desk.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        left = QWidget()
        column(self.theme, self.find_bar, (desk, 1), parent=left)
        self._splitter = Panes()
        self._splitter.addWidget(left)
        self._splitter.addWidget(panel)
        self._splitter.setStretchFactor(0, 1)
        self.restore_splitter()
        column(self.theme, self._splitter, parent=self)
        self._connect_all()
        self.add_shortcuts(
            ("Ctrl+Return", self.run), ("Ctrl+Enter", self.run), ("Ctrl+O", self._choose_file),
            ("Ctrl+L", self._go_to_text), ("Ctrl+I", self._look_inside), *reading_keys(self.find_bar, zoom),
        )  # fmt: skip
        self.refresh()
        first = self.lanes.files.start(initial_content, self.workspace, self.DRAFTS, self.SAMPLES)
        self._first_job = first.then(self._begin)

    # The page's interface to the window

    def stop(self) -> bool:
        """Stop the flow and the reading of files; returns whether either was going on."""
        reading = self._stop_reading()
        if self._job is not None and self._job.running:
            self._job.stop()
            return True
        return reading

    def keep(self) -> None:
        """Save the splitter's sizes, the texts, and the result that a running flow has given so far."""
        self.save_splitter()
        if not self._first_job.running:
            for draft in self._drafts:
                draft.save_now()
        if self.working():
            save_result(self.workspace, self.KEY, self.HEAD, self._result_to_keep(), Silent())

    def shown(self) -> None:
        """Focus the text; find the model if that was not done, show its name and load it."""
        self._go_to_text()
        if self._find_job is None or self._no_model_found:  # one may have been installed since there was none
            self._find_model()

    def open_files(self, paths: list[Path]) -> None:
        """Put the texts of files on the papers, as many as there are papers; this can be undone."""
        self._read_files(self.paper_in_use() if len(paths) == 1 else 0, paths)

    def settings_changed(self) -> None:
        """Find the current model, and load it."""
        self._find_model()
        self._language.check_again()

    # For subclasses

    @Slot()
    def run(self) -> None:
        """Start the page's flow on `texts()`."""

    @Slot()
    def refresh(self) -> None:
        """Update what depends on the current texts."""

    def try_sample(self, index: int) -> None:
        """Put a sample on the papers and start the flow."""
        sample = self._samples[index]
        for paper, text in zip(self._papers, (sample.text, sample.second), strict=False):
            paper.replace(text)
        self.run()

    def show_result(self, kept: KeptResult) -> None:
        """Show a result and its texts."""

    def result_note(self, result: HeadResult) -> str:
        """The note for the status line on a result that has just come."""
        raise NotImplementedError

    def visit(self) -> Visit | None:
        """What the page Look inside is to inspect; None if there is nothing to inspect."""

    def texts(self) -> tuple[str, ...]:
        """The texts that the flow is run on."""
        return tuple(paper.text() for paper in self._papers)

    def is_outdated(self) -> bool:
        """Whether the shown result is one of other texts, or of another model."""
        return self.kept is not None and (self._panel.is_stale or self.texts() != self.kept.texts)

    @Slot(object)
    def show_progress(self, progress: Progress) -> None:
        """Show the flow's progress."""
        self._panel.strip.show_progress(progress)

    def splitter(self) -> tuple[str, list[int]]:
        """The name of the splitter's sizes in the settings, and their defaults."""
        return self.KEY, [self.theme.step(160), self.theme.step(96)]

    def restore_splitter(self) -> None:
        """Restore the splitter's sizes."""
        key, usual = self.splitter()
        self._splitter.set_widths(self.workspace.settings.splitters.get(key, usual))

    def save_splitter(self) -> None:
        """Save the splitter's sizes."""
        if self._splitter.isVisible():
            self.workspace.settings.splitters[self.splitter()[0]] = self._splitter.widths()

    def paper_in_use(self) -> int:
        """The index of the paper that a single file is opened in, and that is searched."""
        return 0

    # The flow

    def start(self, words: str, flow: Callable[..., object], request: object, way: str = "") -> None:
        """Start a flow with a request on `texts()`, replacing a running one.

        `words` are shown until it reports its progress; `way` is kept with its results.
        """
        texts, file = self.texts(), self.file
        self._kept_from = lambda result: KeptResult(texts, result, way, file)
        self.note.emit("")
        self._language.check(*(LanguageSubject(tr("This text"), text=paper.text()) for paper in self._papers))
        self._job = self.lanes.work.start(flow, self.workspace, request).replacing(self._job)
        self._job.name = tr("the work on {page}", page=self.TITLE)
        QueueStatus(self.lanes.work, self._job, self._panel.strip, words)
        self._job.then(
            self._done,
            self._failed,
            self._stopped,
            progress=self.show_progress,
            partial=self._partial_received,
        )

    def working(self) -> bool:
        """Whether the flow runs."""
        return self._job is not None and self._job.running

    @Slot(object)
    def _partial_received(self, result: HeadResult) -> None:
        self._show_kept(self._kept_from(result))

    @Slot(object)
    def _done(self, result: HeadResult) -> None:
        self._panel.strip.clear()
        self._show_kept(self._kept_from(result))
        self.note.emit(self.result_note(result))
        announce(self._panel, self._panel.spoken())
        self._keep_result()

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        self._panel.strip.clear()
        self.refresh()
        self.show_fault(error)
        if isinstance(error, EngineLost):
            self.lost.emit()

    @Slot()
    def _stopped(self) -> None:
        self._panel.strip.clear()
        self.refresh()
        self._keep_result()
        self.note.emit(tr("Stopped"))

    @Slot(object)
    def show_fault(self, error: BaseException) -> None:
        """Show an error in the panel."""
        self._panel.notice.show_error(error)

    @Slot()
    def _look_inside(self) -> None:
        if (visit := self.visit()) is not None:
            self.go.emit("inspect", visit)

    # The result, kept for the next start

    def _show_kept(self, kept: KeptResult) -> None:
        self._panel.is_stale = not kept.same_model
        self.kept = kept
        self.show_result(kept)
        self.refresh()

    def _keep_result(self) -> None:
        """Save the shown result in the files lane."""
        job = self.lanes.files.start_write(
            save_result, self.workspace, self.KEY, self.HEAD, self._result_to_keep()
        )
        self._save_job = job.replacing(self._save_job).then(failed=self.show_fault)

    def _result_to_keep(self) -> KeptResult | None:
        """The shown result; None if there is no text any more, or if no history is to be kept."""
        return self.kept if self.workspace.settings.keep_history and not self._is_empty() else None

    def _is_empty(self) -> bool:
        return all(paper.is_empty() for paper in self._papers)

    @Slot(object)
    def _restore_result(self, kept: KeptResult | None) -> None:
        """Show the result of an earlier session, unless a flow was started since or there is no text any more."""
        if kept is not None and self._job is None and not self._is_empty():
            self._show_kept(kept)

    # Texts

    @Slot(object)
    def _begin(self, first: tuple[tuple[str, ...], tuple[Sample, ...]]) -> None:
        texts, self._samples = first
        self._panel.set_samples(tuple(sample.title for sample in self._samples))
        if self._is_empty():
            self._was_empty = not any(texts)
            for paper, text in zip(self._papers, texts, strict=True):
                paper.start_with(text)
        self.refresh()
        if self.workspace.settings.keep_history:
            self.lanes.files.start(load_result, self.workspace, self.KEY, self.HEAD).then(
                self._restore_result
            )

    @Slot(int)
    def _sample_chosen(self, index: int) -> None:
        # The button disappears, and the keyboard focus with it.
        self._go_to_text()
        self.try_sample(index)

    @Slot()
    def _text_edited(self) -> None:
        self._panel.notice.hide()  # it was about the previous text
        self.file = ""
        for draft in self._drafts:
            draft.save_soon()
        self._language.check()  # with no text: its line was about the previous one
        if self._is_empty():
            self.kept = None
        self.refresh()
        if self._is_empty() != self._was_empty:
            self._was_empty = not self._was_empty
            self._keep_result()  # it goes with its text

    @Slot()
    def _go_to_text(self) -> None:
        self._papers[0].setFocus(Qt.FocusReason.ShortcutFocusReason)

    @Slot()
    def _choose_file(self) -> None:
        names = open_names(self, tr("Open a file"), "", localised(self.FILES))
        if names:
            self.open_files([Path(name) for name in names])

    def _read_files(self, number: int, paths: list[Path]) -> None:
        """Put the texts of files on the papers from a number on, as many as there are papers."""
        self._first_paper, self._paths, self._passwords = number, paths[: len(self._papers) - number], {}
        self._panel.notice.hide()
        self._panel.lock.put_away()
        self._read()

    @Slot()
    def _stop_reading(self) -> bool:
        """Stop reading files, or asking for a password; returns whether either was going on."""
        if self._read_job is not None and self._read_job.running:
            self._read_job.stop()
            return True
        asked = not self._panel.lock.isHidden()
        self._panel.lock.put_away()
        return asked

    def _read(self) -> None:
        strip = self._panel.strip
        strip.show_busy(tr("Opening {files}", files=_file_names([path.name for path in self._paths])))
        job = self.lanes.documents.start(read_documents, self.workspace, self._paths, self._passwords)
        self._read_job = job.replacing(self._read_job).then(
            self._read_done, self._read_failed, strip.clear, progress=strip.show_progress
        )

    @Slot(object)
    def _read_failed(self, error: BaseException) -> None:
        self._panel.strip.clear()
        if isinstance(error, FileLocked):
            self._locked = error.path
            self._panel.lock.ask(error.path.name, error.wrong)
        else:
            self.show_fault(error)

    @Slot(str)
    def _unlock(self, password: str) -> None:
        self._passwords = {**self._passwords, self._locked: password}
        self._panel.lock.put_away()
        self._read()

    @Slot(list)
    def _dropped(self, paths: list[Path]) -> None:
        paper: object = self.sender()
        number = next((n for n, one in enumerate(self._papers) if one is paper), 0)
        self._read_files(number, paths)

    @Slot(object)
    def _read_done(self, opened: tuple[Opened, ...]) -> None:
        self._panel.strip.clear()
        for paper, one in zip(self._papers[self._first_paper :], opened, strict=False):
            paper.replace(one.document.text)
        self.file = opened[0].document.name
        self.note.emit(tr("{files} opened", files=_file_names([one.document.name for one in opened])))
        self._papers[self._first_paper].setFocus()
        self.show_notes(opened)

    def show_notes(self, opened: tuple[Opened, ...]) -> None:
        """Show the notes on files that were read."""
        if notes := [note for one in opened for note in one.notes]:
            self._panel.notice.show_hint(" ".join(map(localised, notes)))

    @Slot()
    def _focus_searched(self) -> None:
        self._papers[self.paper_in_use()].setFocus(Qt.FocusReason.OtherFocusReason)

    def _searched(self) -> Searchable | None:
        paper = self._papers[self.paper_in_use()]
        return None if paper.is_empty() else paper.searched

    # The model: found and loaded before it is needed

    def _find_model(self) -> None:
        """Find the current model, and load it if the model or the device changed."""
        job = self.lanes.files.start(do, partial(self.workspace.find_model, self.HEAD))
        self._find_job = job.replacing(self._find_job).then(self._model_found, self._no_model)

    @Slot(object)
    def _model_found(self, card: ModelCard) -> None:
        self._no_model_found = False
        self._panel.show_model(card)
        settings = self.workspace.settings
        wanted = (card.folder, settings.device, settings.precision)
        if wanted == self._loaded:
            return
        self._drop_loading()
        self._loaded = wanted
        loading, name, _ = _LOADING[self.HEAD]
        self._note_model_state(localised(loading))
        job = self.lanes.work.start(load_head, self.workspace, self.HEAD)
        job.name = localised(name)
        self._load_job = job.then(self._model_ready, self._model_not_loaded)

    @Slot(object)
    def _model_ready(self, loaded: LoadedModel) -> None:
        ready = _LOADING[self.HEAD][-1]
        self._note_model_state(tr("{ready}, on {device}", ready=ready, device=loaded.device.title))

    @Slot(object)
    def _model_not_loaded(self, error: BaseException) -> None:
        """Note the error in the status line; the page shows it when the model is used."""
        self._loaded = None
        self._note_model_state(localised(fault_of(error).sentence))
        if isinstance(error, EngineLost):
            self.lost.emit()

    def _drop_loading(self) -> None:
        if self._load_job is not None:
            self._load_job.drop()
        self._loaded = None

    def _note_model_state(self, note: str) -> None:
        if self._job is None:  # a result's note is more useful
            self.note.emit(note)

    @Slot(object)
    def _no_model(self, error: BaseException) -> None:
        self._drop_loading()
        self._no_model_found = True
        fault = fault_of(error)
        self._panel.model.show_none(f"{localised(fault.sentence)} {localised(fault.hint)}".strip())

    @Slot(object)
    def _model_used(self, card: ModelCard) -> None:
        self.note.emit(tr("{model} is used for {page} now", model=card.title, page=self.TITLE))
        self._find_model()
        self.changed.emit(self.HEAD.value)

    def _connect_all(self) -> None:
        panel = self._panel
        self.find_bar.closed.connect(self._focus_searched)
        for draft in self._drafts:
            draft.failed.connect(self.show_fault)
        for paper in self._papers:
            paper.edited.connect(self._text_edited)
            paper.dropped.connect(self._dropped)
        panel.button.clicked.connect(self.run)
        panel.strip.stop_asked.connect(self.stop)
        panel.samples.chosen.connect(self._sample_chosen)
        panel.lock.entered.connect(self._unlock)
        panel.lock.cancelled.connect(self._stop_reading)
        panel.open.clicked.connect(self._choose_file)
        panel.model.settings.clicked.connect(partial(self.go.emit, "settings", None))
        self._language.used.connect(self._model_used)
        self._language.go.connect(self.go)
        self._language.failed.connect(self.show_fault)
