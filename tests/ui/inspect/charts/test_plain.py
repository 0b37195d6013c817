"""What charts are drawn from, without a window: scales, columns, labels, levels of attention."""

from __future__ import annotations

import math
import time
from array import array
from dataclasses import replace
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.inside import Attention, InputToken, InputWindow, Part
from app.core.text import Span
from app.ui.inspect.charts.attention import habit, levels
from app.ui.inspect.charts.painting import (
    Columns,
    contrast,
    diverging,
    ink_on,
    pooled,
    rising,
    rising_table,
)
from app.ui.inspect.charts.tokens import label_of, labels_of, part_names, parts_of, words_between
from app.ui.kit.theme import Theme
from tests.helpers import insides


@given(st.integers(1, 600), st.floats(20, 3000), st.floats(2, 30), st.floats(-500, 20000), st.data())
def test_a_column_is_found_where_it_is_drawn(
    count: int, width: float, least: float, offset: float, data: st.DataObject
) -> None:
    view = Columns()
    view.fit(count, width, least, 40.0)
    view.scroll_to(offset)
    index = data.draw(st.integers(0, count - 1))
    view.show(index, 0)
    assert 0 <= view.offset <= max(0.0, view.length - view.width) + 1e-9
    middle = view.left(index + 0.5)
    if view.column_width <= view.width:
        assert index in view.seen()
        if 0 <= middle < view.width:
            assert view.at(middle) == index
    assert view.at(-1.0) == -1


@given(st.integers(1, 24), st.integers(1, 30), st.randoms(use_true_random=False))
def test_a_pooled_matrix_keeps_the_largest_cells(side: int, most: int, chance: object) -> None:
    cells = bytes(chance.randrange(256) for _ in range(side * side))  # type: ignore[attr-defined]
    small, few = pooled(cells, side, most)
    assert len(small) == few * few and few <= most
    times = -(-side // most) if side > most else 1
    for row in range(few):
        for column in range(few):
            part = [
                cells[y * side + x]
                for y in range(row * times, min(side, (row + 1) * times))
                for x in range(column * times, min(side, (column + 1) * times))
            ]
            assert small[row * few + column] == max(part)


@pytest.mark.parametrize("name", ["light", "dark"])
def test_the_scales_go_from_blue_over_the_background_to_amber(theme: Theme, name: str) -> None:
    theme.choose(name)
    assert diverging(theme, 0) == theme.colour("scale_mid") == rising(theme, 0)
    assert diverging(theme, 1) == theme.colour("scale_high") == rising(theme, 1)
    assert diverging(theme, -1) == theme.colour("scale_low")
    low, high = theme.colour("scale_low"), theme.colour("scale_high")
    # Blue against amber: told apart by the blue that the one has and the other lacks, whatever eye sees them.
    assert low.blueF() - low.redF() > 0.25 and high.redF() - high.blueF() > 0.25
    for end in (low, high):
        assert contrast(end, theme.colour("panel")) >= 3.0
    colours = rising_table(theme)
    assert len(colours) == 256 and colours[0] == theme.colour("panel").rgba()


@pytest.mark.parametrize("name", ["light", "dark"])
def test_ink_is_readable_on_every_shade(theme: Theme, name: str) -> None:
    theme.choose(name)
    for step in range(-20, 21):
        ground = diverging(theme, step / 20 * 0.92)
        assert contrast(ink_on(theme, ground), ground) >= 4.5


def test_pieces_are_named_by_the_letters_they_stand_for() -> None:
    text = "Ça va, naïve\n😀"
    byte_level = InputToken("ĠnaÃ¯ve", 5, 0, Part.TEXT, Span(7, 12))
    assert label_of(byte_level, text) == "naïve"
    assert label_of(InputToken("Ġva", 5, 0, Part.TEXT, Span(3, 5)), text) == "va"
    assert label_of(InputToken("##ing", 5, 0, Part.TEXT, Span(0, 2)), text) == "##ing"
    assert label_of(InputToken("Ċ", 5, 0, Part.TEXT, Span(12, 13)), text) == "⏎"
    assert label_of(InputToken("Ġ", 5, 0, Part.TEXT, None), text) == "␣"
    assert label_of(InputToken("[CLS]", 5, 0, Part.SPECIAL), text) == "[CLS]"


def test_parts_are_named_by_their_order() -> None:
    asked, followed = insides.window_of(insides.ASKED), insides.window_of(insides.FOLLOWED)
    assert part_names(asked)[Part.PAIR] == "question"
    assert part_names(followed)[Part.PAIR] == "second passage"
    runs = parts_of(asked)
    assert [part for part, _, _ in runs] == [Part.SPECIAL, Part.PAIR, Part.SPECIAL, Part.TEXT, Part.SPECIAL]
    assert runs[0][1] == 0 and runs[-1][2] == len(asked.tokens)


def test_words_between_two_tokens_are_taken_from_the_text() -> None:
    scores = insides.span_scores(insides.ASKED)
    best = scores.spans[0]
    assert words_between(scores.window, best.first, best.last, insides.TEXT) == best.text
    assert words_between(scores.window, best.first, best.last, "") == "the pull of the moon"


@given(st.lists(st.floats(0, 1, width=32), min_size=16, max_size=16))
def test_levels_follow_the_square_root_of_a_weight(weights: list[float]) -> None:
    tokens = tuple(InputToken(str(at), at, 0, Part.TEXT) for at in range(4))
    attention = Attention(InputWindow(tokens), 0, 1, 1, array("f", weights))
    for weight, level in zip(weights, levels(attention, 0), strict=True):
        assert 1 <= level <= 255
        assert abs(level - 1 - 254 * math.sqrt(weight)) <= 1.6


def test_a_heads_habit_is_described() -> None:
    tokens = tuple(InputToken(f"t{at}", at, 0, Part.TEXT) for at in range(5))
    labels = labels_of(InputWindow(tokens))

    def head(wanted: list[int]) -> Attention:
        rows = [[0.9 if other == wanted[at] else 0.025 for other in range(5)] for at in range(5)]
        return Attention(InputWindow(tokens), 0, 1, 1, array("f", chain.from_iterable(rows)))

    assert "the token itself, 90%" in habit(head([0, 1, 2, 3, 4]), 0, labels)
    assert "the token before, 90%" in habit(head([0, 0, 1, 2, 3]), 0, labels)
    assert "the token behind, 90%" in habit(head([1, 2, 3, 4, 4]), 0, labels)
    assert "“t3” (token 4), 90%" in habit(head([3, 3, 3, 3, 3]), 0, labels)


@pytest.mark.long
def test_levels_of_a_long_window_are_computed_quickly() -> None:
    long = replace(insides.ASKED, text=" ".join([insides.TEXT] * 12))
    attention = insides.attention(long, heads=1)
    assert len(attention.window.tokens) == 384
    levels(attention, 0)
    begun = time.process_time()
    pooled(levels(attention, 0), 384, 140)
    assert time.process_time() - begun < 0.15
