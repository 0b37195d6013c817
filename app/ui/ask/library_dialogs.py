"""The two dialogs of a library: what it is made of, and which of its files were not read whole."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QModelIndex, QRectF, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QPainter, QShortcut
from PySide6.QtWidgets import QLineEdit, QStyleOptionViewItem

from app.core.library import FileState, Library, LibraryFile, LibraryStatus
from app.core.wording import size
from app.flows.library.folders import SUFFIXES, Walk, suffixes_of, walk
from app.flows.library.libraries import has_scans, ledger
from app.ui.kit.boxes import flow
from app.ui.kit.file_dialog import DOCUMENTS, folder_name, open_names
from app.ui.kit.jobs import Flow, Job
from app.ui.kit.notice import Notice
from app.ui.kit.outside import show_in_folder
from app.ui.kit.page import Page, PageDialog
from app.ui.kit.parts import plain_label, push_button
from app.ui.kit.row_list import ROW, Index, RowDelegate, RowList, RowModel
from app.ui.kit.translation import localised, tr

_COUNT_AFTER_MS = 300
_MARGIN = 3  # beside the words of a row, in steps


class _FileDelegate(RowDelegate):
    """Draws a file or a folder: its name, for a file the whole reason why it was not read, and its parent folder."""

    def row_height(self, index: Index) -> int:
        return self.line_height("strong") + self.line_height("small") + self._theme.step(6)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        size, row, view = super().sizeHint(option, index), index.data(ROW), option.widget
        if isinstance(row, LibraryFile) and isinstance(view, RowList):
            room = view.viewport().width() - 2 * self._theme.step(_MARGIN)
            size += QSize(0, self.wrapped_height(row.why_unread, room))
        return size

    def draw(
        self, painter: QPainter, rect: QRectF, row: LibraryFile | str, option: QStyleOptionViewItem
    ) -> None:
        step, middle = self._theme.step, Qt.TextElideMode.ElideMiddle
        self.draw_ground(painter, rect, option)
        self.draw_focus(painter, rect, option)
        line = rect.adjusted(step(_MARGIN), step(2.5), -step(_MARGIN), 0)
        path = Path(row if isinstance(row, str) else row.path)
        line.setHeight(self.line_height("strong"))
        self.draw_text(painter, line, path.name or str(path), "strong", elide=middle)
        line.translate(0, line.height() + step(0.5))
        if isinstance(row, LibraryFile):
            line.setHeight(self.wrapped_height(row.why_unread, line.width()))
            self.draw_wrapped(painter, line, row.why_unread)
            line.translate(0, line.height())
        line.setHeight(self.line_height("small"))
        self.draw_text(painter, line, str(path.parent), "small", "ink_quiet", elide=middle)


class _LibraryDialog(PageDialog):
    """The base of both dialogs: a title, a line of text, a list of files, and buttons below it."""

    def __init__(self, page: Page, library: Library, title: str, list_name: str) -> None:
        super().__init__(page.theme, title, 175, 120, page)
        self._lanes, self._library = page.lanes, library
        self.title = plain_label(library.name, type="title")
        self.words = plain_label(ink="quiet")
        self.notice = Notice(page.theme)
        self.model = RowModel(_row_texts)
        self.list = RowList(page.theme, list_name, self.model, _FileDelegate(page.theme, line=True))
        self.list.setResizeMode(RowList.ResizeMode.Adjust)  # reasons are wrapped
        self.list.setLayoutMode(RowList.LayoutMode.Batched)  # of 20,000 rows, that takes seconds
        for part in (self.title, self.words, self.notice):
            self.column.addWidget(part)
        self.column.addWidget(self.list, 1)
        self.list.selectionModel().currentChanged.connect(self._chosen)

    def _show_rows(self, rows: Sequence[LibraryFile | str]) -> None:
        at = max(0, self.list.currentIndex().row())
        self.model.take(rows)
        self.list.setVisible(bool(rows))
        if rows:
            self.list.setCurrentIndex(self.model.index(min(at, len(rows) - 1), 0))
        self._chosen()

    def _look(self, flow: Flow, *arguments: object) -> Job:
        """Start a flow that may look at many files, and drop it when the dialog closes."""
        job = self._lanes.folders.start_aside(flow, *arguments).then(failed=self.notice.show_error)
        self.finished.connect(job.drop)
        return job

    @Slot()
    def _chosen(self, *_: QModelIndex) -> None:
        """React to another row being selected."""


class UnreadFiles(_LibraryDialog):
    """The files of a library that were not read whole or are gone, each with its reason, and how many were left out.

    `open_requested` carries a list with the path of a file to open; opening an encrypted file asks for its password.
    `recognise_requested` is sent when all scanned pages of the library are to be recognised.
    """

    open_requested = Signal(list)
    recognise_requested = Signal()

    def __init__(self, page: Page, library: Library, status: LibraryStatus) -> None:
        title = tr("Files of {library}", library=library.name)
        super().__init__(page, library, title, tr("Files that were not read"))
        self._workspace, self._status, theme = page.workspace, status, page.theme
        self.show_folder = push_button(theme, tr("Show in folder"))
        self.act = push_button(theme, tr("Open"))
        self.recognise = push_button(
            theme, tr("Recognise all scans"), tip=tr("Reads the pages that are pictures, some seconds each")
        )
        self.recognise.hide()
        self.close_button = push_button(theme, tr("Close"))
        for button in (self.show_folder, self.act):
            self.foot.addWidget(button)
        self.foot.addStretch(1)
        self.foot.addWidget(self.recognise)
        self.foot.addWidget(self.close_button)
        self.left_out = plain_label(ink="quiet")
        self.left_out.hide()
        self.column.insertWidget(self.column.indexOf(self.notice), self.left_out)
        self.words.setText(status.in_words)
        self.close_button.clicked.connect(self.accept)
        self.show_folder.clicked.connect(self._show_folder)
        self.act.clicked.connect(self._open)
        self.recognise.clicked.connect(self.accept)
        self.recognise.clicked.connect(self.recognise_requested)
        self.list.doubleClicked.connect(self._open)
        self._chosen()
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Read the ledger again, and look for scans, and in the folders for files of other kinds."""
        job = self._lanes.files.start_aside(ledger, self._workspace, self._library)
        job.then(self._listed, self.notice.show_error)
        self._look(has_scans, self._workspace, self._library).then(self.recognise.setVisible)
        self._look(walk, self._library).then(self._walked)

    @Slot(object)
    def _listed(self, files: tuple[LibraryFile, ...]) -> None:
        unread = [file for file in files if file.why_unread]
        words = tr("Every file has been read.")
        if unread:
            words = tr(
                "{read:,} of {n:,} file read. Not read, or only in part:",
                "{read:,} of {n:,} files read. Not read, or only in part:",
                read=sum(file.state is FileState.READ for file in files),
                n=sum(file.state is not FileState.GONE for file in files),
            )
        unreachable = localised(self._status.unreachable_in_words)
        self.words.setText("\n".join(filter(None, (unreachable, words))))
        self._show_rows(unread)
        if unread:
            self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot(object)
    def _walked(self, found: Walk) -> None:
        self.left_out.setText(tr("Files of other kinds, left out: {kinds}", kinds=found.other_kinds))
        self.left_out.setVisible(bool(found.left_out))

    def _file(self) -> LibraryFile | None:
        file: LibraryFile | None = self.list.currentIndex().data(ROW)
        return file

    @Slot()
    def _chosen(self, *_: QModelIndex) -> None:
        file = self._file()
        for button in (self.show_folder, self.act):
            button.setVisible(file is not None)
        is_locked = file is not None and file.state is FileState.LOCKED
        self.act.setText(tr("Enter it") if is_locked else tr("Open"))
        self.act.setAccessibleName(tr("Enter the password") if is_locked else tr("Open"))

    @Slot()
    def _show_folder(self) -> None:
        if (file := self._file()) is not None:
            show_in_folder(file.path, self.notice.show_unopened, self)

    @Slot()
    def _open(self) -> None:
        if (file := self._file()) is not None:
            self.accept()
            self.open_requested.emit([Path(file.path)])


