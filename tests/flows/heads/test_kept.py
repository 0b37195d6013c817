"""A page's result is saved, and loaded at the next start."""

from __future__ import annotations

import pytest

from app.core.models import Head
from app.core.report import Silent
from app.core.results import (
    Classification,
    Classifications,
    ClassScore,
    Entity,
    FilledBlank,
    FilledText,
    FollowOn,
    FollowOns,
    Guess,
    Tagged,
    TaggedTexts,
    TaggedWords,
)
from app.core.text import Span
from app.flows.heads.kept import HeadResult, KeptResult, load_result, save_result
from tests.helpers import insides
from tests.helpers.windows import FakeEngine, open_fake_workspace

WORDS = TaggedWords(("O", "B-PER"), (0, 4), (3, 7), (1, 0), (0.1 + 0.2, 1 / 3))
RESULTS = {
    Head.CLASSIFICATION: Classifications(
        (Classification((ClassScore("a", 0.1 + 0.2), ClassScore("b", 0.7)), "b", 2, 9),),
        1 / 3,
        "starter-sentiment",
        "CPU",
    ),
    Head.MASKED_WORDS: FilledText(
        (FilledBlank(Span(0, 3), (Guess("tea", 0.1, 1),), Guess("mud", 1e-9, 0, 2)),), 0.5
    ),
    Head.NEXT_SENTENCE: FollowOns((FollowOn(0.1, (1.5, -2.5), (3, 4), (True, False)),), 0.5),
    Head.TOKEN_CLASSIFICATION: TaggedTexts(
        (Tagged((Entity(Span(0, 3), "Ada", "PER", 0.9),), WORDS, 1), Tagged((), (), 2)), ("PER",), 0.5, False
    ),
}


@pytest.mark.parametrize("head", RESULTS)
def test_every_kind_of_result_comes_back_equal(head: Head) -> None:
    workspace = open_fake_workspace(FakeEngine(insides.answer, *insides.CARDS))
    kept = KeptResult(("Ada \ud83d\n👩‍👧",), RESULTS[head], "lines", "names.txt")
    save_result(workspace, "names", head, kept, Silent())
    found = load_result(workspace, "names", head, Silent())
    assert found == kept
    if isinstance(found.result, TaggedTexts):
        assert list(found.result.items[0].words) == list(WORDS)
    save_result(workspace, "names", head, None, Silent())
    assert load_result(workspace, "names", head, Silent()) is None


@pytest.mark.parametrize("installed", [True, False])
def test_the_model_in_use_is_compared_with_that_of_the_result(installed: bool) -> None:
    result: HeadResult = Classifications((), 0.1, insides.MOODS.name)
    save_result(
        open_fake_workspace(FakeEngine(insides.answer, insides.MOODS)),
        "classify",
        Head.CLASSIFICATION,
        KeptResult(("a",), result),
        Silent(),
    )
    cards = (insides.MOODS,) if installed else ()
    workspace = open_fake_workspace(FakeEngine(insides.answer, *cards))
    found = load_result(workspace, "classify", Head.CLASSIFICATION, Silent())
    assert found is not None and found.same_model is installed
