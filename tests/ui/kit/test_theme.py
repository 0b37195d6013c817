"""Both themes: contrast, the style sheet, fonts, lengths and icons."""

from __future__ import annotations

import gc
import re
from functools import cache
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QFont, QFontDatabase
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.ui.inspect.charts.painting import contrast
from app.ui.kit.theme import LineIcon, Theme, mark, read_roles
from tests.conftest import ROOT

RESOURCES = ROOT / "resources"
THEMES = ("light", "dark")
TEXT_ON = [
    (ink, ground)
    for ink, grounds in {
        "ink": "desk frame frame_hover paper panel raised field hover pressed answer_ground other_ground accent_ground"
        " fault_ground mark_faint track " + " ".join(f"name_{number}" for number in range(1, 9)),
        "ink_quiet": "desk frame frame_hover paper panel raised field hover accent_ground fault_ground",
        "accent": "desk panel paper raised accent_ground",
        "likely": "desk panel paper frame",
        "fault": "desk panel paper fault_ground",
        "on_accent": "accent accent_hover",
        "selection_ink": "selection",
        "tip_ink": "tip",
        **{f"name_{number}_line": f"name_{number} paper panel" for number in range(1, 9)},
    }.items()
    for ground in grounds.split()
]
# Shapes without text: WCAG demands a contrast of 3 : 1 for the parts of controls.
SHAPE_ON = [("focus", g) for g in ("desk", "panel", "paper", "frame", "raised", "field")] + [
    ("line_strong", "field"),
    ("answer_line", "paper"),
    ("answer_line", "answer_ground"),
    ("own_line", "paper"),
    ("own_line", "own_ground"),
    ("print_own_line", "print_own"),
    ("found_line", "paper"),
    ("found_line", "found_ground"),
    ("print_found_line", "print_found"),
]


@cache
def roles(name: str) -> dict[str, str]:
    return read_roles(RESOURCES / "themes" / f"{name}.toml")


def colour(name: str, role: str) -> QColor:
    return QColor(roles(name)[role])


@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize(("pairs", "least"), [(TEXT_ON, 4.5), (SHAPE_ON, 3.0)], ids=["texts", "shapes"])
def test_texts_can_be_read_and_shapes_seen(name: str, pairs: list[tuple[str, str]], least: float) -> None:
    assert not [pair for pair in pairs if contrast(*(colour(name, role) for role in pair)) < least]


def test_both_themes_have_the_same_roles() -> None:
    light, dark = (set(roles(name)) for name in THEMES)
    assert light == dark


def test_a_role_without_its_base_colour_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "odd.toml"
    path.write_text('[base]\nred = "#f00"\n[roles]\nink = "crimson"\n', encoding="utf-8")
    with pytest.raises(ValueError, match="ink"):
        read_roles(path)


@pytest.mark.parametrize("name", THEMES)
def test_the_style_sheet_has_no_placeholder_left(theme: Theme, name: str) -> None:
    theme.choose(name)
    sheet = theme.stylesheet()
    assert "@" not in sheet
    assert not re.search(r"\d+u\b", sheet)
    for file in re.findall(r'url\("([^"]+)"\)', sheet):
        assert Path(file).is_file()


def test_changed_is_sent_once_for_a_change(theme: Theme, qtbot: QtBot) -> None:
    heard: list[str] = []
    theme.changed.connect(lambda: heard.append(theme.name))
    theme.choose("light")
    assert heard == []
    theme.choose("dark")
    assert heard == ["dark"]
    theme.choose("light", 1.3)
    assert heard == ["dark", "light"]


def test_text_and_steps_grow_together(theme: Theme) -> None:
    small = theme.font("ui").pixelSize(), theme.step(10)
    theme.choose("light", 1.5)
    large = theme.font("ui").pixelSize(), theme.step(10)
    assert large[0] == pytest.approx(small[0] * 1.5, abs=1)
    assert large[1] >= small[1] * 1.3


