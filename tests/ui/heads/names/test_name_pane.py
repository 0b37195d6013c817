"""Names in the pane: highlighted where the text has their words, whatever the text; only visible ones are drawn."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.results import Entity
from app.core.text import Offsets, Span
from app.ui.document.marks.searchable import text_at
from app.ui.heads.names.name_pane import NamePane
from app.ui.heads.names.name_styles import styles_of
from app.ui.kit.theme import Theme
from tests.conftest import ROOT

RESOURCES = ROOT / "resources"
PIECES = (
    "word", " ", ". ", "\n", "\r\n", "\n\n", "\t", "\0", "\u00ad", "\u2028", "\ufffc", "\ufeff", "\u00a0",
    "👩\u200d👩\u200d👧\u200d👦", "👍🏽", "🇩🇪", "e\u0301", "שָׁלוֹם", "مرحبا بالعالم", "\u202eabc\u202c", "𝔘𝔫𝔦",
    "漢字かな", "ไทย", "क्षि", "\ud83d", "ﬁ", "\x85",
)  # fmt: skip
STYLES = styles_of(("PER", "LOC", "ORG"))


@pytest.fixture
def pane(qapp: QApplication, qtbot: QtBot) -> NamePane:
    theme = Theme(RESOURCES)
    theme.choose("light")
    pane = NamePane(theme)
    theme.setParent(pane)
    qtbot.addWidget(pane)
    pane.resize(760, 600)
    pane.show()
    return pane


def named(text: str, places: list[Span]) -> list[Entity]:
    return [
        Entity(place, place.of(text), STYLES[number % 3].label, 0.9) for number, place in enumerate(places)
    ]


def test_highlights_cover_the_names_in_random_texts(pane: NamePane) -> None:
    chance = random.Random(7)
    lit = 0
    for _ in range(150):
        pane.set_text("".join(chance.choices(PIECES, k=chance.randint(1, 60))))
        text = pane.text()
        cuts = sorted(chance.sample(range(len(text) + 1), k=min(len(text) + 1, 8)))
        places = [Span(start, end) for start, end in list(pairwise(cuts))[::2] if start < end]
        shown = pane.show_names(named(text, places), STYLES)
        assert shown == [True] * len(places)
        assert pane.lit() == [place.of(text) for place in places]
        offsets = Offsets(text)
        for index, place in enumerate(places):
            start, end = offsets.span_to_qt(place)
            assert text_at(pane.document(), start, end) == place.of(text)
            assert pane.names.at(start) == pane.names.at(end - 1) == index
            lit += 1
        outside = set(range(len(text))) - {at for place in places for at in range(place.start, place.end)}
        assert all(pane.names.at(offsets.to_qt(at)) == -1 for at in outside)
    assert lit > 200


def test_a_span_with_other_words_is_not_highlighted(pane: NamePane) -> None:
    pane.set_text("Alice met Bill.")
    names = [
        Entity(Span(0, 5), "Alice", "PER", 0.9),
        Entity(Span(10, 14), "Tom!", "PER", 0.9),
        Entity(Span(12, 99), "x", "PER", 0.9),
    ]
    assert pane.show_names(names, STYLES) == [True, False, False]
    assert pane.names.at(11) == -1
    assert pane.light_boxes(1) == []


def colours_at(pane: NamePane, index: int) -> set[str]:
    """The colours in a name's box as it stands on the screen."""
    image = pane.viewport().grab().toImage()
    (box,) = pane.light_boxes(index)
    ratio = image.devicePixelRatio()
    return {
        image.pixelColor(round(x * ratio), round(y * ratio)).name()
        for x in range(int(box.left()), int(box.right()))
        for y in range(int(box.top()) + 3, int(box.bottom()))
    }


def test_each_type_has_its_background_and_a_hidden_one_has_none(pane: NamePane, qtbot: QtBot) -> None:
    pane.set_text("Alice went to Oxford for Acme.")
    places = [Span(0, 5), Span(14, 20), Span(25, 29)]
    pane.show_names(named(pane.text(), places), STYLES)
    for index, style in enumerate(STYLES):
        assert pane._theme.colour(style.ground).name() in colours_at(pane, index)
    pane.hide_types(frozenset({"LOC"}))
    assert pane.light_boxes(1) == []
    assert pane.names.at(15) == -1
    pane.hide_types(frozenset())
    assert pane._theme.colour(STYLES[1].ground).name() in colours_at(pane, 1)


def test_only_visible_names_are_drawn(pane: NamePane) -> None:
    line = "Alice met Bill in Oxford.\n"
    pane.set_text(line * 3000)
    places = [
        Span(at * len(line) + start, at * len(line) + start + 5) for at in range(3000) for start in (0, 9)
    ]
    pane.show_names(named(pane.text(), places), STYLES)
    pane.map.setValue(1500)
    pane.viewport().repaint()
    drawn = {index for index, _, _ in pane.names._boxes}
    assert 10 < len(drawn) < 100
    assert 3000 in drawn
    assert drawn == set(range(min(drawn), max(drawn) + 1))


def test_a_name_over_several_lines_is_drawn_in_each_with_its_type_once(pane: NamePane) -> None:
    name = "Llanfairpwllgwyngyll " * 12
    pane.set_text(f"In {name}.")
    place = Span(3, 3 + len(name) - 1)
    pane.show_names(named(pane.text(), [place]), STYLES)
    pane.viewport().repaint()
    firsts = [first for _, _, first in pane.names._boxes]
    assert len(firsts) > 2
    assert firsts.count(True) == 1


def test_styles_differ_in_more_than_colour(pane: NamePane) -> None:
    styles = styles_of([f"T{number}" for number in range(24)])
    looks = {(style.ground, style.number % 6) for style in styles}
    assert len(looks) == len({style.letters for style in styles}) == 24
    for style in styles:
        assert QColor(pane._theme.colour(style.ground)).isValid()
        assert QColor(pane._theme.colour(style.line)).isValid()


def test_replacing_a_text_can_be_undone_unless_it_is_very_long(pane: NamePane) -> None:
    pane.replace("first")
    pane.replace("second")
    pane.undo()
    assert pane.text() == "first"
    pane.replace("long text.\n" * 100_000)
    assert not pane.document().isUndoAvailable()
