"""What every section of About has."""

from __future__ import annotations

from PySide6.QtCore import Signal

from app.ui.kit.sectioned import Section


class AboutSection(Section):
    """A section of About.

    `updates_asked` asks for where updates are asked for, `welcome_asked` for the welcome of the first start.
    """

    updates_asked = Signal()
    welcome_asked = Signal()
