"""The base class of the sections of About."""

from __future__ import annotations

from PySide6.QtCore import Signal

from app.ui.kit.sectioned import Section


class AboutSection(Section):
    """A section of About.

    `updates_requested` requests the check for updates, `welcome_requested` the welcome of the first start.
    """

    updates_requested = Signal()
    welcome_requested = Signal()
