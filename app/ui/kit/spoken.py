"""What a screen reader is told beyond the names of widgets: the roles of our own ones, and what has just happened."""

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
def give_roles() -> None:
    """Have Qt tell the roles of our own widgets, from now on; further calls do nothing.

    A widget that is painted states its role as `ROLE`; without one Qt calls it a client, which says nothing. A frame is
    a group of what it holds, not a border: on Linux a border is told as a window.
    """
    QAccessible.installFactory(_interface)


def _interface(kind: str, thing: QObject) -> QAccessibleInterface | None:
    """The interface of a widget with a role of its own; `kind` is its class or, asked later, one that is above it."""
    role = getattr(thing, "ROLE", None)
    if role is None and kind == "QFrame":
        role = QAccessible.Role.Grouping
    return QAccessibleWidget(thing, role) if role is not None and isinstance(thing, QWidget) else None


def announce(widget: QWidget, words: str, *, polite: bool = False) -> None:
    """Have a screen reader say words that belong to a widget that can be seen.

    `polite` ones wait until it has said all else; the others are said at once.
    """
    if words and widget.isVisible() and QAccessible.isActive():
        event = QAccessibleAnnouncementEvent(widget, localised(words))
        event.setPoliteness(_Politeness.Polite if polite else _Politeness.Assertive)
        QAccessible.updateAccessibility(event)


def sentence(words: str) -> str:
    """Words as a sentence, with a capital letter and a mark at its end; empty for none."""
    words = localised(words).strip()
    return sentences(words[:1].upper() + words[1:])


def sentences(*parts: str) -> str:
    """The parts that are not empty as sentences in a row, each with one mark at its end."""
    told = (localised(part) for part in parts if part)
    return " ".join(part if _ENDS.search(part) else f"{part}." for part in told)


def name_choice(box: QComboBox, name: str) -> None:
    """Name a combo box that has no label: on Linux Qt gives its value as its name, so the description names it too."""
    box.setAccessibleName(localised(name))
    box.setAccessibleDescription(localised(name))
