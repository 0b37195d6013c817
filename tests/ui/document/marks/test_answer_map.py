"""The map along the scroll bar: marks, heat, and where a click goes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from app.ui.document.marks.answer_map import AnswerMap, heat_over_height
from app.ui.kit.theme import Theme


@pytest.fixture
def bar(theme: Theme, qtbot: QtBot) -> AnswerMap:
    bar = AnswerMap(theme)
    qtbot.addWidget(bar)
    bar.resize(bar.sizeHint().width(), 600)
    bar.setRange(0, 900)
    bar.setPageStep(100)
    bar.show()
    return bar


def strip(bar: AnswerMap) -> list[int]:
    """Return the blue of each pixel of the heat strip, from the top down: amber has little."""
    image: QImage = bar.grab().toImage()
    x = round(bar._track().left()) + 1
    return [image.pixelColor(x, y).blue() for y in range(image.height())]


@pytest.mark.parametrize("look", ["light", "dark"])
def test_it_is_hotter_where_an_answer_is_likelier(bar: AnswerMap, look: str) -> None:
    bar._theme.choose(look)
    bar.setValue(900)
    cold = bar.grab().toImage()
    heat = [0.0] * 256
    heat[60:64], heat[150:154] = [0.9] * 4, [0.4] * 4
    bar.set_heat(heat)
    hot = bar.grab().toImage()
    x = round(bar._track().left()) + 1

    def change(part: float) -> int:
        y = round(bar._track().top() + part / 256 * bar._track().height())
        one, two = cold.pixelColor(x, y), hot.pixelColor(x, y)
        return sum(abs(a - b) for a, b in zip(one.getRgb(), two.getRgb(), strict=True))

    assert change(62) > change(152) * 1.3 > 0 and change(152) > 20
    assert change(100) == 0 and change(20) == 0
    bar.set_heat(())
    assert bar.grab().toImage() == cold


def test_one_hot_part_is_seen_on_a_low_bar(bar: AnswerMap) -> None:
    bar.setValue(0)
    for height in (120, 333, 600):
        bar.resize(bar.width(), height)
        bar.set_heat(())
        cold = strip(bar)
        for part in (100, 101, 177, 200):
            bar.set_heat([0.8 if at == part else 0.0 for at in range(256)])
            assert max(before - after for before, after in zip(cold, strip(bar), strict=True)) > 50


def test_a_click_goes_to_its_place_and_near_a_hot_one_to_that(bar: AnswerMap, qtbot: QtBot) -> None:
    heat = [0.0] * 256
    heat[200] = 0.7
    bar.set_heat(heat)
    gone: list[float] = []
    bar.place_clicked.connect(gone.append)
    y = bar._track().top() + 200.5 / 256 * bar._track().height()
    for off in (0, 3):
        place = QPointF(bar.width() / 2, y + off)
        assert bar.tip_at(place) == "Answers were seen here, at most 70% likely"
        qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=place.toPoint())
    assert gone == [pytest.approx(200.5 / 256)] * 2
    cold = QPointF(bar.width() / 2, y - 100)
    assert bar.tip_at(cold) == ""
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=cold.toPoint())
    track = bar._track()
    assert gone[2:] == [pytest.approx((cold.y() - track.top()) / track.height(), abs=2 / track.height())]
    bar.setValue(0)
    handle = bar._slider().center().toPoint()
    qtbot.mousePress(bar, Qt.MouseButton.LeftButton, pos=handle)
    qtbot.mouseMove(bar, handle + QPoint(0, 60))
    qtbot.mouseRelease(bar, Qt.MouseButton.LeftButton, pos=handle + QPoint(0, 60))
    assert len(gone) == 3 and bar.value() > 0, "the handle is dragged"


def test_a_mark_goes_before_the_heat_under_it(bar: AnswerMap, qtbot: QtBot) -> None:
    bar.set_heat([0.5] * 256)
    bar.set_marks([0.5, -1.0, 0.8], 2)
    chosen: list[int] = []
    bar.mark_clicked.connect(chosen.append)
    for index in (0, 2):
        qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.mark_rect(index).center().toPoint())
    assert chosen == [0, 2]
    assert bar.accessibleDescription() == "2 places marked"
    assert bar.tip_at(bar.mark_rect(2).center()) == "The place that is shown"


def test_a_text_that_is_seen_whole_has_no_map(bar: AnswerMap) -> None:
    bar.setRange(0, 0)
    bare = bar.grab().toImage()
    bar.set_marks([0.7], 0)
    bar.set_heat([0.9] * 256)
    assert bar.grab().toImage() == bare and bar.tip_at(bar.mark_rect(0).center()) == ""
    bar.setRange(0, 900)
    bar.setValue(0)
    assert bar.grab().toImage() != bare and bar.tip_at(bar.mark_rect(0).center())


@given(
    some.lists(some.tuples(some.floats(0, 1), some.floats(0, 1), some.floats(0, 1)), min_size=1, max_size=40)
)
def test_every_hot_part_of_the_text_is_hot_where_it_stands(parts: list[tuple[float, float, float]]) -> None:
    heat = [value for value, _, _ in parts]
    ranges = [(min(ends), max(ends)) for _, *ends in parts]
    spread = heat_over_height(heat, ranges)
    count = len(heat)
    assert len(spread) == count and max(spread) == max(heat)
    for value, (top, bottom) in zip(heat, ranges, strict=True):
        assert spread[min(count - 1, int((top + bottom) / 2 * count))] >= value
    for part, value in enumerate(spread):
        low, high = part / count - 1e-9, (part + 1) / count + 1e-9
        assert value <= max(
            (v for v, (a, b) in zip(heat, ranges, strict=True) if a < high and b > low), default=0
        )
