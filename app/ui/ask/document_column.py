"""The column at the left of the page: a search, the list of documents, and a button that adds a folder."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QFrame, QMenu, QWidget

from app.ui.ask.document_list import DocumentListView
from app.ui.ask.document_rows import (
    Files,
    Part,
    Row,
    all_rows,
    files_of,
    pages,
    row_of_library,
    row_of_reading,
)
from app.ui.ask.files import DocumentFiles
from app.ui.ask.sheet import Sheet
from app.ui.ask.sheets import Sheets
from app.ui.kit.boxes import column
from app.ui.kit.confirmation import Confirmation
from app.ui.kit.page import Page
from app.ui.kit.parts import push_button
from app.ui.kit.search_line import SearchLine
from app.ui.kit.translation import tr

if TYPE_CHECKING:
    from app.core.library import Library, LibraryFile
    from app.core.report import Progress
    from app.ui.kit.libraries import Libraries

# In steps: the column's width, and the page's least width at which the column stands beside the document.
_WIDE, _ROOM_BESIDE = 59, 250
_FILL_LATER_MS = 400


class DocumentColumn(QFrame):
    """The list of documents at the left of its parent page, whose layout leaves room for it.

    Where the page is too narrow, the column covers the document, until the keyboard focus leaves it. `open_asked`
    carries the paths of files to open, `ask_asked` the number of a library to ask, `unread_asked` the number of one
    whose unread files are to be shown; `left` is sent when an open document was brought to the front, and when the
    column was hidden while it had the focus; `placed` carries whether it is shown; `not_shown` carries a sentence, a
    hint and the path of a folder that no program opened. `confirmation` asks before a library is removed; the page lays
    it out.
    """

    open_asked = Signal(list)
    ask_asked = Signal(int)
    unread_asked = Signal(int)
    left = Signal()
    placed = Signal(bool)
    not_shown = Signal(str, str, str)

    def __init__(self, page: Page, sheets: Sheets, files: DocumentFiles, libraries: Libraries) -> None:
        super().__init__(page)
        self._workspace, self._lanes, self._sheets, self._page = page.workspace, page.lanes, sheets, page
        theme = self._theme = page.theme
        self._libraries = libraries
        self._files: dict[int, Files] = {}
        self._loading: set[int] = set()
        self._removing: Library | None = None
        self._covers_document = False
        self.search = SearchLine(theme, tr("Find a document"))
        self.list = DocumentListView(theme)
        self.add = push_button(
            theme, tr("Add a folder…"), tip=tr("Keep a folder as a library: all its documents can be asked")
        )
        self.confirmation = Confirmation(theme, tr("Remove it"), is_band=True)
        self.setProperty("kind", "column")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(tr("Documents"))
        column(theme, self.search, (self.list, 1), self.add, gap=2, margins=(2.5, 2.5, 2.5, 3), parent=self)
        self._fill_soon = QTimer(self, interval=0, singleShot=True)
        self._fill_later = QTimer(self, interval=_FILL_LATER_MS, singleShot=True)
        for timer in (self._fill_soon, self._fill_later):
            timer.timeout.connect(self._fill)
        self.search.searched.connect(self._searched)
        self.search.down_requested.connect(self._go_down)
        self.list.up_requested.connect(self.search.go_in)
        self.list.typed.connect(self._typed)
        self.list.chosen.connect(self._chosen)
        self.list.close_asked.connect(self._close)
        self.list.menu_asked.connect(self._show_menu)
        self.list.renamed.connect(self._rename)
        self.add.clicked.connect(self.add_folder)
        self.confirmation.confirmed.connect(self._remove)
        sheets.created.connect(self._sheet_created)
        sheets.shown.connect(self.refill)
        sheets.added.connect(self.refill)
        sheets.closing.connect(self.refill)
        files.opened.connect(self.refill)
        libraries.changed.connect(self._libraries_changed)
        libraries.progressed.connect(self._progressed)
        libraries.read.connect(self._file_read)
        libraries.added.connect(self._expand)
        libraries.updated.connect(self._reload)
        theme.changed.connect(self.place)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._focus_changed)

    # Place and visibility

    @property
    def has_room(self) -> bool:
        """Whether the column stands beside the document and does not cover it."""
        return self._page.width() >= self._theme.step(_ROOM_BESIDE)

    @Slot()
    def place(self) -> None:
        """Place the column beside the document, or over it where it was called up there."""
        beside = self.has_room
        if beside:
            self._covers_document = False
        is_shown = self._workspace.settings.document_list if beside else self._covers_document
        wide = self._theme.step(_WIDE)
        layout = self._page.layout()
        if layout is not None:
            layout.setContentsMargins(wide if beside and is_shown else 0, 0, 0, 0)
        self.setGeometry(0, 0, wide, self._page.height())
        self.setVisible(is_shown)
        self.placed.emit(is_shown)
        if is_shown:
            self.raise_()

    @Slot()
    def toggle(self) -> None:
        """Show the column, with the focus on its search, or hide it."""
        focused = QApplication.focusWidget()
        had_focus = focused is not None and self.isAncestorOf(focused)
        shows = self.isHidden()
        if self.has_room:
            self._workspace.settings.document_list = shows
        else:
            self._covers_document = shows
        self.place()
        if shows:
            self.search.go_in()
        elif had_focus:
            self.left.emit()

    @Slot()
    def go_to_search(self) -> None:
        """Focus the search, and show the column where it is hidden."""
        if self.isHidden():
            self.toggle()
        self.search.go_in()

    def leave(self) -> bool:
        """Hide the column where it covers the document; returns False where it does not."""
        if not self._covers_document:
            return False
        self.toggle()
        return True

    @Slot(QWidget, QWidget)
    def _focus_changed(self, before: QWidget | None, now: QWidget | None) -> None:
        if (
            self._covers_document
            and now is not None
            and now.window() is self.window()
            and not self.isAncestorOf(now)
        ):
            self._covers_document = False
            self.place()

    # Rows

    @Slot(object)
    def _sheet_created(self, sheet: Sheet) -> None:
        sheet.renamed.connect(self.refill)

    @Slot()
    def refill(self, _: object = None) -> None:
        """List everything again soon, as something that is listed has changed."""
        self._fill_soon.start()

    @Slot()
    def _libraries_changed(self) -> None:
        # A new library may get the number of one that was removed.
        self._files = {number: one for number, one in self._files.items() if self._libraries.find(number)}
        for library, status in self._libraries.all:
            known = self._files.get(library.number)
            if self._needs_files(library) and (known is None or len(known.all) != status.total):
                self._load(library)
        self._fill_later.start()

    @Slot(object)
    def _reload(self, library: Library) -> None:
        """List the files of a library again: even with the same number they may be other files."""
        if self._needs_files(library):
            self._load(library)
        else:
            self._files.pop(library.number, None)

    def _needs_files(self, library: Library) -> bool:
        return bool(self.search.text().strip()) or library.number == self._workspace.settings.list_library

    def _load(self, library: Library) -> None:
        number = library.number
        if number not in self._loading:
            self._loading.add(number)
            job = self._lanes.files.start_aside(files_of, self._workspace, library)
            job.then(partial(self._loaded, number), partial(self._not_loaded, number))

    def _loaded(self, number: int, files: Files) -> None:
        self._loading.discard(number)
        self._files[number] = files
        self._fill()

    def _not_loaded(self, number: int, error: BaseException) -> None:
        self._loading.discard(number)
        self._libraries.failed.emit(error)

    @Slot(object)
    def _file_read(self, file: LibraryFile) -> None:
        listed = 0 if self.search.text().strip() else self._workspace.settings.list_library
        for number, files in self._files.items():
            at, first = files.put(file), self.list.rows.first_file()
            if at >= 0 and number == listed and first >= 0:
                self.list.rows.put(first + at, file)

    @Slot()
    def _progressed(self) -> None:
        """Show the progress of updates; where one has begun or ended, fill the list again."""
        if self.search.text().strip():
            return
        heads = [(at, row, row.library) for at, row in self.list.rows.heads() if row.library is not None]
        progress = {number: one for number, one in self._progress().items() if one is not None and one.total}
        if {library.number for _, row, library in heads if row.part is Part.READING} != progress.keys():
            self._fill_soon.start()
            return
        for at, row, library in heads:
            now, found = progress.get(library.number), self._libraries.find(library.number)
            if now is not None and row.part is Part.READING:
                self.list.rows.put(at, row_of_reading(library, now))
            elif now is not None and found is not None:
                self.list.rows.put(at, row_of_library(*found, now, expanded=row.is_expanded))

    def _progress(self) -> dict[int, Progress | None]:
        libraries = self._libraries
        return {library.number: libraries.progress_of(library) for library, _ in libraries.all}

    @Slot()
    def _fill(self) -> None:
        self._fill_soon.stop()
        self._fill_later.stop()
        settings = self._workspace.settings
        current = self._sheets.current()
        opened = [
            Row(
                Part.OPEN,
                sheet.title,
                pages(len(sheet.session.opened.pages))
                if sheet.session.opened and sheet.session.opened.pages
                else "",
                key=sheet.session.key,
                path=sheet.session.path,
                is_current=sheet is current,
            )
            for sheet in self._sheets.all()
        ]
        rows = all_rows(
            opened,
            self._libraries.all,
            self._progress(),
            self._files,
            settings.list_library,
            settings.recent_files,
            self.search.text(),
        )
        equal = frozenset().union(*(files.equal for files in self._files.values()))
        self.list.show_rows(rows, current.session.path, equal)

    # Search

    @Slot()
    def _searched(self) -> None:
        self._libraries_changed()
        self._fill()
        self.list.scrollToTop()

    @Slot()
    def _go_down(self) -> None:
        if self.search.pending:
            self.search.cancel_pending()
            self._searched()
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)
        if self.search.text().strip():
            self.list.choose_first()

    @Slot(str)
    def _typed(self, letters: str) -> None:
        self.search.setFocus(Qt.FocusReason.OtherFocusReason)
        self.search.setText(self.search.text() + letters)

    # Actions on a row

    @Slot(object)
    def _chosen(self, row: Row) -> None:
        match row.part:
            case Part.OPEN:
                self._sheets.bring(self._index_of(row))
                self.left.emit()
            case Part.FILE | Part.RECENT:
                self.open_asked.emit([Path(row.path)])
            case Part.LIBRARY if row.library is not None:
                self._expand(row.library, toggle=True)
            case Part.READING if row.library is not None:
                self._libraries.stop(row.library)

    @Slot(object)
    def _expand(self, library: Library, *, toggle: bool = False) -> None:
        """List the files of a library, in place of those of another one."""
        settings = self._workspace.settings
        is_expanded = settings.list_library == library.number
        settings.list_library = 0 if toggle and is_expanded else library.number
        if settings.list_library and library.number not in self._files:
            self._load(library)
        self._fill()

    def _index_of(self, row: Row) -> int:
        """Return the index of the sheet of a row's document, -1 where it is not open."""
        for at, sheet in enumerate(self._sheets.all()):
            if sheet.session.key == row.key if row.key else sheet.session.path == row.path:
                return at
        return -1

    @Slot(object)
    def _close(self, row: Row) -> None:
        at = self._index_of(row) if row.is_document else -1
        if at >= 0:
            self._sheets.close(at)

    @Slot(object, QPoint)
    def _show_menu(self, row: Row, place: QPoint) -> None:
        menu = self.menu_of(row)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(place)

    def menu_of(self, row: Row) -> QMenu:
        """Return the menu of what can be done with a row; it may be empty."""
        menu, library, libraries = QMenu(self.list), row.library, self._libraries
        if row.is_document:
            menu.addAction(tr("Open\tEnter"), partial(self._chosen, row))
        if row.part is Part.OPEN:
            menu.addAction(tr("Close\tCtrl+W"), partial(self._close, row))
            menu.addAction(tr("Close others"), partial(self._close_others, row))
            menu.addAction(tr("Close all"), self._sheets.close_all)
        elif row.is_document and self._index_of(row) >= 0:
            menu.addAction(tr("Close"), partial(self._close, row))
        if row.is_document and row.path:
            menu.addSeparator()
            menu.addAction(tr("Show in folder"), partial(self._show_in_folder, row.path))
            menu.addAction(tr("Copy path"), partial(QGuiApplication.clipboard().setText, row.path))
        if library is None:
            return menu
        is_read = libraries.progress_of(library) is not None
        if row.part is Part.LIBRARY:
            menu.addAction(tr("Ask this library"), partial(self.ask_asked.emit, library.number))
            menu.addSeparator()
        if row.part is Part.READING or is_read:
            menu.addAction(tr("Stop reading"), partial(libraries.stop, library))
        if row.part is Part.LIBRARY:
            if not is_read:
                menu.addAction(tr("Update now"), partial(libraries.update, library))
                menu.addAction(tr("Check everything"), partial(libraries.update, library, everything=True))
            unread = tr("Files that were not read…")
            menu.addAction(unread, partial(self.unread_asked.emit, library.number))
            menu.addSeparator()
            menu.addAction(tr("Rename\tF2"), partial(self.list.rename, row))
            menu.addAction(tr("Add a folder to it…"), partial(self._choose_folder, library.name))
            menu.addAction(tr("Folders, files and kinds…"), partial(self._change_contents, library))
            menu.addSeparator()
            menu.addAction(tr("Remove from Spanlight…"), partial(self._ask_to_remove, library))
        return menu

    def _close_others(self, row: Row) -> None:
        self._sheets.close_others(self._index_of(row))

    def _show_in_folder(self, path: str) -> None:
        from app.ui.kit.outside import show_in_folder

        show_in_folder(path, self.not_shown.emit, self)

    def _ask_to_remove(self, library: Library) -> None:
        self._removing = library
        self.confirmation.ask(
            tr(
                "Remove “{library}” from Spanlight? What was read is forgotten; no document is touched.",
                library=library.name,
            )
        )

    @Slot(object, str)
    def _rename(self, row: Row, name: str) -> None:
        if row.library is not None:
            self._libraries.rename(row.library, name)

    @Slot()
    def _remove(self) -> None:
        if self._removing is not None:
            self._libraries.remove(self._removing)

    def _change_contents(self, library: Library) -> None:
        if (found := self._libraries.find(library.number)) is not None:
            from app.ui.ask.library_dialogs import Contents

            contents = Contents(self._page, found[0])
            contents.saved.connect(self._libraries.change)
            contents.open()

    @Slot()
    def add_folder(self) -> None:
        """Have a folder chosen, and make it a library."""
        self._choose_folder("")

    def _choose_folder(self, name: str) -> None:
        from app.ui.kit.file_dialog import folder_name

        title = tr("Add a folder to {library}", library=name) if name else tr("Add a folder")
        folder = folder_name(self, title, show_files=True)
        if folder:
            self._libraries.add([Path(folder)], name)
