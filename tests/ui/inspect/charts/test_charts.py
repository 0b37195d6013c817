"""What all charts share: keys, descriptions for a screen reader, numbers, pictures in both themes."""

from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ElementTree

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.ui.inspect.charts.attention import AttentionGrid, AttentionHeads, AttentionLines
from app.ui.inspect.charts.export import file_bytes, picture
from app.ui.inspect.charts.matrix import Matrix
from app.ui.inspect.charts.painting import diverging
from app.ui.inspect.charts.score_change import ScoreChange
from app.ui.inspect.charts.span_matrix import SpanMatrix
from app.ui.inspect.charts.token_bars import LOGITS, PROBABILITIES, BarsSizes, TokenBars
from app.ui.inspect.charts.token_text import TokenText
from app.ui.inspect.charts.vector_strip import VectorStrip
from app.ui.kit.chart import Chart
from app.ui.kit.theme import Theme
from tests.helpers import insides
from tests.ui.inspect.charts.conftest import KINDS, LONG, Make, chart_of

SVG = "{http://www.w3.org/2000/svg}"


def pixels(chart: Chart) -> QImage:
    return chart.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


@pytest.mark.parametrize("kind", KINDS)
def test_keys_move_announce_and_copy(make: Make, kind: type[Chart]) -> None:
    chart = make(kind)
    heard: list[int] = []
    chart.hovered.connect(heard.append)
    first = Qt.Key.Key_Down if isinstance(chart, Matrix) else Qt.Key.Key_Right
    QTest.keyClick(chart, first)
    assert chart.current >= 0 and heard == [chart.current]
    begun = chart.current
    QTest.keyClick(chart, first)
    assert chart.current == begun + 1 and heard[-1] == chart.current
    assert chart.accessibleDescription() == chart.describe(chart.current)
    assert any(each.isdigit() for each in chart.describe(chart.current))
    if not isinstance(chart, Matrix):
        QTest.keyClick(chart, Qt.Key.Key_End)
        assert chart.current == chart.count() - 1
        QTest.keyClick(chart, Qt.Key.Key_Right)
        assert chart.current == chart.count() - 1
        QTest.keyClick(chart, Qt.Key.Key_Home)
        assert chart.current == 0
    taken: list[int] = []
    chart.chosen.connect(taken.append)
    QTest.keyClick(chart, Qt.Key.Key_Return)
    assert taken == [chart.current]
    # Setting the current place sends no signal.
    heard.clear()
    chart.set_current(2)
    assert chart.current == 2 and heard == []
    chart.set_current(chart.count())
    assert chart.current == 2
    chart.set_current(-1)
    assert chart.current == -1 and chart.accessibleDescription()
    rows = list(csv.reader(io.StringIO(chart.csv())))
    assert len(rows) == len(chart.table().rows) + 1 > 2
    assert {len(row) for row in rows} == {len(chart.table().columns)}
    if kind not in (SpanMatrix, AttentionLines):
        assert len(rows) == chart.count() + 1
    QGuiApplication.clipboard().clear()
    QTest.keyClick(chart, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == chart.table().csv("\t")


@pytest.mark.parametrize("kind", KINDS)
def test_a_chart_is_saved_as_svg_and_png_in_either_theme(make: Make, theme: Theme, kind: type[Chart]) -> None:
    chart = make(kind)
    light = picture(chart)
    theme.choose("dark")
    assert picture(chart) != light
    drawing = ElementTree.fromstring(file_bytes(chart, ".svg"))
    size = chart.picture_size()
    assert drawing.tag == f"{SVG}svg"
    assert drawing.get("viewBox") == f"0 0 {size.width()} {size.height()}"
    assert len(list(drawing.iter())) > 10
    image = QImage.fromData(file_bytes(chart, ".png"))
    assert image.size() == size * 2
    assert image.pixelColor(0, 0) == theme.colour("panel")
    colours = {image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)}
    assert len(colours) > 3


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind is not ScoreChange])
def test_a_long_window_fits_and_its_current_place_is_visible(
    theme: Theme, qtbot: QtBot, kind: type[Chart]
) -> None:
    chart = chart_of(kind, theme, LONG)
    qtbot.addWidget(chart)
    chart.resize(700, 500)
    chart.show()
    chart.resize(700, max(500, chart.sizeHint().height()))
    assert chart.minimumSizeHint().width() <= 700
    for place in (0, chart.count() // 2, chart.count() - 1):
        chart.set_current(place)
        before = pixels(chart)
        chart.set_current(-1)
        assert pixels(chart) != before, "the current place is not seen"
    assert picture(chart).width() <= 16_000


@pytest.mark.parametrize("kind", [TokenBars, VectorStrip, AttentionLines, ScoreChange])
def test_the_mouse_moves_the_current_place(make: Make, kind: type[Chart]) -> None:
    chart = make(kind)
    heard: list[int] = []
    chart.hovered.connect(heard.append)
    inside = next(
        QPoint(x, y)
        for y in range(5, chart.height(), 5)
        for x in range(chart.width() // 2, chart.width(), 5)
        if chart.place_at(QPointF(x, y)) > 0
    )
    QTest.mouseMove(chart, inside)
    assert heard == [chart.place_at(QPointF(inside))] == [chart.current]


def test_bars_scroll_to_the_current_token_and_by_the_overview(theme: Theme, qtbot: QtBot) -> None:
    bars = chart_of(TokenBars, theme, LONG)
    qtbot.addWidget(bars)
    bars.resize(700, bars.sizeHint().height())
    bars.show()
    bars.resize(700, bars.sizeHint().height())
    QTest.keyClick(bars, Qt.Key.Key_End)
    seen = [bars.place_at(QPointF(x, 60.0)) for x in range(60, 690)]
    assert bars.count() - 1 in seen and 0 not in seen
    strip = bars.overview()
    QTest.mouseClick(bars, Qt.MouseButton.LeftButton, pos=strip.topLeft().toPoint() + QPoint(2, 4))
    assert bars.place_at(QPointF(strip.left() + 4, 60.0)) == 0


@pytest.mark.parametrize("kind", [SpanMatrix, AttentionGrid])
def test_keys_move_through_a_matrix_cell_by_cell(make: Make, kind: type[Matrix]) -> None:
    matrix = make(kind)
    cells: list[tuple[int, int]] = []
    matrix.cell_hovered.connect(lambda row, column: cells.append((row, column)))
    QTest.keyClick(matrix, Qt.Key.Key_Right)
    row, column = cells[-1]
    QTest.keyClick(matrix, Qt.Key.Key_Left)
    assert cells[-1] == (row, column - 1)
    for key in (Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Up, Qt.Key.Key_PageDown, Qt.Key.Key_PageUp):
        QTest.keyClick(matrix, key)
        assert matrix.level(*cells[-1]) > 0, "a cell that is none was reached"
        assert cells[-1] == (matrix.current, matrix.column)


def test_heads_are_painted_one_at_a_time(make: Make, qtbot: QtBot) -> None:
    heads = make(AttentionHeads)
    assert len(heads._images) < heads.count()
    qtbot.waitUntil(lambda: len(heads._images) == heads.count())


def colour_at(chart: Chart, x: float, y: float) -> QColor:
    return QColor(pixels(chart).pixel(round(x), round(y)))


def near(one: QColor, other: QColor, most: int = 6) -> bool:
    return all(
        abs(a - b) <= most
        for a, b in zip(one.getRgb()[:3], other.getRgb()[:3], strict=True)  # type: ignore[index]
    )


def test_a_strips_cells_have_the_colours_of_their_numbers(make: Make, theme: Theme) -> None:
    strip = make(VectorStrip)
    found = insides.pooling(insides.ASKED)
    largest = max(map(abs, (*found.first, *found.pooled)))
    strip.set_current(200)
    strip.set_current(-1)
    lens = strip._lens_top()
    for at in (0, 3, 9):
        for line, vector in enumerate((found.first, found.pooled)):
            share = (abs(vector[at]) / largest) ** 0.5 * (1 if vector[at] > 0 else -1)
            x = strip._strips(strip.width()).left() + (at + 0.5) * strip._cell()
            y = lens + (line + 0.5) * strip._cell()
            assert near(colour_at(strip, x, y), diverging(theme, share))
            assert strip.place_at(QPointF(x, y)) == at
    strip.set_vectors((("zero", (0.0, 0.0)),))
    assert "zero 0" in strip.describe(1) and not strip.grab().isNull()


def test_the_chosen_spans_bars_stand_out_and_point_away(make: Make, theme: Theme) -> None:
    bars = make(TokenBars)
    scores, sizes = insides.span_scores(insides.ASKED), BarsSizes(theme)
    best = scores.spans[0]
    for measure in (LOGITS, PROBABILITIES):
        bars.set_measure(measure)
        for token, y in ((best.first, sizes.top + 4), (best.last, sizes.bottom - 12)):
            x = sizes.left + bars.columns.left(token + 0.5)
            assert near(colour_at(bars, x, y), theme.colour("answer_line")), (measure, token)


def test_words_are_shaded_by_their_numbers(make: Make, theme: Theme) -> None:
    text = make(TokenText)
    values = [0.0] * text.count()
    values[8], values[10] = 4.0, -4.0
    text.set_values(values, "logits")
    for index, role in ((8, "scale_high"), (10, "scale_low")):
        shade = text.shade(index)
        assert shade is not None and near(shade, theme.colour(role), 30)
        place = text._flow.rects(index)[0].translated(text._edge(), text._edge())
        assert near(colour_at(text, place.left() + 4, place.top() + 2), shade)
    assert text.shade(9) is None
    assert "−4.00 logits" in text.describe(10)


def test_a_score_that_falls_has_its_bar_to_the_left(make: Make, theme: Theme) -> None:
    change = make(ScoreChange)
    worst = min(range(change.count()), key=change.change)
    assert change.change(worst) == pytest.approx(2.0 - 13.75)
    assert "holds the answer" in change.describe(worst)
    y = change.top() + (worst + 0.5) * change.row_height()
    image = pixels(change)
    blue = [
        x for x in range(image.width()) if near(QColor(image.pixel(x, round(y))), theme.colour("scale_low"))
    ]
    assert len(blue) > 50


def test_the_matrix_agrees_with_the_scores_of_the_spans(make: Make) -> None:
    matrix = make(SpanMatrix)
    for span in insides.span_scores(insides.ASKED).spans:
        assert matrix.probability(span.first, span.last) == pytest.approx(span.probability, rel=1e-6)
        assert matrix.score(span.first, span.last) == pytest.approx(span.score)
        assert f"“{' '.join(span.text.split())}”" == matrix.lines(span.first, span.last)[0]
    best = insides.span_scores(insides.ASKED).spans[0]
    assert matrix.table().rows[0][:3] == (best.first + 1, best.last + 1, best.text)
