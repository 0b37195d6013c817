"""The positions of tokens in running text: with emoji, gaps, line ends and pieces that share a character."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication

from app.core.inside import InputToken, InputWindow, Part
from app.core.text import Span
from app.ui.inspect.charts.token_text import TextFlow
from app.ui.kit.theme import Theme
from tests.helpers import insides

CLS = InputToken("[CLS]", 1, 0, Part.SPECIAL)
SEP = InputToken("[SEP]", 2, 0, Part.SPECIAL)
LETTERS = st.text(alphabet="ab é😀\n\t👩‍🚀\u0301شס", max_size=40)


def words_at(flow: TextFlow, index: int) -> str:
    """The flow's text in the range that it has for a token."""
    paragraph = next(each for each in flow._paragraphs if index in each.tokens)
    start, end = paragraph.tokens[index]
    return paragraph.words.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le")


def plain(words: str) -> str:
    return "".join(" " if each in "\n\t" else each for each in words)


@given(LETTERS, st.lists(st.integers(0, 40), max_size=20))
def test_every_token_covers_its_own_letters(text: str, cuts: list[int]) -> None:
    places = sorted({min(cut, len(text)) for cut in cuts} | {0, len(text)})
    spans = [Span(a, b) for a, b in pairwise(places) if text[a:b].strip()]
    tokens = tuple(InputToken("x", at, 0, Part.TEXT, span) for at, span in enumerate(spans))
    flow = TextFlow(InputWindow((CLS, *tokens, SEP)), text, "")
    for at, span in enumerate(spans, start=1):
        assert words_at(flow, at) == plain(span.of(text))
    assert words_at(flow, 0) == "[CLS]" and words_at(flow, len(tokens) + 1) == "[SEP]"


def test_pieces_of_one_character_share_its_range() -> None:
    text = "so 😀 it"
    pieces = [Span(0, 2), Span(3, 4), Span(3, 4), Span(5, 7)]
    tokens = tuple(InputToken("x", at, 0, Part.TEXT, span) for at, span in enumerate(pieces))
    flow = TextFlow(InputWindow(tokens), text, "")
    assert [words_at(flow, at) for at in range(4)] == ["so", "😀", "😀", "it"]
    assert flow._paragraphs[0].words == "so 😀 it"


def test_the_question_is_a_paragraph_of_its_own() -> None:
    flow = TextFlow(insides.window_of(insides.ASKED), insides.TEXT, insides.QUESTION)
    assert [paragraph.words for paragraph in flow._paragraphs] == [
        f"[CLS] {insides.QUESTION} [SEP]",
        f"{insides.TEXT} [SEP]",
    ]


@pytest.mark.parametrize("width", [120.0, 400.0, 900.0])
def test_a_token_is_found_where_it_is_drawn(qapp: QApplication, theme: Theme, width: float) -> None:
    window = insides.window_of(insides.ASKED)
    flow = TextFlow(window, insides.TEXT, insides.QUESTION)
    flow.lay_out(theme, width)
    for index in range(len(window.tokens)):
        places = flow.rects(index)
        assert places
        for place in places:
            assert place.right() <= width + 1 and place.bottom() <= flow.height
            assert flow.token_at(place.center()) == index
    assert flow.token_at(QPointF(5.0, flow.height + 10)) == -1


def test_the_arrow_keys_move_between_lines(theme: Theme) -> None:
    window = insides.window_of(insides.ASKED)
    flow = TextFlow(window, insides.TEXT, insides.QUESTION)
    flow.lay_out(theme, 400.0)
    below = flow.nearest_on_line(0, 1)
    assert flow.rects(below)[0].top() > flow.rects(0)[0].top()
    assert flow.nearest_on_line(below, -1) == 0
    assert flow.nearest_on_line(0, -1) == 0
    last = len(window.tokens) - 1
    assert flow.nearest_on_line(last, 1) == last


def test_a_span_is_drawn_from_its_first_letter_to_its_last(theme: Theme) -> None:
    scores = insides.span_scores(insides.ASKED)
    flow = TextFlow(scores.window, insides.TEXT, insides.QUESTION)
    flow.lay_out(theme, 2000.0)
    best = scores.spans[0]
    (place,) = flow.span_rects(best.first, best.last)
    assert place.left() == flow.rects(best.first)[0].left()
    assert place.right() == pytest.approx(flow.rects(best.last)[0].right())
