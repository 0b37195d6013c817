"""The tree that a screen reader reads, as Qt gives it, and the rules for what stands in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QWidget

Role, Text = QAccessible.Role, QAccessible.Text
# What a person uses, and what therefore has a name.
CONTROLS = {
    Role.Button, Role.ButtonMenu, Role.CheckBox, Role.RadioButton, Role.ComboBox, Role.EditableText, Role.SpinBox,
    Role.Slider, Role.List, Role.Table, Role.Tree, Role.ListItem, Role.Cell, Role.PageTab, Role.PageTabList,
    Role.Chart, Role.ProgressBar, Role.Link, Role.MenuItem, Role.Dialog,
}  # fmt: skip
# Rows of a list and cells of a table that are looked at.
_MOST_CHILDREN = 60


@dataclass(frozen=True)
class Node:
    """What a screen reader is told of one thing; `labelled` are the names of the labels that name it."""

    interface: QAccessibleInterface
    path: str
    role: Role
    name: str
    description: str
    labelled: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.path}: {self.role.name} {self.name!r} ({self.description[:60]!r})"

    @property
    def named(self) -> str:
        """The name that is read out."""
        return " ".join(self.labelled) or self.name


def nodes(widget: QWidget) -> Iterator[Node]:
    """Everything of a widget that can be seen, from the outside in."""
    yield from _below(QAccessible.queryAccessibleInterface(widget), "")


def _below(interface: QAccessibleInterface, above: str) -> Iterator[Node]:
    if interface.state().invisible:
        return
    thing = interface.object()
    path = f"{above}/{type(thing).__name__}" if thing is not None else above
    labelled = ()
    if thing is not None:
        labelled = tuple(
            other.text(Text.Name) for other, _ in interface.relations(QAccessible.RelationFlag.Label)
        )
    yield Node(
        interface,
        path,
        interface.role(),
        interface.text(Text.Name),
        interface.text(Text.Description),
        labelled,
    )
    for at in range(min(interface.childCount(), _MOST_CHILDREN)):
        child = interface.child(at)
        if child is not None and child.isValid():
            yield from _below(child, path)


def is_words(name: str) -> bool:
    """Whether a name can be read out: it has letters or figures, is no file's, and its sentences end once."""
    return bool(re.search(r"\w", name)) and not re.search(
        r"\.(svg|png|py)$|[?!.:,]\.(\s|$)", name.replace("…", "")
    )
