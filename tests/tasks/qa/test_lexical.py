"""Where the words of the question stand counts in a long text, beside the logits; in a short one it does not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.report import Silent
from app.core.text import Document
from app.tasks.qa import question_run as run_module
from app.tasks.qa.question_answering import read
from app.tasks.qa.ranking import CELL, LEAST_LENGTH, WEIGHT, PassageRanking, lexical_scores
from app.tasks.qa.spans import Candidate, properties_of, span_scores
from app.tasks.text.windows import Window
from tests.helpers.fake_models import reader_of, span_reader
from tests.helpers.long_texts import WORDS, ask

FILLER = "the of and to in a was that it for as with his on be at by had. \n\n"
LONG = FILLER * (LEAST_LENGTH // len(FILLER) + 20)


@given(
    st.lists(st.lists(st.sampled_from(WORDS), max_size=800).map(" ".join), min_size=1, max_size=3),
    st.sampled_from(["who stole tarts", "king", "zebra", "", "日本"]),
)
def test_every_place_has_the_score_of_the_better_place_around_it(texts: list[str], question: str) -> None:
    documents = tuple(Document(text) for text in texts)
    places = PassageRanking(question, documents)
    # Ranked from the worst to the best, a place's rank is left on both its cells by the best that holds them.
    ranks = [np.zeros(-(-len(text) // CELL) + 1) for text in texts]
    best = list(places.best())
    for rank, (number, span) in enumerate(reversed(best), start=1):
        first = span.start // CELL
        ranks[number][first : first + 2] = rank
    seen = []
    for number, text in enumerate(texts):
        around = places.scores_at(number, np.arange(len(text)))
        rank = ranks[number][np.arange(len(text)) // CELL]
        assert ((around > 0) == (rank > 0)).all()
        seen += list(zip(rank.tolist(), around.tolist(), strict=True))
    assert [value for _, value in sorted(seen)] == sorted(value for _, value in seen)


def test_what_is_added_is_what_is_lacking_beside_the_best_place() -> None:
    places = PassageRanking("tarts", [Document("rain " * 400), Document("rain " * 400 + "tarts")])
    starts = np.array([0, 1500, 2000])
    added = lexical_scores(places, 1, starts)
    assert added.dtype == np.float32
    assert added[0] < added[2] == 0
    assert added == pytest.approx(WEIGHT * (places.scores_at(1, starts) - places.best_score))
    assert (lexical_scores(places, 0, starts) == added[0]).all()


def test_nothing_is_added_where_no_word_tells_anything() -> None:
    for question in ("what is it", "zebra", ""):
        places = PassageRanking(question, [Document("it is what it is " * 400), Document("")])
        assert lexical_scores(places, 0, np.array([0, 700, 3000])) == pytest.approx(0, abs=1e-3)


@pytest.mark.parametrize("behind", [[], [Document("tarts " * 100)]])
def test_a_token_may_stand_behind_the_last_code_point(behind: list[Document]) -> None:
    # As that of a blank at the end does, with tokenizers that have one.
    documents = [Document("rain " * (2 * CELL // 5) + "     "[: 2 * CELL % 5]), *behind]
    assert len(documents[0].text) == 2 * CELL
    places = PassageRanking("tarts", documents)
    assert places.scores_at(0, np.array([2 * CELL - 1, 2 * CELL])).tolist() == [0, 0]


def test_of_places_that_look_alike_the_one_with_the_questions_words_is_the_answer() -> None:
    model = reader_of({"paris": 6.0, "queen": 7.0}, window=384, stride=128)
    text = LONG + "in a queen. \n\n" + LONG + "the king stole tarts in paris. \n\n" + LONG
    reading = read(ask("where did the king steal tarts", text), model, Silent())
    assert [answer.text for answer in reading.answers[:2]] == ["paris", "queen"]
    first, second = reading.answers[:2]
    # What the logits say stays told as it is.
    assert (first.score, second.score, second.lexical) == pytest.approx((6.0, 7.0, second.lexical))
    assert first.rank == first.score + first.lexical > second.rank
    assert first.lexical == 0 > second.lexical
    assert first.probability > second.probability


def test_a_short_text_is_left_to_the_model() -> None:
    model = reader_of({"paris": 6.0, "queen": 7.0}, window=384, stride=128)
    room = LEAST_LENGTH // 2 - 200
    text = FILLER * (room // len(FILLER)) + "in a queen. \n\n"
    text += FILLER * (room // len(FILLER)) + "the king stole tarts in paris. \n\n"
    assert len(text) < LEAST_LENGTH
    reading = read(ask("where did the king steal tarts", text), model, Silent())
    assert [answer.text for answer in reading.answers[:2]] == ["queen", "paris"]
    assert not any(answer.lexical for answer in reading.answers)


def test_several_short_texts_are_long_together() -> None:
    model = reader_of({"paris": 6.0, "queen": 6.5}, window=384, stride=128)
    part = FILLER * (LEAST_LENGTH // 2 // len(FILLER) + 1)
    texts = (part + "in a queen.", part + "the king stole tarts in paris.")
    reading = read(ask("where did the king steal tarts", *texts), model, Silent())
    assert [(answer.document, answer.text) for answer in reading.answers[:2]] == [(1, "paris"), (0, "queen")]


def test_a_model_that_is_sure_is_not_talked_over() -> None:
    model = reader_of({"paris": -4.0, "queen": 14.0}, window=384, stride=128)
    text = LONG + "in a queen. \n\n" + LONG + "the king stole tarts in paris. \n\n"
    reading = read(ask("where did the king steal tarts", text), model, Silent())
    assert reading.answers[0].text == "queen"


@pytest.mark.parametrize("options", [{}, {"in_order": True}, {"quick": True}])
def test_the_best_answer_is_the_best_of_all_spans_by_logits_and_words(
    options: dict[str, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[float] = []

    class Watched(run_module.QuestionRun):
        def add_window(
            self, document: int, window: Window, start: np.ndarray, end: np.ndarray
        ) -> tuple[Candidate, ...]:
            found = super().add_window(document, window, start, end)
            inside = slice(window.context_at, window.context_at + len(window.starts))
            places = PassageRanking(self.question.text, self.question.documents)
            added = lexical_scores(places, document, window.starts)
            known = properties_of(window, self.question.documents[document].text)
            band = span_scores(start[inside] + added, end[inside], window.scored, known)
            seen.append(float(band.max()))
            return found

    monkeypatch.setattr("app.tasks.qa.question_answering.QuestionRun", Watched)
    dice = np.random.default_rng(11)
    text = " ".join(dice.choice(WORDS, 5000))
    assert len(text) > LEAST_LENGTH
    reading = read(ask("who stole tarts", text, **options), span_reader(window=384, stride=128), Silent())
    assert reading.answers[0].rank == pytest.approx(max(seen), abs=1e-4)
    ranks = [answer.rank for answer in reading.answers]
    assert ranks == sorted(ranks, reverse=True)
