"""Labels, buttons and rules as the pages use them."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLabel, QPushButton

from app.ui.kit.theme import Theme


def plain_label(
    text: str = "", *, type: str = "", ink: str = "", wrap: bool = True, selectable: bool = False
) -> QLabel:
    """A label of plain text in the font of a use (`type`) and an ink of the theme; both follow the theme."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(wrap)
    label.setProperty("type", type)
    label.setProperty("ink", ink)
    if selectable:
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def push_button(
    theme: Theme, text: str = "", *, kind: str = "", icon: str = "", name: str = "", tip: str = ""
) -> QPushButton:
    """A button of a kind of the stylesheet, with a line icon; `name` is read by screen readers (else its text)."""
    button = QPushButton(text)
    button.setAccessibleName(name or text)
    button.setToolTip(tip)
    button.setProperty("kind", kind)
    if icon:
        button.setIcon(theme.icon(icon, "on_accent" if kind == "primary" else "ink"))
    return button


def rule() -> QFrame:
    """A hairline between two parts."""
    line = QFrame()
    line.setProperty("kind", "rule")
    line.setFixedHeight(1)
    return line
