"""The page that classifies texts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from app.core import wording
from app.core.atomic import write_atomic
from app.core.inspection import Subject, Visit
from app.core.message import Message
from app.core.models import Head, ModelCard, ProblemType
from app.core.requests import TextsToClassify
from app.core.results import Classifications
from app.flows.heads.heads import classify
from app.flows.heads.kept import HeadResult, KeptResult
from app.flows.samples import CLASSIFY
from app.flows.workspace import Workspace
from app.ui.document.find_bar import IN_FIND_BAR
from app.ui.document.text.text_editor import TextEditor
from app.ui.heads.classify.result_table import ResultTable
from app.ui.heads.text_page import TextPage
from app.ui.heads.text_panel import TextPanel, centred, source_line
from app.ui.kit.boxes import row
from app.ui.kit.class_card import ClassCard
from app.ui.kit.file_dialog import as_file_name, save_name
from app.ui.kit.jobs import Lanes, do
from app.ui.kit.parts import plain_label, push_button
from app.ui.kit.score_bars import breakable, nice_label
from app.ui.kit.segments import Segments
from app.ui.kit.theme import Theme
from app.ui.kit.translation import tr

ONE, LINES = "one", "lines"
_TABLES = (".csv", ".tsv", ".xlsx", ".jsonl")
_MOST_LABELS_NAMED = 8


class ClassPanel(TextPanel):
    """The button Classify, the choice of what a text is, and the card of one text or the table of many."""

    ABOUT = (
        Message(
            "The model sums the text up in one list of numbers, and by that list each class gets its probability."
        ),
        Message("Classification from the pooled [CLS], BERT section 4.1."),
    )

    def __init__(self, theme: Theme) -> None:
        self.ways = Segments(
            theme, tr("What is a text"), ((ONE, tr("One text")), (LINES, tr("Each line is a text")))
        )
        button = push_button(theme, tr("Classify"), tip=tr("Classify  (Ctrl+Enter)"))
        self.card = ClassCard(theme)
        self.table = ResultTable(theme)
        self._table_tools = QWidget()
        self._summary = plain_label(type="small", ink="quiet")
        copy = push_button(theme, tr("Copy the table"))
        self.save = push_button(
            theme, tr("Save as CSV…"), name=tr("Save as CSV"), tip=tr("Save as CSV  (Ctrl+S)")
        )
        super().__init__(theme, self.ways, button, self.card)
        row(theme, (self._summary, 1), copy, self.save, gap=1.5, parent=self._table_tools)
        copy.clicked.connect(self._copy_table)
        self.add(self.table, 1)
        self.add(self._table_tools)
        self.invite.setText(tr("Every class gets its probability. A long text is read whole, not cut."))

    def way(self) -> str:
        """What a text is: ONE for all of it, LINES for each line."""
        return self.ways.selected()

    def arrange(self, *, empty: bool, known: bool) -> None:
        """Show the card or the table if there is a result of this way, else an invitation; `empty` without a text."""
        if empty:
            self.table.set_results((), ())
        one = self.way() == ONE
        self.set_inviting(empty)
        self.middle.setVisible(one or not known)
        self.card.setVisible(one and known)
        self.invite.setVisible(not (one and known))
        for widget in (self.table, self._table_tools):
            widget.setVisible(known and not one)

    def spoken(self) -> str:
        if self.way() == ONE:
            return self.card.accessibleDescription()
        return tr("{texts} classified", texts=self._summary.text())

    def show_results(self, texts: Sequence[str], result: Classifications, way: str, name: str = "") -> None:
        """Show the card of the only text, or a row for each result so far; `name` is that of the texts' file."""
        if way == ONE:
            self.card.show_item(result.items[0], source_line(result))
        else:
            self.table.set_results(texts, result.items)
            counted = Message("{n:,} text", "{n:,} texts", n=len(texts))
            if len(result.items) < len(texts):
                counted = Message("{done:,} of {texts}", done=len(result.items), texts=counted)
            self._summary.setText(tr("{texts} of {file}", texts=counted, file=name) if name else counted)

    def show_model(self, card: ModelCard) -> None:
        labels = [nice_label(label) for label in card.labels[:_MOST_LABELS_NAMED]]
        named = ", ".join(label if len(label) <= 40 else label[:39].rstrip() + "…" for label in labels)
        if more := len(card.labels) - len(labels):
            named = tr("{labels} and {more} more", labels=named, more=more)
        match card.problem:
            case ProblemType.SINGLE_LABEL:
                words = tr("{model} tells apart: {labels}", model=card.title, labels=named)
            case ProblemType.MULTI_LABEL:
                words = tr("{model} looks for: {labels}", model=card.title, labels=named)
            case ProblemType.REGRESSION:
                words = tr("{model} gives values of: {labels}", model=card.title, labels=named)
        self.model.show_model(breakable(words))

    @Slot()
    def _copy_table(self) -> None:
        self.table.clearSelection()
        QGuiApplication.clipboard().setText(self.table.copied())


def texts_of(text: str, way: str) -> tuple[str, ...]:
    """The texts to classify: the whole text, or each line that is not blank."""
    if way == ONE:
        return (text,) if text.strip() else ()
    return tuple(line.strip() for line in text.split("\n") if line.strip())


