"""The section Diagnostics of the page About: a plain text to read and to copy into a report."""

from __future__ import annotations

import PySide6
from PySide6.QtCore import Qt, QTimer, Slot, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from app.core.message import Message
from app.core.models import Devices
from app.flows.about import diagnostics
from app.flows.models.devices import devices
from app.flows.workspace import Workspace
from app.ui.kit.boxes import column, row
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.parts import plain_label, push_button
from app.ui.kit.sectioned import Section
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import localised, tr

_ABOUT = Message(
    "Copy it into a report of a fault. It names no text, question or answer; the log's last lines may name what went"
    " wrong, so look through it first. Nothing is sent by itself."
)
_COPY, _COPIED, _COPIED_MS = Message("Copy"), Message("Copied"), 2500


def window_facts(window: QWidget, theme: Theme) -> list[tuple[str, str]]:
    """Return facts about the window: its toolkit, its theme, and the screens with their sizes and scales.

    They are in English, like all of the text, which is for developers.
    """
    facts = [*qt_versions(), ("Platform", QGuiApplication.platformName())]
    facts.append(("Look", f"{theme.name}, chosen: {theme.wanted}"))
    facts.append(("Window", f"{window.width()} x {window.height()}, scale {window.devicePixelRatioF():g}"))
    for at, screen in enumerate(QGuiApplication.screens(), 1):
        size = screen.size()
        dots = f"{screen.logicalDotsPerInch():.0f} dots an inch, {screen.refreshRate():.0f} Hz"
        pixels = f"{size.width()} x {size.height()}, scale {screen.devicePixelRatio():g}"
        facts.append((f"Screen {at}", f"{pixels}, {dots}"))
    return facts


class PlainText(QPlainTextEdit):
    """A read-only monospaced text, selected and scrolled by mouse and keys; Tab leaves it."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self.setProperty("kind", "plain")
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(localised(name))
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        mark(self, type="code")
        self._document = self.document()  # `in_steps` applies to it only as long as this wrapper lives
        theme.in_steps(self._document.setDocumentMargin, 1)


class DiagnosticsSection(Section):
    """An explanation, the text, and a button that copies it."""

    KEY = "diagnostics"
    TITLE = Message("Diagnostics")

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__(workspace, theme, lanes)
        self._job: Job | None = None
        self._devices_job: Job | None = None
        self._devices: list[tuple[str, str]] = []
        self.copy = push_button(theme, _COPY, kind="primary", name=tr("Copy the diagnostics"))
        self.copy.setEnabled(False)
        self.text = PlainText(theme, tr("Diagnostics"))
        self.text.setPlaceholderText(tr("Being gathered…"))
        self._back = QTimer(self, singleShot=True, interval=_COPIED_MS)
        self._back.timeout.connect(self._reset_copy)
        self.copy.clicked.connect(self._copy)
        words = (plain_label(_ABOUT, ink="quiet"), 1)
        head = row(theme, words, (self.copy, 0, Qt.AlignmentFlag.AlignTop), gap=6)
        column(theme, self.notice, head, (self.text, 1), gap=4, margins=(6, 5, 6, 6), parent=self)
        theme.changed.connect(self._fit_button)
        self._fit_button()

    def shown(self) -> None:
        """Gather the text again; the devices are looked up once, after running work."""
        self._gather()
        if self._devices_job is None:
            job = self.lanes.work.start_aside(devices, self.workspace)
            self._devices_job = job.then(self._devices_found, self._no_devices)
        self.copy.setFocus(Qt.FocusReason.OtherFocusReason)

    def _gather(self) -> None:
        facts = (*window_facts(self.window(), self.theme), *self._devices)
        job = self.lanes.files.start(diagnostics, self.workspace, facts).replacing(self._job)
        self._job = job.then(self._found, self.show_fault)

    @Slot(object)
    def _found(self, text: str) -> None:
        if text != self.text.toPlainText() and not self.text.textCursor().hasSelection():
            self.text.setPlainText(text)
        self.copy.setEnabled(True)
        focused = self.window().focusWidget()
        if self.isVisible() and (focused is None or not self.isAncestorOf(focused)):
            self.copy.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot(object)
    def _devices_found(self, found: Devices) -> None:
        self._devices = [
            (f"Device {one.key}", f"{one.title}, {'usable' if one.usable else 'not usable'}: {one.reason}")
            for one in found.options
        ]
        self._devices.append(
            ("Models run on", f"{found.auto.device}, {found.auto.dtype}: {found.auto.reason}")
        )
        self._gather()

    @Slot(object)
    def _no_devices(self, error: BaseException) -> None:
        self._devices = [("Devices", f"not known: {error}")]
        self._gather()

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())
        self.copy.setText(_COPIED)
        self.note.emit(tr("The diagnostics were copied"))
        self._back.start()

    @Slot()
    def _reset_copy(self) -> None:
        self.copy.setText(_COPY)

    @Slot()
    def _fit_button(self) -> None:
        """Make the button wide enough for both of its texts."""
        step = self.theme.step
        wide = self.copy.fontMetrics().horizontalAdvance(localised(_COPIED))
        self.copy.setMinimumWidth(wide + step(9))


def qt_versions() -> tuple[tuple[str, str], ...]:
    """The versions of the window's toolkit."""
    return (("Qt", qVersion() or ""), ("PySide6", PySide6.__version__))
