"""The files of a library that were not read or are gone, each with its reason."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QModelIndex, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QDialog, QHBoxLayout, QStyleOptionViewItem, QVBoxLayout, QWidget

from app.core.library import FileState, Library, LibraryFile, LibraryStatus
from app.core.wording import count
from app.flows.library.libraries import ledger
from app.flows.workspace import Workspace
from app.ui.kit.jobs import Lanes
from app.ui.kit.notice import Notice
from app.ui.kit.outside import open_folder
from app.ui.kit.parts import plain_label, push_button
from app.ui.kit.row_list import Index, RowDelegate, RowList, RowModel
from app.ui.kit.theme import Theme


class _FileDelegate(RowDelegate):
    """Paints a file's name, its reason, and its folder."""

    def row_height(self, index: Index) -> int:
        return self.line_height("strong") + 2 * self.line_height("small") + self._theme.step(6)

    def draw(self, painter: QPainter, rect: QRectF, row: LibraryFile, option: QStyleOptionViewItem) -> None:
        step, end, middle = self._theme.step, Qt.TextElideMode.ElideRight, Qt.TextElideMode.ElideMiddle
        self.draw_ground(painter, rect, option)
        self.draw_focus(painter, rect, option)
        line = rect.adjusted(step(3), step(2.5), -step(3), 0)
        path = Path(row.path)
        for text, font, ink, elide in (
            (path.name, "strong", "ink", middle),
            (row.why_unread, "small", "ink", end),
            (str(path.parent), "small", "ink_quiet", middle),
        ):
            line.setHeight(self.line_height(font))
            self.draw_text(painter, line, text, font, ink, elide=elide)
            line.translate(0, line.height() + (step(0.5) if font == "strong" else 0))


class Ledger(QDialog):
    """A sheet with the files of a library that were not read or are gone; it is deleted when it closes.

    `open_requested` carries the path of a file to open, which asks for its password where it has one.
    """

    open_requested = Signal(str)

    def __init__(
        self,
        workspace: Workspace,
        theme: Theme,
        lanes: Lanes,
        library: Library,
        status: LibraryStatus,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme, self._workspace, self._lanes = theme, workspace, lanes
        self._library, self._status = library, status
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(f"Files of {library.name}")
        self.setAccessibleName(f"Files of {library.name} that were not read")
        self.title = plain_label(library.name, type="title", wrap=False)
        self.words = plain_label(status.in_words, ink="quiet")
        self.list = RowList(
            theme, "Files that were not read", RowModel(_row_words), _FileDelegate(theme, line=True)
        )
        self.notice = Notice(theme)
        self.show_folder = push_button(theme, "Show in folder")
        self.act = push_button(theme, "Open")
        self.close_button = push_button(theme, "Close")
        foot = QHBoxLayout()
        foot.addWidget(self.show_folder)
        foot.addWidget(self.act)
        foot.addStretch(1)
        foot.addWidget(self.close_button)
        column = QVBoxLayout(self)
        for part in (self.title, self.words, self.notice):
            column.addWidget(part)
        column.addWidget(self.list, 1)
        column.addLayout(foot)
        edge = theme.step(6)
        column.setContentsMargins(edge, edge, edge, theme.step(4))
        column.setSpacing(theme.step(3))
        foot.setSpacing(theme.step(2))
        self.close_button.clicked.connect(self.accept)
        self.show_folder.clicked.connect(self._show_folder)
        self.act.clicked.connect(self._open)
        self.list.doubleClicked.connect(self._open)
        self.list.selectionModel().currentChanged.connect(self._chosen)
        self._chosen()
        self.resize(self.sizeHint())  # Qt's own choice is the least height of the list
        self.refresh()

    def files(self) -> tuple[LibraryFile, ...]:
        """The files shown."""
        model = self.list.model()
        return tuple(model.rows) if isinstance(model, RowModel) else ()

    @Slot()
    def refresh(self) -> None:
        """Read the ledger anew."""
        job = self._lanes.files.start_aside(ledger, self._workspace, self._library)
        job.done.connect(self._listed)
        job.failed.connect(self.notice.show_error)

    def sizeHint(self) -> QSize:
        return QSize(self._theme.step(175), self._theme.step(120))

    @Slot(object)
    def _listed(self, files: tuple[LibraryFile, ...]) -> None:
        unread = [file for file in files if file.state is not FileState.READ]
        there = count(sum(file.state is not FileState.GONE for file in files), "file")
        read = f"{len(files) - len(unread):,} of {there} read. The others:"
        words = read if unread else f"All of its {there} are read."
        self.words.setText("\n".join(filter(None, (self._status.unreachable_in_words, words))))
        model = self.list.model()
        if isinstance(model, RowModel):
            model.take(unread)
        self.list.setVisible(bool(unread))
        if unread:
            self.list.setCurrentIndex(self.list.model().index(0, 0))
            self.list.setFocus(Qt.FocusReason.OtherFocusReason)
        self._chosen()

    def _file(self) -> LibraryFile | None:
        at, files = self.list.currentIndex().row(), self.files()
        return files[at] if 0 <= at < len(files) else None

    @Slot()
    def _chosen(self, *_: QModelIndex) -> None:
        file = self._file()
        for button in (self.show_folder, self.act):
            button.setVisible(file is not None)
        is_locked = file is not None and file.state is FileState.LOCKED
        self.act.setText("Enter it" if is_locked else "Open")
        self.act.setAccessibleName("Enter the password" if is_locked else "Open")

    @Slot()
    def _show_folder(self) -> None:
        if (file := self._file()) is None:
            return
        folder = Path(file.path).parent
        if folder.is_dir():
            open_folder(folder, self.notice.show_not_shown, self)
        else:
            self.notice.show_hint("The folder is not there now.", str(folder))

    @Slot()
    def _open(self) -> None:
        if (file := self._file()) is not None:
            self.accept()
            self.open_requested.emit(file.path)


def _row_words(file: LibraryFile) -> tuple[str, str, str]:
    name = Path(file.path).name
    return name, f"{name}. {file.why_unread}", f"{file.path}\n{file.why_unread}"