class Contents(_LibraryDialog):
    """What a library is made of: folders and files, the kinds of files taken from folders, and what is left out.

    The documents are counted before it can be saved. `saved` carries the Library before and after the change.
    """

    saved = Signal(object, object)

    def __init__(self, page: Page, library: Library) -> None:
        title = tr("Folders and kinds of {library}", library=library.name)
        super().__init__(page, library, title, tr("Folders and single files"))
        theme = page.theme
        self._counting: Job | None = None
        more = [f"+{each}" for each in library.suffixes if each not in SUFFIXES]
        self.suffixes = QLineEdit(", ".join(more if set(library.suffixes) >= SUFFIXES else library.suffixes))
        self.suffixes.setPlaceholderText(
            tr("Documents of every kind; or pdf, docx; or +xml for these as well")
        )
        self.ignore = QLineEdit(", ".join(library.ignore))
        self.ignore.setPlaceholderText(tr("Nothing; or drafts/*, *copy*"))
        self.add_folder = push_button(theme, tr("Add a folder…"))
        self.add_files = push_button(theme, tr("Add files…"))
        self.take_out = push_button(theme, tr("Take out"), tip=tr("No document is touched  (Del)"))
        self.save = push_button(theme, tr("Save"), kind="primary")
        self.cancel = push_button(theme, tr("Cancel"))
        above = flow(theme, self.add_folder, self.add_files, self.take_out)
        place = self.column.indexOf(self.list) + 1
        self.column.insertLayout(place, above)
        for title, field in (
            (tr("Only files of these kinds"), self.suffixes),
            (tr("Leave out names or folders like these"), self.ignore),
        ):
            heading = plain_label(title, type="small_strong", ink="quiet")
            heading.setBuddy(field)
            field.setAccessibleName(title)
            field.textChanged.connect(self._changed)
            for part in (heading, field):
                place += 1
                self.column.insertWidget(place, part)
        self.foot.addStretch(1)
        self.foot.addWidget(self.cancel)
        self.foot.addWidget(self.save)
        self.save.setDefault(True)
        self._count_soon = QTimer(self, singleShot=True, interval=_COUNT_AFTER_MS)
        self._count_soon.timeout.connect(self._count)
        self.add_folder.clicked.connect(self._choose_folder)
        self.add_files.clicked.connect(self._choose_files)
        self.take_out.clicked.connect(self._take_out)
        QShortcut("Del", self.list, self._take_out, context=Qt.ShortcutContext.WidgetShortcut)
        self.save.clicked.connect(self._save)
        self.cancel.clicked.connect(self.reject)
        self._show_rows(library.roots)
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)
        self._changed()

    def library(self) -> Library:
        """Return the library as the dialog has it now."""
        suffixes = suffixes_of(re.split(r"[,;\s]+", self.suffixes.text()))
        ignore = dict.fromkeys(each.strip() for each in re.split(r"[,;]", self.ignore.text()))
        return replace(
            self._library,
            roots=self.model.rows,
            suffixes=suffixes,
            ignore=tuple(filter(None, ignore)),
        )

    @Slot()
    def _changed(self) -> None:
        self.words.setText(tr("Looking at the files…"))
        self.save.setEnabled(False)
        self._count_soon.start()

    @Slot()
    def _count(self) -> None:
        """Count the documents that the library would have."""
        self._counting = self._look(walk, self.library()).replacing(self._counting).then(self._show_count)

    @Slot(object)
    def _show_count(self, found: Walk) -> None:
        taken = tr(
            "{n:,} document, {size}", "{n:,} documents, {size}", n=len(found.files), size=size(found.size)
        )
        parts = [taken]
        if found.left_out:
            parts.append(tr("left out: {kinds}", kinds=found.other_kinds))
        if found.missing:
            parts.append(tr("“{folder}” is not there now", folder=found.missing[0]))
        self.words.setText("; ".join(parts))
        self.save.setText(tr("Save and read them") if found.is_large else tr("Save"))
        self.save.setEnabled(bool(self.library().roots))

    def _add(self, paths: Sequence[str]) -> None:
        self._show_rows(tuple(dict.fromkeys((*self.library().roots, *map(str, map(Path, paths))))))
        self._changed()

    @Slot()
    def _choose_folder(self) -> None:
        if name := folder_name(
            self, tr("Add a folder to {library}", library=self._library.name), show_files=True
        ):
            self._add([name])

    @Slot()
    def _choose_files(self) -> None:
        title = tr("Add files to {library}", library=self._library.name)
        self._add(open_names(self, title, "", DOCUMENTS))

    @Slot()
    def _take_out(self) -> None:
        at, roots = self.list.currentIndex().row(), self.library().roots
        if 0 <= at < len(roots):
            self._show_rows((*roots[:at], *roots[at + 1 :]))
            self._changed()

    @Slot()
    def _chosen(self, *_: QModelIndex) -> None:
        self.take_out.setEnabled(self.list.currentIndex().isValid())

    @Slot()
    def _save(self) -> None:
        self.accept()
        if self.library() != self._library:
            self.saved.emit(self._library, self.library())


def _row_texts(row: LibraryFile | str) -> tuple[str, str, str]:
    if isinstance(row, str):
        return Path(row).name or row, row, row
    name, why = Path(row.path).name, localised(row.why_unread)
    return name, f"{name}. {why}", f"{row.path}\n{why}"
