"""What a page asks of the papers that texts are typed on, and of the panel beside them."""

from __future__ import annotations

from typing import Protocol, overload

from PySide6.QtCore import Qt, SignalInstance
from PySide6.QtWidgets import QWidget

from app.core.models import ModelCard
from app.ui.widgets.model_line import ModelLine
from app.ui.widgets.notice import Notice
from app.ui.widgets.progress_strip import ProgressStrip


class Paper(Protocol):
    """A text that can be edited."""

    @property
    def edited(self) -> SignalInstance:
        """Sent for every change of the text."""

    @property
    def dropped(self) -> SignalInstance:
        """Carries the files that were dropped or pasted here."""

    def text(self) -> str:
        """The text, newlines as LF."""

    def is_empty(self) -> bool:
        """Whether there is no character at all."""

    def start_with(self, text: str) -> None:
        """Take the first text, without telling and with nothing to undo."""

    def replace(self, text: str) -> None:
        """Put another text in place of this one."""

    @overload
    def setFocus(self) -> None: ...
    @overload
    def setFocus(self, reason: Qt.FocusReason, /) -> None: ...


class PaperPanel(Protocol):
    """The right side of a page of papers."""

    strip: ProgressStrip
    notice: Notice
    model: ModelLine

    @property
    def run_asked(self) -> SignalInstance:
        """Start the flow."""

    @property
    def stop_asked(self) -> SignalInstance:
        """Stop it."""

    @property
    def open_asked(self) -> SignalInstance:
        """Open a file."""

    @property
    def sample_chosen(self) -> SignalInstance:
        """Carries the number of a sample to try."""

    @property
    def side(self) -> QWidget:
        """The widget that stands beside the papers."""

    def set_samples(self, titles: tuple[str, ...]) -> None:
        """Offer these samples while there is no text."""

    def show_model(self, card: ModelCard) -> None:
        """Say which model does the work."""
