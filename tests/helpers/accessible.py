"""The tree that a screen reader reads, as Qt gives it, and what must hold of everything that can be seen."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface, QColor, QImage
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QApplication,
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QScrollArea,
    QSlider,
    QStyle,
    QStyleOptionButton,
    QToolButton,
    QWidget,
)

from app.ui.kit.parts import Button, ElidedLabel, Sideways
from app.ui.kit.score_bars import ScoreBars
from app.ui.kit.theme import Theme

Role, Text = QAccessible.Role, QAccessible.Text
# What a person uses or looks at, and what therefore has a name.
CONTROLS = {
    Role.Button, Role.ButtonMenu, Role.CheckBox, Role.RadioButton, Role.ComboBox, Role.EditableText, Role.SpinBox,
    Role.Slider, Role.List, Role.Table, Role.Tree, Role.ListItem, Role.PageTab, Role.PageTabList, Role.Chart,
    Role.ProgressBar, Role.Link, Role.MenuItem, Role.Dialog, Role.Document, Role.StaticText,
}  # fmt: skip
# Pixels of a button beside its words, at least.
_EDGES = 8
# As many rows of a list, and cells of a table, are looked at.
_MOST_CHILDREN = 60
_TARGET = 24
# What is lit, the colour of its line or edge, and what that is told from; and pixels of a line that can be seen.
_LINES = tuple(
    (f"{lit}ground", f"{lit}line", f"{lit}ground") for lit in ("answer_", "other_", "own_")
) + tuple((f"name_{n}", f"name_{n}_line", f"name_{n}") for n in range(1, 9))
_EDGES_OF_BARS = (("mark", "answer_line", "track"), ("mark_faint", "answer_line", "track"))
_LINE = 16
_EDGE = 3
# Pixels of a focus ring, which differ by 3 : 1 from what is there without the focus.
_RING = 24
_SHARES = np.arange(256) / 255
# How bright each step of a colour is.
_LINEAR = np.where(_SHARES <= 0.03928, _SHARES / 12.92, ((_SHARES + 0.055) / 1.055) ** 2.4)


@dataclass(frozen=True)
class Node:
    """What a screen reader is told of one thing; `labels` are the names of the labels that name it."""

    interface: QAccessibleInterface
    path: str
    role: Role
    name: str
    description: str
    labels: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.path}: {self.role.name} “{self.name}” ({self.description[:60]})"


def nodes(widget: QWidget) -> Iterator[Node]:
    """Everything of a widget that can be seen, from the outside in."""
    yield from _below(QAccessible.queryAccessibleInterface(widget), "")


def _below(interface: QAccessibleInterface, above: str) -> Iterator[Node]:
    if interface.state().invisible:
        return
    thing, labels = interface.object(), ()
    if thing is not None:
        above = f"{above}/{type(thing).__name__}"
        found = interface.relations(QAccessible.RelationFlag.Label)
        labels = tuple(other.text(Text.Name) for other, _ in found)
    name, description = interface.text(Text.Name), interface.text(Text.Description)
    yield Node(interface, above, interface.role(), name, description, labels)
    for at in range(min(interface.childCount(), _MOST_CHILDREN)):
        child = interface.child(at)
        if child is not None and child.isValid():
            yield from _below(child, above)


def unsaid(page: QWidget) -> Iterator[str]:
    """What of a page has no name, one that cannot be read out, or no role."""
    for node in nodes(page):
        if node.role is Role.Cell and not any(
            map(str.isalnum, node.name)
        ):  # such as the token "?", or nothing
            continue
        state, named = node.interface.state(), " ".join(node.labels) or node.name
        if node.role is Role.ComboBox and not node.labels:
            named = node.description  # on Linux its name is its value
        is_blank = node.role is Role.StaticText and not named
        if (node.role in CONTROLS or state.focusable) and not named and not is_blank:
            yield f"no name: {node}"
        if named and not is_words(named):
            yield f"no words: {node}"
        if node.role is Role.Border or (state.focusable and node.role is Role.Client):
            yield f"no role: {node}"


def is_words(name: str) -> bool:
    """Whether a name can be read out: it has a letter or figure, names no picture, and its sentences end once."""
    return bool(re.search(r"\w", name)) and not re.search(
        r"\.(svg|png|py)$|[?!.:,]\.(\s|$)", name.replace("…", "")
    )


def called(widget: QWidget) -> str:
    """A widget's class and name."""
    return f"{type(widget).__name__} “{widget.accessibleName()[:40]}”"


