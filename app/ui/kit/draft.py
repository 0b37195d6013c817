"""Drafts: the text typed on a page, saved every second while it changes and when the window closes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.core.report import Report
from app.flows.samples import Sample, samples
from app.flows.workspace import Workspace
from app.settings.drafts import SAVE_EVERY_MS, Drafts
from app.ui.kit.jobs import Job, Lanes, do


def initial_content(
    workspace: Workspace, names: tuple[str, ...], kind: str, report: Report
) -> tuple[tuple[str, ...], tuple[Sample, ...]]:
    """The drafts saved under these names, and the samples of a kind to offer."""
    drafts = Drafts(workspace.paths.drafts)
    return tuple(map(drafts.load, names)), tuple(one for one in samples(workspace.paths) if one.kind == kind)


class Draft(QObject):
    """One text's draft under a name; `failed` carries the error if it could not be saved."""

    failed = Signal(object)

    def __init__(
        self, drafts: Drafts, name: str, text: Callable[[], str], lanes: Lanes, parent: QObject
    ) -> None:
        super().__init__(parent)
        self.drafts = drafts
        self._name = name
        self._text = text
        self._lanes = lanes
        self._job: Job | None = None
        self.timer = QTimer(self, singleShot=True, interval=SAVE_EVERY_MS)
        self.timer.timeout.connect(self._save)

    def save_soon(self) -> None:
        """Save in the files lane within a second, also while typing goes on."""
        if not self.timer.isActive():
            self.timer.start()

    def save_now(self) -> None:
        """Save synchronously."""
        self.timer.stop()
        if self._job is not None:
            self._job.drop()  # an older text must not be written after this one
        self.drafts.save(self._name, self._text())

    @Slot()
    def _save(self) -> None:
        save = partial(self.drafts.save, self._name, self._text())
        self._job = self._lanes.files.start(do, save).then(failed=self.failed)
