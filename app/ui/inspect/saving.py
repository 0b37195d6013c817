"""Numbers and pictures of a section, put into files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.settings.files import write_atomic
from app.ui.inspect.charts.export import picture_bytes
from app.ui.kit.file_dialog import save_name
from app.ui.kit.jobs import Job, Lanes, write

_NUMBERS = "Numbers (*.csv)"
_PICTURES = {".png": "Picture (*.png)", ".svg": "Drawing (*.svg)"}


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
        stem = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
        ending = filters[0].partition("*")[2].removesuffix(")")
        name = save_name(self._page, f"Save {title}", f"{stem}{ending}", ";;".join(filters))
        return Path(name) if name else None

    @Slot()
    def _saved(self) -> None:
        self.note.emit(f"{self._name} saved")