class ClassifyView(TextPage):
    """A text at the left and its classes at the right, or a table of classes if each line is a text."""

    KEY = "classify"
    TITLE = Message("Classify")
    ICON = "classify"
    SHORTCUTS = (
        ("Ctrl+Enter", Message("Classify")),
        ("Esc", Message("Stop")),
        ("Ctrl+F", Message("Find in the text")),
        IN_FIND_BAR,
        ("Ctrl+O", Message("Open a text file")),
        ("Ctrl+L", Message("Go to the text")),
        ("Ctrl+S", Message("Save the table as CSV")),
        ("Ctrl+I", Message("Look inside: how the model came to it")),
        ("Ctrl+C", Message("Copy the chosen rows, or the probabilities")),
    )
    HEAD = Head.CLASSIFICATION
    SAMPLES = CLASSIFY
    FILES = Message("Texts and tables (*.txt *.md *.csv *.tsv *.xlsx *.jsonl);;All files (*)")
    DRAFTS = ("classify",)
    _panel: ClassPanel

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__(workspace, theme, lanes)
        self._shown: dict[str, KeptResult] = {}  # the last result of each way
        self._editor = TextEditor(
            theme, tr("Text to classify"), tr("Type or paste a text, or drop a text file here.")
        )
        panel = ClassPanel(theme)
        self._way = LINES if workspace.settings.classify_lines else ONE  # what a text is
        panel.ways.select(self._way)
        panel.card.foot.look_requested.connect(self._look_inside)
        panel.ways.chosen.connect(self._way_chosen)
        panel.save.clicked.connect(self._save_table)
        self._editor.set_wrapped(self._way == ONE)
        self.build(centred(theme, self._editor), (self._editor,), panel)
        self.add_shortcuts(("Ctrl+S", self._save_table))

    def splitter(self) -> tuple[str, list[int]]:
        step = self.theme.step
        return f"classify-{self._way}", [step(160), step(96)] if self._way == ONE else [step(90), step(170)]

    def _read_files(self, number: int, paths: list[Path]) -> None:
        """Put a file's text on the paper; a table is sent on to the page Teach, which classifies many texts."""
        if tables := [path for path in paths if path.suffix.lower() in _TABLES]:
            self.go.emit("teach", ("labels", tables))
        else:
            super()._read_files(number, paths)

    # Classifying

    @Slot()
    def run(self) -> None:
        """Classify the text on the paper, replacing a running flow."""
        self._panel.notice.hide()
        texts = self.texts()
        if not texts:
            self._panel.notice.show_hint(
                tr("There is nothing to classify yet."), tr("Type or paste a text first.")
            )
            self._editor.setFocus()
            return
        words = tr("Getting ready to classify the text")
        if self._way == LINES:
            words = tr(
                "Getting ready to classify {n:,} text", "Getting ready to classify {n:,} texts", n=len(texts)
            )
        self.start(words, classify, TextsToClassify(texts), self._way)

    def result_note(self, result: HeadResult) -> str:
        assert isinstance(result, Classifications)
        time = wording.duration(result.seconds)
        if len(result.items) == 1:
            windows = Message("{n:,} window", "{n:,} windows", n=result.items[0].windows)
            return tr("1 text ({windows}) classified in {time}", windows=windows, time=time)
        return tr("{number:,} texts classified in {time}", number=len(result.items), time=time)

    def show_result(self, kept: KeptResult) -> None:
        assert isinstance(kept.result, Classifications)
        self._shown[kept.way] = kept
        self._panel.show_results(kept.texts, kept.result, kept.way, kept.name)

    def texts(self) -> tuple[str, ...]:
        return texts_of(self._editor.text(), self._way)

    @Slot()
    def refresh(self) -> None:
        empty = self._editor.is_empty()
        if empty:
            self._shown.clear()
        self._panel.arrange(empty=empty, known=self._way in self._shown)
        self._panel.set_outdated(self.is_outdated())

    def is_outdated(self) -> bool:
        shown = self._shown.get(self._way)
        return shown is not None and (self._panel.is_stale or self.texts() != shown.texts)

    def visit(self) -> Visit | None:
        shown = self._shown.get(self._way)
        if shown is None:
            return None
        text = shown.texts[0] if self._way == ONE else self._panel.table.chosen_text()
        title = " ".join(text.split())[:80]
        return Visit(Subject(Head.CLASSIFICATION, text), shown.result.model, title) if text else None

    # What a text is

    @Slot(str)
    def _way_chosen(self, way: str) -> None:
        self.save_splitter()
        self._way = way
        self.workspace.settings.classify_lines = way == LINES
        self._panel.ways.select(way)
        self._editor.set_wrapped(way == ONE)
        self.restore_splitter()
        self.refresh()

    # Saving the table

    @Slot()
    def _save_table(self) -> None:
        if self._way != LINES or not self._panel.table.row_count():
            return
        file = self._shown[LINES].name
        stem = as_file_name(Path(file).stem) + "-" if file else ""
        if name := save_name(self, tr("Save the table"), f"{stem}classified.csv", "CSV (*.csv)"):
            self.save_table_as(Path(name))

    def save_table_as(self, path: Path) -> None:
        """Write the table as CSV, in the files lane."""
        write = partial(write_atomic, path, self._panel.table.csv(), private=False)
        self.lanes.files.start(do, write).then(self._saved, self.show_fault)

    @Slot()
    def _saved(self) -> None:
        self.note.emit(tr("{n:,} row saved", "{n:,} rows saved", n=self._panel.table.row_count()))
