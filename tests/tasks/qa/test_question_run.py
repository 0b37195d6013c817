from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.core.requests import Question
from app.core.text import Document, Span
from app.tasks.qa.question_run import BEST_GROUPS, Group, best_first, in_order
from app.tasks.qa.ranking import PassageRanking
from app.tasks.text.sections import Section, sections
from app.tasks.text.windows import Window

WORDS = st.sampled_from(["king", "queen", "rain", "hill", "\n\n"])
TEXTS = st.lists(WORDS, max_size=300).map(" ".join)
SIZE = 400
FILLER = "The rain fell over the hills and nobody in the valley minded it very much at all.\n\n"


class Cutter:
    """Cuts sections into windows of 40 code points, a token each, in groups of three; notes which it has cut."""

    def __init__(self) -> None:
        self.cut: list[Section] = []

    def __call__(self, section: Section) -> list[Group]:
        self.cut.append(section)
        none = np.zeros(0, dtype=np.int64)
        made = [
            Window(
                none, none, 0, 0, starts := np.arange(at, min(at + 40, section.end)), starts + 1, starts >= 0
            )
            for at in range(section.start, section.end, 40)
        ]
        return [made[at : at + 3] for at in range(0, len(made), 3)]


def ranked_places(question: Question) -> Iterator[tuple[int, Span]]:
    return PassageRanking(question.text, question.documents).best()


def places(groups: list[tuple[Section, Group]]) -> list[tuple[int, int]]:
    """Document and first code point of every window, in the order of reading."""
    return [(section.document, int(window.starts[0])) for section, group in groups for window in group]


@given(st.lists(TEXTS, max_size=4), st.sampled_from(["who is the king", "rain hill", "what?", "zebra"]))
def test_every_window_comes_once_in_the_same_group(texts: list[str], words: str) -> None:
    question = Question(words, tuple(Document(text) for text in texts))
    cut = list(sections(question.documents, size=SIZE))
    plain, ranked = Cutter(), Cutter()
    straight = list(in_order(cut, plain))
    best = list(best_first(ranked_places(question), cut, ranked))
    assert plain.cut == cut
    assert sorted(ranked.cut, key=cut.index) == cut
    assert places(straight) == sorted(places(straight))
    assert sorted(places([each]) for each in best) == sorted(places([each]) for each in straight)


def test_the_first_group_holds_the_best_place_and_only_its_section_was_cut() -> None:
    texts = [FILLER * 300, FILLER * 150 + "The baker of Zwolle baked eleven tarts.\n\n" + FILLER * 150]
    question = Question("Who baked tarts in Zwolle?", tuple(Document(text) for text in texts))
    at = texts[1].index("Zwolle")
    cutter = Cutter()
    read = best_first(ranked_places(question), list(sections(question.documents, size=4000)), cutter)
    seen = []
    for _ in range(9):  # the place is of 1,024 code points, a group here of 120
        section, group = next(read)
        assert section.document == 1
        seen += [window for window in group if window.starts[0] <= at <= window.starts[-1]]
    assert len(cutter.cut) <= 2
    assert seen


def test_a_place_that_two_sections_share_is_read_in_both() -> None:
    text = FILLER * 40 + "tarts " * 40 + FILLER * 40
    at = text.index("tarts") + 120
    cut = [Section(0, 0, at), Section(0, at, len(text))]
    cutter = Cutter()
    read = best_first(ranked_places(Question("tarts", (Document(text),))), cut, cutter)
    assert {next(read)[0] for _ in range(9)} == set(cut)
    # A line of it in another section is not worth cutting that one for.
    cut = [Section(0, 0, at := text.index("tarts") + 710), Section(0, at, len(text))]
    cutter = Cutter()
    read = best_first(ranked_places(Question("tarts", (Document(text),))), cut, cutter)
    assert next(read)[0] == cut[0]
    assert cutter.cut == cut[:1]


def test_without_a_word_in_common_the_order_is_that_of_the_text() -> None:
    question = Question("zebra", (Document(FILLER * 50), Document("")))
    cut = list(sections(question.documents, size=SIZE))
    found = places(list(best_first(ranked_places(question), cut, Cutter())))
    assert found == sorted(found)


def test_after_the_best_groups_come_whole_sections_by_their_best_place() -> None:
    parts = [FILLER * 10 + ("tarts " * (number % 7)) + "\n\n" for number in range(200)]
    question = Question("tarts", (Document("".join(parts)),))
    cut = list(sections(question.documents, size=2000))
    read = list(best_first(ranked_places(question), cut, Cutter()))
    later = [section for section, _ in read[2 * BEST_GROUPS + 20 :]]
    assert len(set(later)) == 1 + sum(one != other for one, other in pairwise(later))