def test_steps_are_the_same_in_a_font_with_taller_lines(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = set()
    for family in QFontDatabase.families():
        monkeypatch.setattr("app.ui.kit.theme._base_font", lambda family=family: QFont(family))
        steps.add(Theme(RESOURCES).step(100))
    assert len(steps) == 1


def test_a_widget_takes_the_themes_colours(theme: Theme, qtbot: QtBot) -> None:
    button = QPushButton("Go")
    button.setProperty("kind", "primary")
    button.resize(120, 40)
    qtbot.addWidget(button)
    for name in THEMES:
        theme.choose(name)
        button.ensurePolished()
        assert button.grab().toImage().pixelColor(20, 8).name() == theme.colour("accent").name()


@pytest.mark.parametrize("path", sorted((RESOURCES / "icons").glob("*.svg")), ids=lambda path: path.stem)
def test_every_icon_draws_something(theme: Theme, path: Path) -> None:
    theme.choose("dark")
    image = theme.icon(path.stem, "ink").pixmap(QSize(20, 20)).toImage()
    drawn = [
        image.pixelColor(x, y) for x in range(20) for y in range(20) if image.pixelColor(x, y).alpha() > 100
    ]
    assert len(drawn) > 4
    if "currentColor" in path.read_text(encoding="utf-8"):
        ink = theme.colour("ink")
        # But for rounding, where a line is drawn soft.
        assert any(abs(one.red() - ink.red()) + abs(one.blue() - ink.blue()) < 12 for one in drawn)


def test_widgets_that_the_desktop_styles_get_our_font(theme: Theme) -> None:
    kinds = ("QPushButton", "QToolButton", "QCheckBox", "QHeaderView")
    for kind in kinds:
        QApplication.setFont(QFont("Serif", 31), kind)
    theme.choose("dark", 1.0)
    theme.choose("light", 1.0)
    assert {QApplication.font(kind).pixelSize() for kind in kinds} == {theme.font("ui").pixelSize()}
    assert {QApplication.font(kind).family() for kind in kinds} == {theme.font("ui").family()}


def test_a_marked_widget_follows_every_change_by_itself(theme: Theme, qtbot: QtBot) -> None:
    page, label = QWidget(), QLabel("Found")
    qtbot.addWidget(page)
    column = QVBoxLayout(page)
    column.addWidget(label)
    mark(label, type="winner", ink="quiet")
    theme.space(column, 2, (1, 2, 3, 4))
    theme.in_steps(page.setMinimumWidth, 50)
    icon = theme.icon("ask", "ink")
    for name, scale in (("light", 1.0), ("dark", 1.5)):
        theme.choose(name, scale)
        label.ensurePolished()
        assert label.font().pixelSize() == theme.font("winner").pixelSize()
        assert label.font().families() == theme.font("winner").families()
        assert label.palette().windowText().color() == theme.colour("ink_quiet")
        assert (column.spacing(), column.contentsMargins().bottom()) == (theme.step(2), theme.step(4))
        assert page.minimumWidth() == theme.step(50)
        drawn = icon.pixmap(QSize(20, 20)).toImage()
        darkest = max((drawn.pixelColor(x, y) for x in range(20) for y in range(20)), key=QColor.alpha)
        assert abs(darkest.red() - theme.colour("ink").red()) < 12
    page.setParent(other := QWidget())
    qtbot.addWidget(other)
    assert label.font().pixelSize() == theme.font("winner").pixelSize()


def test_icons_outlive_their_theme(qapp: QApplication) -> None:
    # One that went with its theme was taken apart by the collector after its engine, and that was the end of the run.
    theme, other = Theme(RESOURCES), Theme(RESOURCES)
    for each in (theme, other):
        each.choose("light")
    held = theme.icon("ask")
    assert held is other.icon("ask")
    assert held is not other.icon("ask", "ink")
    assert held is not other.icon("history")
    engines = [one for one in gc.get_objects() if isinstance(one, LineIcon)]
    del theme, other, each
    gc.collect()
    assert {id(one) for one in gc.get_objects() if isinstance(one, LineIcon)} == {id(one) for one in engines}
    assert not held.pixmap(16).isNull()
