"""Where Tab leads, what has which colour, and the words of a document: selected, and read one by one."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QImage, QKeyEvent, QTextDocument
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QWidget

from app.ui.document.marks.searchable import Searchable, matches, pattern_of
from app.ui.kit.theme import Theme


def tab_order(window: QWidget) -> list[QWidget]:
    """Every widget of an active window that Tab comes to, once each, from the first one on.

    `QWidget.nextInFocusChain` would tell as much, but PySide takes what it returns for the asked widget's child: once
    around, the window belongs to a widget of its own, and Python's collector may free it twice.
    """
    window.setFocus(Qt.FocusReason.TabFocusReason)
    found: list[QWidget] = []
    while True:
        QApplication.sendEvent(
            QApplication.focusWidget() or window,
            QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Tab, Qt.KeyboardModifier.NoModifier),
        )
        focused = QApplication.focusWidget()
        if focused is None or focused in found:
            return found
        found.append(focused)


def coloured(area: QAbstractScrollArea, theme: Theme, role: str) -> list[tuple[int, int]]:
    """The pixels (x, y) of the viewport that have the colour of a role."""
    image = area.viewport().grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    rgb = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)[:, : image.width()]
    ys, xs = np.nonzero((rgb & 0xFFFFFF) == (theme.colour(role).rgb() & 0xFFFFFF))
    return list(zip(xs.tolist(), ys.tolist(), strict=True))


def select_words(page: Searchable, words: str) -> bool:
    """Select words on a page where they first stand, as a search does; False where they stand nowhere."""
    pattern = pattern_of(words)
    found = next(filter(None, matches(pattern, page.text())), None) if pattern is not None else None
    if found is not None:
        page.select(found)
        page.show_selection()
    return found is not None


def read_units(document: QTextDocument, start: int, end: int) -> str:
    """The characters between two of Qt's positions, read one by one, to check the pane's own way."""
    units = "".join(document.characterAt(at) for at in range(start, end))
    text = units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.replace("\u2029", "\n").replace("\u2028", "\n")
