"""The picture of a model: its layout, its descriptions, keys, numbers."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QScrollArea
from pytestqt.qtbot import QtBot

from app.core.inside import ModelPicture, Stage
from app.core.inspection import Subject
from app.core.models import Head
from app.ui.inspect.charts import flow_layout as layout
from app.ui.inspect.charts.export import picture as picture_of
from app.ui.inspect.charts.flow_layout import FigureLayout, least_width
from app.ui.inspect.charts.flow_picture import FlowPicture
from app.ui.inspect.charts.flow_words import SharedStages, uses_first_token_only
from app.ui.kit.theme import Theme
from tests.conftest import ROOT
from tests.helpers import insides

LONG = replace(insides.ASKED, text=" ".join([insides.TEXT] * 9))
# Three tables read at once, added up: as embeddings really are.
STATES, READ = (1, 52, 384), (1, 52)
SIDE_BY_SIDE = (
    Stage("The text's pieces", "token ids", detail="a vocabulary of 9", output=READ),
    *(
        Stage(
            name, f"{name} embeddings", f"embeddings.{name}", "Embedding", "9 rows of 384", (READ,), STATES, 9
        )
        for name in ("word", "type", "place")
    ),
    Stage("Added up", "sum", kind="add", inputs=(STATES,) * 3, output=STATES),
    Stage("Left out", "dropout", "dropout", "Dropout", "p=0.1", (STATES,), STATES, training_only=True),
    Stage("Layers", "encoder layers", "layer", "Layer", "12 heads", (STATES,), STATES, 99, 6),
    Stage("Every state", "sequence output", output=STATES),
)


def real(subject: Subject = insides.ASKED) -> ModelPicture:
    return replace(insides.picture(subject), trunk=SIDE_BY_SIDE)


@pytest.fixture
def chart(theme: Theme, qtbot: QtBot) -> FlowPicture:
    made = FlowPicture(theme)
    qtbot.addWidget(made)
    made.resize(1100, 600)
    made.set_picture(insides.picture(insides.ASKED, held=(Head.NEXT_SENTENCE,)))
    made.resize(1100, made.sizeHint().height())
    made.show()
    return made


def columns(figure: layout.Figure) -> list[layout.Box]:
    return [box for box in figure.boxes if box.style in layout.COLUMNS]


def inner(figure: layout.Figure) -> list[layout.Box]:
    return [box for box in figure.boxes if box.style not in layout.COLUMNS]


def texts(figure: layout.Figure) -> list[str]:
    return [text.text for box in figure.boxes for text in box.texts] + [text.text for text in figure.texts]


@given(width=st.integers(200, 3000), subject=st.sampled_from([*insides.SUBJECTS, LONG]), tables=st.booleans())
def test_nothing_overlaps_at_any_width(
    theme_for_all: Theme, width: int, subject: Subject, tables: bool
) -> None:
    picture = real(subject) if tables else insides.picture(subject)
    figure = FigureLayout(theme_for_all, picture, width).lay_out()
    least = least_width(theme_for_all, picture)
    assert figure.size.width() == pytest.approx(max(width, least))
    whole = QRectF(0, 0, figure.size.width() + 0.5, figure.size.height() + 0.5)
    for part in (*figure.boxes, *figure.chips, *figure.cells):
        assert whole.contains(part.rect)
    for box in figure.boxes:
        assert all(box.rect.adjusted(-1, -1, 1, 1).contains(text.rect) for text in box.texts)
    boxes = inner(figure)
    for at, box in enumerate(boxes):
        assert not [other.description for other in boxes[at + 1 :] if other.rect.intersects(box.rect)]
    for arrow in figure.arrows:
        assert all(0 <= point.y() <= whole.bottom() for point in arrow.points)


@pytest.fixture(scope="module")
def theme_for_all(qapp: object) -> Theme:
    theme = Theme(ROOT / "resources")
    theme.choose("light")
    return theme


def test_stages_with_the_same_input_are_side_by_side(theme: Theme) -> None:
    figure = FigureLayout(theme, real(), 1100).lay_out()
    word, kind, place = (box for box in figure.boxes if "embeddings." in box.description)
    assert word.rect.top() == kind.rect.top() == place.rect.top()
    assert word.rect.right() < kind.rect.left() < place.rect.left()
    added = next(box for box in figure.boxes if box.description.startswith("Added up"))
    assert added.rect.top() > word.rect.bottom()
    assert added.rect.center().x() == pytest.approx(kind.rect.center().x())


def test_stages_that_compute_nothing_become_captions(theme: Theme) -> None:
    shared = SharedStages.of(real())
    assert shared.tokens == "token ids, a vocabulary of 9"
    assert shared.states == "sequence output, 1 × 52 × 384"
    assert [len(row) for row in shared.rows] == [3, 1, 1, 1]


def test_heads_of_the_first_token_come_first_and_the_one_in_use_is_wider(chart: FlowPicture) -> None:
    heads, found = insides.picture(insides.ASKED).heads, columns(chart._figure)
    first_only = {head.kind for head in heads if uses_first_token_only(head)}
    assert first_only == {"BertForSequenceClassification", "BertForNextSentencePrediction"}
    assert {box.description.split(": ")[1].split("\n")[0] for box in found[:2]} == first_only
    (used,) = (box for box in found if box.style == layout.COLUMN_USED)
    assert all(used.rect.width() > box.rect.width() for box in found if box is not used)


def test_shapes_weights_and_the_status_of_each_head_are_shown(chart: FlowPicture) -> None:
    said = texts(chart._figure)
    for wanted in ("1 × 52 × 384", "1 × 52 × 2", "10,646,784 weights", "6 encoder layer", "in use"):
        assert wanted in said
    assert said.count("in this model too, not in use") == 1
    assert said.count("not in this model") == 3
    assert "dropout, at training only" in said
    styles = [box.style for box in columns(chart._figure)]
    assert sorted(styles) == sorted([layout.COLUMN_USED, layout.COLUMN_IN_MODEL, *[layout.COLUMN] * 3])


def test_the_first_token_is_spelled_as_in_the_vocabulary(theme: Theme) -> None:
    picture = insides.picture(insides.REVIEW)
    first = replace(picture.window.tokens[0], piece="<s>")
    window = replace(picture.window, tokens=(first, *picture.window.tokens[1:]))
    assert "only the first token, <s>" in texts(
        FigureLayout(theme, replace(picture, window=window), 900).lay_out()
    )


def test_a_long_text_says_how_many_tokens_are_left_out(theme: Theme) -> None:
    figure = FigureLayout(theme, insides.picture(LONG), 1100).lay_out()
    left_out = 384 - len(figure.chips)
    assert f"and {left_out:,} more" in texts(figure)
    assert [cell.text for cell in figure.cells].count("…") == 1
    assert any("window 1 of 2" in text for text in texts(figure))


def test_boxes_are_described_by_mouse_and_by_keys(chart: FlowPicture, qtbot: QtBot) -> None:
    linear = next(at for at, box in enumerate(chart._figure.boxes) if "qa_outputs" in box.description)
    middle = chart._figure.boxes[linear].rect.center()
    assert chart.place_at(QPointF(middle)) == linear
    with qtbot.waitSignal(chart.hovered):
        chart.go(linear)
    assert "qa_outputs, Linear" in chart.accessibleDescription()
    assert "770 weights" in chart.accessibleDescription()
    QTest.keyClick(chart, Qt.Key.Key_Down)
    assert chart.current == linear + 1
    QTest.keyClick(chart, Qt.Key.Key_Up)
    QTest.keyClick(chart, Qt.Key.Key_Right)
    beside = chart._figure.boxes[chart.current]
    assert beside.rect.left() > chart._figure.boxes[linear].rect.right()
    QTest.keyClick(chart, Qt.Key.Key_Left)
    assert chart._figure.boxes[chart.current].rect.right() < beside.rect.left()
    QTest.keyClick(chart, Qt.Key.Key_Home)
    assert chart.current == 0


def test_keys_scroll_to_the_current_box(chart: FlowPicture, qtbot: QtBot) -> None:
    area = QScrollArea()
    qtbot.addWidget(area)
    area.setWidgetResizable(True)
    area.setWidget(chart)
    area.resize(1150, 300)
    area.show()
    area.activateWindow()
    qtbot.waitUntil(area.isActiveWindow)
    chart.setFocus()
    QTest.keyClick(chart, Qt.Key.Key_End)
    assert area.verticalScrollBar().value() > 0
    area.takeWidget()


def test_every_stage_is_a_row_of_numbers(chart: FlowPicture) -> None:
    rows = list(csv.DictReader(io.StringIO(chart.csv())))
    picture = insides.picture(insides.ASKED)
    assert len(rows) == len(picture.trunk) + sum(len(head.stages) for head in picture.heads)
    assert rows[1] | {"repeats": "6", "weights": "10646784", "gives": "1 × 52 × 384"} == rows[1]
    assert {row["standing"] for row in rows} == {
        "", "in use", "in this model too, not in use", "not in this model",
    }  # fmt: skip


def test_the_whole_picture_is_drawn_in_both_themes_and_nothing_without_a_model(
    chart: FlowPicture, theme: Theme
) -> None:
    for name in ("light", "dark"):
        theme.choose(name)
        image = picture_of(chart)
        assert image.height() == 2 * round(chart._figure.size.height())
        assert image.pixelColor(1, image.height() - 2) == theme.colour("panel")
        used = next(box for box in chart._figure.boxes if box.style == layout.RESULT_USED).rect
        at = QPointF(used.left() + 8, used.center().y()) * 2
        assert image.pixelColor(at.toPoint()) == theme.colour("answer_ground")
    empty = FlowPicture(theme)
    assert (empty.count(), empty.csv().strip()) == (0, "")
