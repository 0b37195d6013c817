"""Two models' results side by side: when they are alike."""

from __future__ import annotations

from app.core.inspection import Subject
from app.core.models import Head, ModelCard
from app.core.results import Answer, Reading
from app.core.text import Span
from app.ui.inspect.compare import side_of

ASKED = Subject(Head.QUESTION_ANSWERING, "Paris or Rome", "Where?")
CARD = ModelCard("one", "", "bert", (Head.QUESTION_ANSWERING,))


def reading(no_answer: float, text: str = "Paris") -> Reading:
    answer = Answer(0, Span(0, len(text)), text, 1 - no_answer, 1.0, 0.0)
    return Reading(
        answers=(answer,),
        answered=no_answer < 0.35,
        no_answer_probability=no_answer,
        threshold=0.65,
        windows=1,
        windows_total=1,
        seconds=0.1,
        complete=True,
        model="one",
        device="cpu",
    )


def test_two_models_that_give_no_answer_come_to_the_same_however_sure_they_are() -> None:
    outcomes = [side_of(reading(no_answer), CARD, ASKED).outcome for no_answer in (0.6, 0.8)]
    assert outcomes[0] == outcomes[1]


def test_an_answer_and_none_or_another_one_are_not_the_same() -> None:
    outcomes = {
        side_of(each, CARD, ASKED).outcome for each in (reading(0.8), reading(0.1), reading(0.1, "Rome"))
    }
    assert len(outcomes) == 3
