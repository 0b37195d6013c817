"""Numbers and pictures of a section, put into files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from app.settings.files import write_atomic
from app.ui.jobs import Job, Lanes
from app.ui.views.classify_work import write
from app.ui.widgets.charts.export import picture_bytes

_NUMBERS = "Numbers (*.csv)"
_PICTURES = {".png": "Picture (*.png)", ".svg": "Drawing (*.svg)"}


class SaveDialog(QFileDialog):
    """Asks for a file's name; its ending is that of the kind that is chosen."""

    def __init__(self, parent: QWidget, title: str, kinds: list[str]) -> None:
        super().__init__(parent, title)
        self.setNameFilters(kinds)
        self.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        self.filterSelected.connect(self._take_kind)
        self._take_kind(kinds[0])

    @Slot(str)
    def _take_kind(self, kind: str) -> None:
        self.setDefaultSuffix(kind.partition("*.")[2].removesuffix(")"))


class Saving(QObject):
    """Asks where to, and writes in the files lane.

    `note` says what was saved, `failed` carries the error where the disk refused.
    """

    note = Signal(str)
    failed = Signal(object)

    def __init__(self, lanes: Lanes, parent: QWidget) -> None:
        super().__init__(parent)
        self._page = parent
        self._lanes = lanes
        self._job: Job | None = None
        self._name = ""

    def save_numbers(self, title: str, numbers: str) -> None:
        """Save a section's numbers as CSV."""
        path = self._ask(title, [_NUMBERS])
        if path is not None:
            self.write(path, numbers.encode("utf-8"))

    @Slot(object)
    def save_chart(self, chart: Any) -> None:
        """Save a chart as its numbers or as a picture, by the ending of the file's name."""
        path = self._ask(chart.title, [*_PICTURES.values(), _NUMBERS])
        if path is not None:
            self.write_chart(path, chart)

    def write_chart(self, path: Path, chart: Any) -> None:
        """Write a chart's picture (PNG, SVG) or, for any other ending, its numbers as CSV."""
        suffix = path.suffix.lower()
        picture = suffix in _PICTURES
        self.write(path, picture_bytes(chart, suffix[1:]) if picture else chart.csv().encode("utf-8"))

    def write(self, path: Path, data: bytes) -> None:
        """Write a file whole, in the files lane."""
        self._name = path.name
        self._job = self._lanes.files.start(write, lambda: write_atomic(path, data, private=False))
        self._job.done.connect(self._saved)
        self._job.failed.connect(self.failed)

    def _ask(self, title: str, filters: list[str]) -> Path | None:
        """Where the person wants the file, None for nowhere."""
        dialog = SaveDialog(self._page, f"Save {title}", filters)
        stem = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
        dialog.selectFile(f"{stem}.{dialog.defaultSuffix()}")
        chosen = Path(dialog.selectedFiles()[0]) if dialog.exec() else None
        dialog.deleteLater()
        return chosen

    @Slot()
    def _saved(self) -> None:
        self.note.emit(f"{self._name} saved")
