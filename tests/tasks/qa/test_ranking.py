from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.text import Document, Span
from app.tasks.qa import ranking
from app.tasks.qa.ranking import (
    CELL,
    RANKED,
    GivenPassages,
    PassageRanking,
    Term,
    WordStarts,
    lexical_scores,
    terms,
)

FILLER = "The rain fell over the hills and nobody in the valley minded it very much at all. "
PIECES = (
    "king", "Kings", "KING", "akin", "tarts", " ", ". ", "\n\n", "İstanbul", "ﬁ", "ß", "日本語", "\ud800", "e\u0301",
    "ŉa", "Ǆ", "straße", "STRASSE", "Царь", "царя", "1066", "x1", "_a", "ὈΔΥΣΣΕΎΣ", "ὀδυσσεύς", "שלום", "👩\u200d👧",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=400).map("".join)
ODD_TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.characters()), max_size=120).map("".join)


def places(question: str, *texts: str, most: int = 1000) -> list[tuple[int, Span]]:
    return list(islice(PassageRanking(question, [Document(text) for text in texts]).best(), most))


@given(st.lists(TEXTS, max_size=4), TEXTS)
def test_places_lie_in_their_documents_and_come_once(texts: list[str], question: str) -> None:
    found = places(question, *texts)
    assert len(set(found)) == len(found)
    for number, place in found:
        assert 0 <= place.start < place.end <= len(texts[number])
        assert len(place) <= 2 * CELL


@given(st.integers(0, 60), st.integers(0, 60), st.sampled_from([40, 200]))
def test_a_planted_passage_comes_first(document: int, sentence: int, sentences: int) -> None:
    texts = [FILLER * sentences for _ in range(3)]
    number, at = document % 3, (sentence % sentences) * len(FILLER)
    planted = "In 1812 the bakers of Zwolle baked eleven tarts. "
    texts[number] = texts[number][:at] + planted + texts[number][at:]
    first, place = places("How many tarts were baked by the bakers of Zwolle?", *texts)[0]
    assert first == number
    assert place.overlaps(Span(at, at + len(planted)))


@pytest.mark.parametrize(
    ("question", "passage"),
    [
        ("谁偷了馅饼？", "红心杰克偷了馅饼。"),
        ("タルトを盗んだのは誰ですか", "ハートのジャックがタルトを盗んだ。"),
        ("ใครขโมยทาร์ต", "แจ็คขโมยทาร์ตไป"),
        ("누가 타르트를 훔쳤나요?", "하트의 잭이 타르트를 훔쳤다."),
        ("מי גנב את העוגות?", "נסיך הלבבות גנב את העוגות ונעלם."),
        ("Kto ukradł ciastka?", "Walet Kier UKRADŁ CIASTKA latem."),
        ("Was passierte in İZMİR?", "Alles geschah in İzmir am Meer."),
        ("Wer backte die Törtchen?", "Die Königin buk ein Törtchen."),
        ("Who owns the UN building?", "It is the UN that owns it."),
        ("What happened in 1066?", "It was in 1066 that he landed."),
    ],
)
def test_a_passage_of_any_script_is_found(question: str, passage: str) -> None:
    text = FILLER * 60 + passage + FILLER * 60
    at = len(FILLER) * 60
    place = places(question, text)[0][1]
    assert place.overlaps(Span(at, at + len(passage)))


def test_the_whole_word_counts_more_than_one_that_begins_like_it() -> None:
    text = FILLER * 40 + "The bakery. " + FILLER * 40 + "The bakers. " + FILLER * 40
    best, other = places("Which bakers?", text)[0][1], places("Which bakery?", text)[0][1]
    assert "bakers" in best.of(text)
    assert "bakery" in other.of(text)
    assert not places("Which bakers?", FILLER * 40 + "The bakersfieldian.")


def test_a_number_of_several_parts_is_one_word() -> None:
    apart = "In 2 of 5 years there was 1 flood. " * 40
    found = places("What does 2.1.5 ask for?", apart, f"{FILLER * 40}2.1.5 Levels are read daily. ")
    assert [number for number, _ in found] == [1] * len(found) != []


def test_words_that_questions_are_made_of_count_only_where_there_are_no_others() -> None:
    assert [term.needles[0] for term in terms("What is the height of it?")] == ["heigh"]
    assert [term.word for term in terms("When did the war end?")] == ["war", "end"]
    assert {term.needles[0] for term in terms("Who was it?")} == {"who", "was", "it"}
    text = FILLER * 40 + "who was it who was it " + FILLER * 40 + "a tall tower" + FILLER * 40
    assert "tower" in places("Who was it that was in the tower, who?", text)[0][1].of(text)


def test_nothing_in_common_is_no_place() -> None:
    assert places("zebra crossings", FILLER * 40, "") == []
    assert places("?!", FILLER) == []
    assert places("rain") == []


def test_a_word_that_stands_everywhere_is_left_out_in_good_time() -> None:
    assert places("king", "king " * 400_000) == []
    assert len(places("king", "king " * 400)) > 0


def test_a_huge_question_has_few_terms() -> None:
    assert len(terms(" ".join(f"word{n}" for n in range(100_000)))) == 12
    assert len(terms("日本語の質問" * 10_000)) <= 12


@given(ODD_TEXTS, st.sampled_from([1, 3, 50, 1 << 16]), st.data())
def test_every_beginning_of_a_word_is_found(text: str, block: int, data: st.DataObject) -> None:
    begins = [at for at in range(len(text)) if text[at].isalnum() and (at == 0 or not text[at - 1].isalnum())]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranking, "_BLOCK", block)
        starts = WordStarts(text)
    size = data.draw(st.integers(1, 6))
    for at in begins:
        needle = text[at : at + size]
        found = starts.like(needle)
        assert found == sorted(set(found))
        assert set(found) <= set(begins)
        assert [place for place in begins if text.startswith(needle, place)] == [
            place for place in found if text.startswith(needle, place)
        ]


def searched(
    text: str, words: WordStarts, needle: str, term: Term, most: int
) -> tuple[list[int], list[float]]:
    """Every occurrence of a needle, looked for in the text itself."""
    found = [at for at in range(len(text)) if text.startswith(needle, at)]
    if term.starts_words:
        found = [at for at in found if at == 0 or not text[at - 1].isalnum()]
    weighed = [(at, weight) for at in found if (weight := ranking._weight(text, at, len(needle), term))][
        :most
    ]
    return [at for at, _ in weighed], [weight for _, weight in weighed]


@given(st.lists(ODD_TEXTS, max_size=3), ODD_TEXTS)
def test_the_places_are_those_of_a_search_through_the_text(texts: list[str], question: str) -> None:
    documents = [Document(text) for text in texts]
    found = list(PassageRanking(question, documents).best())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranking, "occurrences", searched)
        assert found == list(PassageRanking(question, documents).best())


def test_passages_that_were_found_lose_by_their_rank() -> None:
    documents = [Document(text) for text in ("first", "second", "", "fourth")]
    given_passages = GivenPassages(documents)
    assert [(number, len(place)) for number, place in given_passages.best()] == [
        (0, 5),
        (1, 6),
        (2, 0),
        (3, 6),
    ]
    for number in range(4):
        scores = lexical_scores(given_passages, number, np.array([0, 3]))
        assert scores == pytest.approx(np.full(2, -RANKED * np.log(1 + number)), abs=1e-5)
