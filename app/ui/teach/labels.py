"""The section Labels: the texts of a table get labels of the person's own, and a classifier learns them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QInputDialog, QLineEdit, QStackedWidget, QWidget

from app.core.errors import EngineLost
from app.core.labels import ENOUGH
from app.core.message import Message
from app.core.models import Head
from app.core.report import Progress
from app.core.wording import first_words
from app.flows.workspace import Workspace
from app.ui.kit.boxes import column
from app.ui.kit.confirmation import Confirmation
from app.ui.kit.file_dialog import as_file_name, filter_of, open_name, save_name
from app.ui.kit.jobs import Lanes
from app.ui.kit.sectioned import Section
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr
from app.ui.teach.desk import Desk
from app.ui.teach.figures import Figures
from app.ui.teach.head import FIGURES, LABEL, TEXTS, TeachHead, Welcome
from app.ui.teach.setup import Setup
from app.ui.teach.store import TeachStore
from app.ui.teach.texts import Texts

if TYPE_CHECKING:
    from app.flows.teach.datasets import ReadTable

TABLES = Message("Tables (*.csv *.tsv *.xlsx *.jsonl *.xz *.txt);;All files (*)")


class LabelsSection(Section):
    """The texts of a data set, labelled one by one or many at once, and the figures of the classifier that learns them.

    `changed` carries "models" when a classifier was taught, and the head's value when another one is to be used.
    """

    KEY = "labels"
    TITLE = Message("Labels")
    SHORTCUTS = (
        ("1 … 9", Message("Give the text, or the chosen ones, this label")),
        ("Space", Message("Another text first")),
        ("U, Ctrl+Z", Message("Take the last label back")),
        ("Ctrl+Y", Message("Give it again")),
        ("Del", Message("Take the label of the text back")),
        ("Enter", Message("Several labels: give the chosen ones; in the table: open the text")),
        ("Ctrl+F", Message("Search the texts")),
        ("Ctrl+O", Message("Open a table")),
        ("Esc", Message("Stop teaching")),
    )

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__(workspace, theme, lanes)
        self.store = TeachStore(workspace, lanes, self)
        self.head = TeachHead(theme)
        self.removal = Confirmation(theme, tr("Remove it"), is_band=True)
        self.losing = Confirmation(theme, tr("Save the labels"), tr("Go back"), is_band=True)
        self.welcome, self.setup = Welcome(theme), Setup(theme)
        self.desk, self.texts, self.figures = Desk(theme), Texts(theme), Figures(theme)
        self._with_model: Path | None = None
        self._sample: Path | None = None
        self._lay_out()
        self._connect()
        self.store.load()

    # The section's interface to the page

    @Slot(list)
    def open_files(self, paths: list[Path]) -> None:
        """Read a table of texts, to ask about its labels."""
        if paths:
            self.notice.hide()
            self.store.read(paths[0], self._read)

    def receive(self, argument: object) -> None:
        """Read a table of texts, to classify them with a model that is installed."""
        assert isinstance(argument, list)
        self._with_model = argument[0]
        self.open_files(argument)

    @Slot()
    def stop(self) -> bool:
        """Leave the form or the welcome, or stop teaching."""
        current = self._stack.currentWidget()
        if current is self.setup or (current is self.welcome and self.store.dataset is not None):
            self._leave()
            return True
        return self.store.stop()

    def keep(self) -> None:
        """Save labels that could not be saved before."""
        self.store.keep()

    def shown(self) -> None:
        self._focus()

    # Tables

    @Slot()
    def _choose(self) -> None:
        if name := open_name(self, tr("Open a table of texts"), localised(TABLES)):
            self.open_files([Path(name)])

    @Slot()
    def _paste(self) -> None:
        from app.flows.teach.datasets import ReadTable
        from app.flows.teach.files import table_from_text

        try:
            table = table_from_text(QGuiApplication.clipboard().text())
        except Exception as error:
            self.notice.show_error(error)
            return
        self._read(ReadTable(None, table))

    @Slot()
    def _try_sample(self) -> None:
        self._sample = self.workspace.paths.example_sets / "reviews.jsonl"
        self.open_files([self._sample])

    @Slot(object)
    def _read(self, found: ReadTable) -> None:
        self.losing.withdraw()
        path = found.path or Path()
        self.setup.show_table(found, with_model=path == self._with_model, unlabelled=path == self._sample)
        self._with_model = self._sample = None
        self._stack.setCurrentWidget(self.setup)
        self.head.hide()

    @Slot()
    def _begin(self) -> None:
        from app.flows.teach.datasets import checked_labels

        setup, wanted = self.setup, self.setup.wanted()
        try:
            if setup.dataset is not None:
                checked_labels(wanted, setup.dataset.multi)
                gone = set(setup.removed())
                losing = sum(bool(gone.intersection(given.labels)) for given in self.store.given.values())
                if losing:
                    self.losing.ask(
                        tr(
                            "This takes a label from {n:,} text.",
                            "This takes a label from {n:,} texts.",
                            n=losing,
                        )
                    )
                else:
                    self._change_labels()
            else:
                table, multi, card = setup.chosen_table(), setup.multi.isChecked(), setup.model
                if table.label_column < 0:
                    checked_labels(wanted, multi)
                model = card.folder if card is not None else ""
                self.store.make(
                    table, setup.name.text(), wanted, multi=multi, source=setup.source, model=model
                )
        except Exception as error:
            setup.notice.show_error(error)

    @Slot()
    def _change_labels(self) -> None:
        self.store.change_labels(self.setup.wanted(), self.setup.renamed())

    @Slot()
    def _loaded(self) -> None:
        store, dataset = self.store, self.store.dataset
        self.head.show_datasets(store.datasets, dataset)
        if dataset is None:
            self.head.hide()
            self.welcome.cancel.hide()
            if self._stack.currentWidget() is not self.setup:
                self._stack.setCurrentWidget(self.welcome)
            return
        self.desk.show_labels(dataset.names, multi=dataset.multi)
        self._show_all()

    @Slot()
    def _opened(self) -> None:
        """Show the data set that the person has chosen, made or changed."""
        self.losing.withdraw()
        if self.store.dataset is not None:
            self.texts.show_everything()
            self.desk.row = -1
            self._show_next()
            self._show_part()

    @Slot(str)
    def _act(self, key: str) -> None:
        dataset = self.store.dataset
        match key:
            case "new":
                self.welcome.cancel.setVisible(dataset is not None)
                self._stack.setCurrentWidget(self.welcome)
                self.welcome.open.setFocus(Qt.FocusReason.OtherFocusReason)
            case "labels" if dataset is not None:
                self.setup.show_dataset(dataset)
                self._stack.setCurrentWidget(self.setup)
            case "rename" if dataset is not None:
                name, wanted = QInputDialog.getText(
                    self, tr("Rename"), tr("Name"), QLineEdit.EchoMode.Normal, dataset.name
                )
                if wanted:
                    self.store.rename(name)
            case "use" if dataset is not None:
                self.workspace.settings.models[Head.CLASSIFICATION] = dataset.model
                self.changed.emit(Head.CLASSIFICATION.value)
                self.note.emit(tr("The page Classify now uses {model}", model=Path(dataset.model).name))
            case "remove" if dataset is not None:
                self.removal.ask(
                    tr(
                        "Remove “{name}” with {n:,} label of yours? Its classifier stays.",
                        "Remove “{name}” with {n:,} labels of yours? Its classifier stays.",
                        name=dataset.name,
                        n=len(self.store.given),
                    )
                )

    # Labels

    @Slot(int, list)
    def _given(self, row: int, labels: list[str]) -> None:
        self.store.give([row], labels)
        self._show_next()

    @Slot(int)
    def _skip(self, row: int) -> None:
        self.store.skip(row)
        self._show_next()

    @Slot(list, str)
    def _label_many(self, rows: list[int], label: str) -> None:
        self.store.give(rows, [label], seen=True)
        self.note.emit(
            tr(
                "{n:,} text labelled {label}; Ctrl+Z takes it back",
                "{n:,} texts labelled {label}; Ctrl+Z takes it back",
                n=len(rows),
                label=label,
            )
        )

    @Slot()
    def _undo(self) -> None:
        self._go_to(self.store.undo(), tr("There is nothing to undo"))

    @Slot()
    def _redo(self) -> None:
        self._go_to(self.store.redo(), tr("There is nothing to redo"))

    def _go_to(self, rows: list[int], otherwise: str) -> None:
        if not rows:
            self.note.emit(otherwise)
        elif self._stack.currentWidget() is self.desk:
            self._show_text(rows[0])

    @Slot(int)
    def _open_text(self, row: int) -> None:
        self.head.parts.select(LABEL)
        self._show_text(row)
        self._show_part()

    @Slot(list, str)
    def _show_only(self, rows: list[int], title: str) -> None:
        self.head.parts.select(TEXTS)
        self._show_part()
        self.texts.show_only(rows, title)

    def _show_next(self) -> None:
        row = self.store.next_row(self.desk.row, in_order=self.desk.in_order.isChecked())
        self._show_text(row if row >= 0 else max(0, self.desk.row))

    def _show_text(self, row: int) -> None:
        store, dataset = self.store, self.store.dataset
        if dataset is None or not store.texts:
            return
        row = min(row, len(store.texts) - 1)
        mine = store.given.get(row)
        others = " · ".join(
            f"{name} {first_words(cell, 40)}"
            for at, (name, cell) in enumerate(zip(dataset.columns, store.rows[row], strict=False))
            if at != dataset.text_column and cell.strip()
        )
        guess = store.probabilities(row) if mine is not None or store.shows_guess(row) else []
        labels = mine.labels if mine is not None else None
        self.desk.show_text(row, store.texts[row], others, labels, guess, store.given_counts)
        about = self._about()
        if mine is None and not guess and store.probabilities(row):
            about = tr("The guess is hidden for this text, to see whether guesses lead you.")
        self.desk.show_about(about, undo=store.can_undo, redo=store.can_redo)

    def _about(self) -> str:
        store = self.store
        missing = store.missing()
        if not store.given and store.guesses is not None and not store.guesses.taught:
            return tr(
                "The bars are a first guess by the labels’ words alone."
                " Label {enough} texts of each, and a classifier is taught.",
                enough=ENOUGH,
            )
        if missing:
            few = ", ".join(f"{name} {number}" for name, number in list(missing.items())[:4])
            if len(missing) <= 4:
                return tr("Still needed before a classifier is taught: {labels}.", labels=few)
            return tr(
                "Still needed before a classifier is taught: {labels} and {more} more.",
                labels=few,
                more=len(missing) - 4,
            )
        if store.guesses is not None and store.guesses.taught:
            return tr("The bars are the classifier’s guess. It is taught again as you go on.")
        return tr("The classifier is being taught; go on labelling.") if store.is_teaching else ""

    # What is shown

    @Slot()
    def _show_all(self) -> None:
        """Show all labels and guesses, in the part that is shown."""
        self._show_changed(None)

    @Slot(list)
    def _show_changed(self, rows: list[int] | None) -> None:
        """Show the labels of these rows, or for None all labels and guesses."""
        store, dataset = self.store, self.store.dataset
        if dataset is None:
            return
        self.head.words.setText(
            tr(
                "{given:,} of {n:,} text labelled",
                "{given:,} of {n:,} texts labelled",
                given=len(store.given),
                n=len(store.texts),
            )
        )
        self.head.teach.setEnabled(not store.missing() and not store.is_teaching)
        current = self._stack.currentWidget()
        if current is self.desk and self.desk.row >= 0:
            self._show_text(self.desk.row)
        elif current is self.texts:
            if rows is None:
                self.texts.show_rows(store.all_rows, dataset.names)
            else:
                self.texts.show_changed([store.all_rows[row] for row in rows])
            self.texts.show_counts(store.shown_counts())
        elif current is self.figures:
            self.figures.show_figures(
                dataset, store.held_out, store.given, store.texts,
                teaching=store.is_teaching, unmeasured=store.is_unmeasured,
            )  # fmt: skip

    @Slot()
    def _show_part(self) -> None:
        self.losing.withdraw()
        parts = {LABEL: self.desk, TEXTS: self.texts, FIGURES: self.figures}
        self.head.show()
        self._stack.setCurrentWidget(parts[self.head.parts.selected() or LABEL])
        self._show_all()
        self._focus()

    @Slot(object)
    def _show_teaching(self, progress: Progress | None) -> None:
        if progress is None:
            self.head.strip.clear()
            if self._stack.currentWidget() is self.figures:
                self._show_all()
        else:
            self.head.strip.show_progress(progress)
        self.head.teach.setEnabled(not self.store.missing() and not self.store.is_teaching)

    @Slot()
    def _taught(self) -> None:
        self.note.emit(
            tr(
                "A classifier was taught from {n:,} text",
                "A classifier was taught from {n:,} texts",
                n=len(self.store.given),
            )
        )

    @Slot()
    def _classifier_changed(self) -> None:
        self.changed.emit("models")

    @Slot()
    def _focus(self) -> None:
        current = self._stack.currentWidget()
        if current is self.texts:
            self.texts.list.setFocus(Qt.FocusReason.OtherFocusReason)
        elif current is self.desk:
            self.desk.setFocus(Qt.FocusReason.OtherFocusReason)
        elif current is self.welcome:
            self.welcome.open.setFocus(Qt.FocusReason.OtherFocusReason)

    def search(self) -> None:
        if self.store.dataset is not None:
            self.head.parts.select(TEXTS)
            self._show_part()
            self.texts.search.go_in()

    # Export

    @Slot(str)
    def _ask_export(self, kind: str) -> None:
        dataset = self.store.dataset
        if dataset is not None:
            kinds = filter_of(kind)
            if name := save_name(self, tr("Export the labels"), f"{as_file_name(dataset.name)}{kind}", kinds):
                self.export_to(Path(name))

    def export_to(self, path: Path) -> None:
        """Write the table with its labels, in the format of the file's extension."""
        from app.flows.teach.datasets import export_dataset

        store = self.store
        probabilities = store.guesses.probabilities if store.guesses is not None else None
        self.lanes.documents.start(
            export_dataset, self.workspace, store.dataset, dict(store.given), probabilities, path
        ).then(self._exported, self.notice.show_error)

    @Slot(object)
    def _exported(self, rows: int) -> None:
        self.note.emit(tr("{n:,} row exported", "{n:,} rows exported", n=rows))

    # Layout

    def _lay_out(self) -> None:
        self._stack = QStackedWidget()
        for widget in (QWidget(), self.welcome, self.setup, self.desk, self.texts, self.figures):
            self._stack.addWidget(widget)
        # With a data set to come, the page stays empty, so that nothing flashes up before it.
        if not self.workspace.settings.last_labels:
            self._stack.setCurrentWidget(self.welcome)
        messages = column(self.theme, self.notice, margins=(5, 0, 5, 0))
        column(self.theme, self.head, self.removal, self.losing, messages, (self._stack, 1), parent=self)
        self.head.hide()

    def _connect(self) -> None:
        store, head, desk = self.store, self.head, self.desk
        store.loaded.connect(self._loaded)
        store.opened.connect(self._opened)
        store.given_changed.connect(self._show_changed)
        store.guessed.connect(self._show_all)
        store.teaching.connect(self._show_teaching)
        store.taught.connect(self._taught)
        store.classifier_changed.connect(self._classifier_changed)
        store.failed.connect(self._failed)
        head.title.chosen.connect(store.load)
        head.title.acted.connect(self._act)
        head.export.exported.connect(self._ask_export)
        head.parts.chosen.connect(self._show_part)
        head.teach.clicked.connect(store.teach)
        head.strip.stop_asked.connect(store.stop)
        self.removal.confirmed.connect(store.remove)
        self.losing.confirmed.connect(self._change_labels)
        self.welcome.open.clicked.connect(self._choose)
        self.welcome.paste.clicked.connect(self._paste)
        self.welcome.sample.clicked.connect(self._try_sample)
        self.welcome.cancel.clicked.connect(self._show_part)
        self.setup.begun.connect(self._begin)
        self.setup.left.connect(self._leave)
        desk.given.connect(self._given)
        desk.skipped.connect(self._skip)
        desk.cleared.connect(store.take_back)
        desk.undo_asked.connect(self._undo)
        desk.redo_asked.connect(self._redo)
        self.texts.opened.connect(self._open_text)
        self.texts.labelled.connect(self._label_many)
        self.texts.cleared.connect(store.take_back)
        self.figures.opened.connect(self._show_only)
        self.figures.measure.clicked.connect(store.measure)
        self.add_shortcuts(
            ("Ctrl+Z", self._undo), ("Ctrl+Y", self._redo), ("Ctrl+Shift+Z", self._redo),
            ("Ctrl+O", self._choose),
        )  # fmt: skip

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        (self.setup.notice if self._stack.currentWidget() is self.setup else self.notice).show_error(error)
        if isinstance(error, EngineLost):
            self.lost.emit()

    @Slot()
    def _leave(self) -> None:
        """Go back to the data set, or without one to the welcome."""
        self.losing.withdraw()
        if self.store.dataset is not None:
            self._show_part()
        else:
            self._stack.setCurrentWidget(self.welcome)
