"""The panel beside a paper: what stands where there is little room."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from app.ui.heads.next.follow import FollowView
from app.ui.kit.score_bars import ScoreBars
from tests.helpers.names_here import FINDER, find
from tests.helpers.windows import FakeEngine


@pytest.mark.parametrize(("high", "told"), [(700, True), (300, False)])
def test_a_low_window_gives_the_room_to_what_was_found(
    open_page: Callable[[type[FollowView], FakeEngine], FollowView], qtbot: QtBot, high: int, told: bool
) -> None:
    view = open_page(FollowView, FakeEngine(find, FINDER))
    view.resize(1000, high)
    panel = view._follow_panel
    assert panel._about.isVisible(), "an empty page says what happens on it"
    view._papers[0].replace("One passage.")
    assert panel._about.isVisible() == told
    view._papers[0].replace("")
    assert panel._about.isVisible()


def test_the_words_of_a_card_stand_in_line_with_its_bars(
    open_page: Callable[[type[FollowView], FakeEngine], FollowView],
) -> None:
    view = open_page(FollowView, FakeEngine(find, FINDER))
    card = view._follow_panel.card
    words = card._words.contentsMargins().left() + card.layout().contentsMargins().left()
    assert isinstance(card.bars, ScoreBars)
    assert words == card.layout().contentsMargins().left() + view.theme.step(1)
