"""Support for screen readers beyond the names of widgets: the roles of our own widgets, and announcements."""

from __future__ import annotations

import re
from functools import cache

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAccessibleInterface
from PySide6.QtWidgets import QAccessibleWidget, QComboBox, QWidget

from app.ui.kit.translation import localised

_Politeness = QAccessible.AnnouncementPoliteness
_ENDS = re.compile(r"[.?!:…]$")


@cache
def install_roles() -> None:
    """Have Qt report the roles of our own widgets from now on; further calls do nothing.

    A painted widget states its role as `ROLE`; without one Qt reports a client, which means nothing to a person. A
    frame is reported as a group, not as a border, which screen readers on Linux take for a window.
    """
    QAccessible.installFactory(_interface)


def _interface(class_name: str, widget: QObject) -> QAccessibleInterface | None:
    """The interface of a widget with a role of its own; Qt asks for its class first, then for each base class."""
    role = getattr(widget, "ROLE", None)
    if role is None and class_name == "QFrame":
        role = QAccessible.Role.Grouping
    return QAccessibleWidget(widget, role) if role is not None and isinstance(widget, QWidget) else None


def announce(widget: QWidget, words: str, *, polite: bool = False) -> None:
    """Have a screen reader say words about a widget, if that is visible.

    `polite` announcements wait until everything else was said; others interrupt.
    """
    if words and widget.isVisible() and QAccessible.isActive():
        event = QAccessibleAnnouncementEvent(widget, localised(words))
        event.setPoliteness(_Politeness.Polite if polite else _Politeness.Assertive)
        QAccessible.updateAccessibility(event)


def sentence(words: str) -> str:
    """The words as a sentence, with a capital letter and a full stop; empty for no words."""
    words = localised(words).strip()
    return sentences(words[:1].upper() + words[1:])


def sentences(*parts: str) -> str:
    """The parts that are not empty, joined as sentences; each gets a full stop unless it has a mark at its end."""
    texts = (localised(part) for part in parts if part)
    return " ".join(text if _ENDS.search(text) else f"{text}." for text in texts)


def name_choice(box: QComboBox, name: str) -> None:
    """Name a combo box without a label; in the description too, as Qt on Linux reports its value as the name."""
    box.setAccessibleName(localised(name))
    box.setAccessibleDescription(localised(name))