def out_of_order(window: QWidget, chain: Sequence[QWidget]) -> Iterator[str]:
    """Where Tab goes up, or to the left in a row.

    The parts of a splitter are regions of their own, and the button that puts a message away comes last in it.
    """
    for one, other in pairwise(chain):
        above, below = _ancestors(window, one), _ancestors(window, other)
        first, second = next(
            ((a, b) for a, b in zip(above, below, strict=False) if a is not b), (window, window)
        )
        if first is second:  # one is part of the other
            continue
        is_other_region = type(first.parentWidget()).__name__ in (
            "QSplitter",
            "AskPanes",
            "Panes",
            "TwoPanes",
        )
        if is_other_region or other.accessibleName() == "Put this message away":
            continue
        before, after = (QRect(each.mapTo(window, QPoint()), each.size()) for each in (first, second))
        if after.bottom() <= before.top() or (
            after.right() <= before.left() and after.top() < before.bottom()
        ):
            yield f"{called(one)} -> {called(other)}: {before.getRect()}, {after.getRect()}"


def _ancestors(window: QWidget, widget: QWidget) -> list[QWidget]:
    """The widget and all above it up to the window, from there on."""
    found = [widget]
    while found[-1] is not window and (above := found[-1].parentWidget()) is not None:
        found.append(above)
    return found[::-1]


def too_small(page: QWidget) -> Iterator[str]:
    """What can be clicked and is less than 24 pixels wide or high.

    Not the steps of a number and the cross of a search: the keys Up, Down and Esc do the same.
    """
    for kind in (QAbstractButton, QLineEdit, QComboBox, QSlider, QAbstractSpinBox):
        for one in page.findChildren(kind):
            is_inside = isinstance(one.parentWidget(), (QAbstractSpinBox, QLineEdit))
            if one.isVisible() and not is_inside and min(one.width(), one.height()) < _TARGET:
                yield f"{called(one)}: {one.width()} × {one.height()}"


def cut_off(page: QWidget) -> Iterator[str]:
    """Labels and buttons with less room than their words need, or out of the window where nothing scrolls."""
    window = page.window()
    for one in page.findChildren(QWidget):
        if not one.isVisible() or not isinstance(one, (QLabel, QAbstractButton, QLineEdit, QComboBox)):
            continue
        if isinstance(one, QLabel) and one.text() and not isinstance(one, ElidedLabel):
            needed = one.heightForWidth(one.width()) if one.wordWrap() else one.sizeHint().height()
            if one.height() < needed - 1 or (not one.wordWrap() and one.width() < one.sizeHint().width() - 1):
                yield f"label “{one.text()[:40]}”: {one.size().toTuple()}"
        words = one.text() if isinstance(one, QAbstractButton) else ""
        is_elided = one.shown() != words if isinstance(one, Button) else isinstance(one, QToolButton)
        if words and not is_elided and one.width() < one.fontMetrics().horizontalAdvance(words) + _EDGES:
            yield f"button “{words}”: {one.width()}"
        place = QRect(one.mapTo(window, QPoint()), one.size())
        if not window.rect().contains(place) and not _scrolls(one):
            yield f"outside: {called(one)} {place.getRect()}"


def sideways(page: QWidget) -> Iterator[str]:
    """What of a page is wider than the area that it is shown in, whether that can be scrolled or not.

    Not what has two dimensions, and scrolls by itself: a list or table, a chart, code, texts that are a line each.
    """
    for area in page.findChildren(QScrollArea):
        over = area.horizontalScrollBar().maximum()
        if area.isVisible() and over and not isinstance(area, Sideways):
            yield f"{over} too wide: {type(area.widget()).__name__} in {called(area.parentWidget())}"
    around = page.parentWidget()
    if around is not None and not page.isWindow() and page.width() > around.width():
        yield f"{page.width() - around.width()} too wide: the page"


def _scrolls(widget: QWidget) -> bool:
    return any(isinstance(each, QAbstractScrollArea) for each in _ancestors(widget.window(), widget)[:-1])


def pale(page: QWidget, image: np.ndarray) -> Iterator[str]:
    """Labels and buttons whose letters have less than 4.5 : 1 of contrast with their ground, as the window is drawn."""
    window = page.window()
    for one in [*page.findChildren(QLabel), *page.findChildren(QAbstractButton)]:
        seen = one.visibleRegion().boundingRect().translated(one.mapTo(window, QPoint()))
        if not (one.isVisible() and one.isEnabled() and one.text()) or min(seen.width(), seen.height()) < 10:
            continue
        colours, counts = np.unique(_part(image, seen), return_counts=True)
        most = contrasts(colours[counts > 1], colours[counts.argmax()]).max()
        if most < 4.5:
            yield f"{most:.1f}: {called(one)} “{one.text()[:40]}”"


