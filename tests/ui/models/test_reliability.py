"""The chart of a reader's reliability with its words: for which bins it is there, what it says, in both themes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from app.core.reliability import TextKind, bins_of
from app.flows.teach.calibration import OwnVerdicts
from app.ui.inspect.charts.painting import contrast
from app.ui.kit.theme import Theme
from app.ui.models.reliability import TITLE, ReliabilityCard
from tests.conftest import ROOT

PARAGRAPHS = bins_of([(0.75, at < 30) for at in range(40)] + [(0.95, True)] * 20 + [(0.15, False)] * 9)
TABLES = bins_of([(0.55, at < 8) for at in range(10)])
FEW = bins_of([(0.25, True)] * 9)
OWN = bins_of([(0.85, at < 2) for at in range(4)] + [(0.55, True)] * 3 + [(0.25, True)] * 2)
BINS = {TextKind.TABLES: TABLES, TextKind.PARAGRAPHS: PARAGRAPHS, TextKind.LONG_DOCUMENTS: FEW}


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    theme = Theme(ROOT / "resources")
    theme.choose("light")
    yield theme
    theme.choose("light")


@pytest.fixture
def card(theme: Theme, qtbot: QtBot) -> ReliabilityCard:
    card = ReliabilityCard(theme)
    qtbot.addWidget(card)
    card.resize(680, 400)
    return card


def said(card: ReliabilityCard) -> list[str]:
    return [label.text().replace("\N{NO-BREAK SPACE}", " ") for label in card.findChildren(QLabel)
            if label.isVisibleTo(card)]  # fmt: skip


def test_the_card_is_shown_only_for_bins_with_enough_questions(card: ReliabilityCard) -> None:
    assert card.isHidden()
    card.show_bins({TextKind.TABLES: TABLES})
    assert not card.isHidden() and card.chart.count() == 1
    card.show_bins({TextKind.LONG_DOCUMENTS: FEW})
    assert card.isHidden()
    card.show_bins({})
    assert card.isHidden() and card.chart.count() == 0


def test_each_kind_is_described_for_the_screen_reader_too(card: ReliabilityCard) -> None:
    card.show_bins(BINS)
    lines = [
        "Paragraphs: off by 3 points on average (69 questions)",
        "Tables: off by 25 points on average (10 questions)",
    ]
    assert [line for line in said(card) if " off by " in line] == lines
    assert card.chart.accessibleName() == TITLE
    assert card.chart.accessibleDescription().startswith(". ".join(lines))
    assert card.chart.table().rows == (
        ("paragraphs", 0.7, 0.8, 40, 0.75, 0.75),
        ("paragraphs", 0.9, 1.0, 20, pytest.approx(0.95), 1.0),
        ("tables", 0.5, 0.6, 10, pytest.approx(0.55), 0.8),
    )


def test_the_current_mark_is_described(card: ReliabilityCard) -> None:
    card.show_bins(BINS)
    QTest.keyClick(card.chart, Qt.Key.Key_End)
    words = "Tables: says 55% on average, is right in 80% of 10 questions"
    assert words in said(card)
    card.show_bins(BINS)
    assert words not in said(card)


def test_marks_are_placed_by_their_numbers(card: ReliabilityCard) -> None:
    card.show_bins(BINS)
    card.show()
    chart = card.chart
    points = [chart._point(mark.bin) for mark in chart._marks]
    assert [chart.place_at(point) for point in points] == [0, 1, 2]
    seventy, ninety, tables = points
    assert tables.x() < seventy.x() < ninety.x()
    assert ninety.y() < tables.y() < seventy.y(), "upwards is right more often"
    assert chart.place_at(chart._plot().bottomLeft()) == -1


@pytest.mark.parametrize("name", ["light", "dark"])
def test_marks_are_visible_in_both_themes(card: ReliabilityCard, theme: Theme, name: str) -> None:
    card.show_bins(BINS)
    card.show()
    theme.choose(name)
    seen = card.chart.grab().toImage()
    for mark in card.chart._marks:
        at = card.chart._point(mark.bin).toPoint() * seen.devicePixelRatio()
        assert contrast(seen.pixelColor(at), theme.colour("panel")) >= 3


def test_the_words_move_below_the_chart_in_a_narrow_card(card: ReliabilityCard, qtbot: QtBot) -> None:
    card.show_bins(BINS)
    card.show()
    line = next(label for label in card.findChildren(QLabel) if " off by " in label.text())
    qtbot.waitUntil(lambda: line.x() > card.chart.geometry().right())
    card.resize(400, 900)
    qtbot.waitUntil(lambda: line.y() > card.chart.geometry().bottom())
    card.resize(240, 900)
    qtbot.waitUntil(lambda: card.chart.width() == card.width() == 240)


def test_the_persons_verdicts_are_a_series_of_their_own(card: ReliabilityCard) -> None:
    card.show_bins({TextKind.TABLES: TABLES}, OwnVerdicts(64, OWN))
    line = "Your verdicts: says 62% on average, is right in 78% (9 answers)"
    assert line in said(card)
    assert card.chart.table().rows[1:] == (
        ("your verdicts", 0.5, 0.6, 3, pytest.approx(0.55), 1.0),
        ("your verdicts", 0.8, 0.9, 4, pytest.approx(0.85), 0.5),
    )
    QTest.keyClick(card.chart, Qt.Key.Key_End)
    assert "Your verdicts: says 85% on average, is right in 50% of 4 answers" in said(card)
    card.show_bins({TextKind.TABLES: TABLES})
    assert card.chart.count() == 1 and not any(words.startswith("Your verdicts") for words in said(card))
    assert card.follow.isHidden()


def test_the_adjustment_can_be_turned_off_from_fifty_verdicts_on(card: ReliabilityCard, qtbot: QtBot) -> None:
    card.show_bins({}, OwnVerdicts(12, bins_of([])))
    assert not card.isHidden() and card.chart.isHidden() and card.follow.isHidden()
    assert "Its probabilities are adjusted from 50 verdicts on: 12 so far." in said(card)
    card.show_bins({}, OwnVerdicts(64, OWN))
    card.show()
    assert card.follow.isVisible() and card.follow.isChecked()
    with qtbot.waitSignal(card.follow_requested) as told:
        card.follow.click()
    assert told.args == [False]
    card.show_bins({}, OwnVerdicts(64, OWN, followed=False))
    assert not card.follow.isChecked()
