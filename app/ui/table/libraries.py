"""The libraries that tables are made over, as the page Table uses them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal, Slot

from app.core.answer_table import AnswerTable
from app.core.languages import LanguageSubject
from app.core.library import FileState
from app.core.message import Message
from app.ui.kit.translation import localised, tr

if TYPE_CHECKING:
    from app.core.library import Library, LibraryFile
    from app.ui.kit.libraries import Libraries

_FILES_AFTER_MS = 400
# Listing the files again takes 10 to 20 µs a file: so it takes less than a tenth of the time.
_MS_BETWEEN_A_FILE = 0.2


class TableLibraries(QObject):
    """The libraries as the page uses them, and the folders and files that it adds as one.

    `changed` is sent when libraries or the progress of their updates have changed, `files_changed` a moment after files
    were read, the less often the more there are; `added` carries the Library that was made of what was added here.
    """

    changed = Signal()
    files_changed = Signal()
    added = Signal(object)

    def __init__(self, libraries: Libraries, parent: QObject) -> None:
        super().__init__(parent)
        self._libraries = libraries
        self._adding: set[str] = set()
        self._files_soon = QTimer(self, singleShot=True)
        self._files_soon.timeout.connect(self._files_due)
        self._since_files = QElapsedTimer()
        libraries.changed.connect(self._changed)
        libraries.read.connect(self._tell_soon)
        libraries.progressed.connect(self.changed)
        libraries.added.connect(self._library_added)

    def in_words(self, table: AnswerTable) -> tuple[str, str]:
        """A table's library in words: its name and how much of it was read; and its folders, a line each."""
        if not table.library:
            return tr("Its library was removed; what was read stays."), ""
        found = self._libraries.find(table.library)
        if found is None:
            return "", ""
        library, status = found
        return f"{library.name}: {localised(status.in_words)}", "\n".join(library.roots)

    def languages(self, table: AnswerTable | None, files: Iterable[LibraryFile]) -> LanguageSubject:
        """How many of a table's documents are in each language: of its library, or of `files` if some were chosen."""
        counted: Mapping[str, int] = {}
        if table is not None and table.documents:
            counted = Counter(file.language for file in files if file.state is FileState.READ)
        elif table is not None:
            found = self._libraries.find(table.library)
            counted = found[1].languages if found is not None else {}
        return LanguageSubject(Message("The document"), counted)

    def add(self, paths: Sequence[Path]) -> None:
        """Make a library of folders and files, unless one has exactly these; `added` is sent either way."""
        self._adding = {os.path.normpath(path.absolute()) for path in paths}
        known = next((one for one, _ in self._libraries.all if set(one.roots) == self._adding), None)
        if known is not None:
            self._library_added(known)
        else:
            self._libraries.add(paths)

    @Slot()
    def _changed(self) -> None:
        self.changed.emit()
        self._tell_soon()

    @Slot()
    def _tell_soon(self) -> None:
        if not self._files_soon.isActive():
            between = _MS_BETWEEN_A_FILE * sum(status.total for _, status in self._libraries.all)
            since = self._since_files.elapsed() if self._since_files.isValid() else between
            self._files_soon.start(max(_FILES_AFTER_MS, round(between - since)))

    @Slot()
    def _files_due(self) -> None:
        self._since_files.start()
        self.files_changed.emit()

    @Slot(object)
    def _library_added(self, library: Library) -> None:
        if set(library.roots) == self._adding:
            self._adding = set()
            self.added.emit(library)