def faint(page: QWidget, image: np.ndarray, theme: Theme) -> Iterator[str]:
    """Marks with less than 3 : 1 of contrast with what they are on: lines under words, bars, edges of what is used."""
    window = page.window()
    for one in page.findChildren(QWidget):
        if not (one.isVisible() and one.isEnabled()):
            continue
        whole = QRect(one.mapTo(window, QPoint()), one.size())
        seen = one.visibleRegion().boundingRect().translated(whole.topLeft())
        if isinstance(one, (QLineEdit, QComboBox, QAbstractSpinBox)):
            is_inside = isinstance(one.parentWidget(), (QAbstractSpinBox, QComboBox))
            framed = whole if not is_inside else QRect()
        elif isinstance(one, QCheckBox):
            option = QStyleOptionButton()
            one.initStyleOption(option)
            box = one.style().subElementRect(QStyle.SubElement.SE_CheckBoxIndicator, option, one)
            framed = box.translated(whole.topLeft())
        elif isinstance(one, QSlider) or (isinstance(one, QAbstractButton) and _is_chosen_segment(one)):
            framed = whole
        else:
            framed = QRect()
        if framed.isValid() and seen.contains(framed):
            ground = image[framed.top() - 1, framed.left() - 1]
            seen_of_it = contrasts(_part(image, framed), ground) >= 3
            if not isinstance(one, QSlider):  # its knob; of the others the edge, not what is written inside
                seen_of_it[_EDGE:-_EDGE, _EDGE:-_EDGE] = False
            if seen_of_it.sum() < framed.height():
                yield f"edge of {called(one)}"
        lines = _LINES if isinstance(one, QAbstractScrollArea) else ()
        if isinstance(one, (QAbstractItemView, ScoreBars)):
            lines = (*lines, *_EDGES_OF_BARS)
        for inside, line, beside in lines:
            marked = _line(_part(image, seen), *map(theme.colour, (inside, line, beside)))
            if marked is not None and marked < _LINE:
                yield f"{line} of {inside} in {called(one)}: {marked} pixels"


def _is_chosen_segment(button: QAbstractButton) -> bool:
    return button.property("kind") == "segment" and button.isChecked()


def _part(image: np.ndarray, place: QRect) -> np.ndarray:
    return image[max(0, place.top()) : place.bottom() + 1, max(0, place.left()) : place.right() + 1]


def _line(image: np.ndarray, inside: QColor, line: QColor, beside: QColor) -> int | None:
    """How many pixels of a line, drawn smoothly, differ by 3 : 1 from what is beside it; None without its inside."""
    if np.count_nonzero(image == inside.rgb()) < _LINE:
        return None
    low, high = (np.array(colour.getRgb()[:3], float) for colour in (inside, line))
    way, off = high - low, np.stack(_channels(image), axis=2) - low
    share = np.clip(off @ way / (way @ way), 0, 1)
    is_between = np.linalg.norm(off - share[:, :, None] * way, axis=2) < 12
    return int((is_between & (contrasts(image, np.uint32(beside.rgb())) >= 3)).sum())


def unseen_focus(window: QWidget, chain: Sequence[QWidget]) -> Iterator[str]:
    """What looks with the keyboard focus as it does without it; a ring differs by 3 : 1."""
    for before, one in zip((chain[-1], *chain), chain, strict=False):
        for area in _ancestors(window, one)[::-1]:
            if isinstance(area, QScrollArea):
                area.ensureWidgetVisible(one)
        one.setFocus(Qt.FocusReason.TabFocusReason)
        QApplication.processEvents()
        around = QRect(one.mapTo(window, QPoint()), one.size()).adjusted(-16, -16, 16, 16) & window.rect()
        with_it = pixels(window, around)
        before.setFocus(Qt.FocusReason.TabFocusReason)
        QApplication.processEvents()
        without = pixels(window, around)
        if with_it.shape != without.shape or (contrasts(with_it, without) >= 3).sum() < _RING:
            yield called(one)


def pixels(window: QWidget, place: QRect | None = None) -> np.ndarray:
    """The colours of a window's pixels, or of a place in it, by rows, each as QColor.rgb() has it."""
    picture = window.grab(place) if place is not None else window.grab()
    image = picture.toImage().convertToFormat(QImage.Format.Format_RGB32)
    return np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width()).copy()


def contrasts(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The contrast of colours, pairwise, as WCAG counts it: 1 to 21."""
    first, second = _luminance(one), _luminance(other)
    return (np.maximum(first, second) + 0.05) / (np.minimum(first, second) + 0.05)


def _luminance(colours: np.ndarray) -> np.ndarray:
    red, green, blue = _channels(colours)
    return 0.2126 * _LINEAR[red] + 0.7152 * _LINEAR[green] + 0.0722 * _LINEAR[blue]


def _channels(colours: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Red, green and blue, 0 to 255."""
    return colours >> 16 & 255, colours >> 8 & 255, colours & 255
