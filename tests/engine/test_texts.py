"""Long texts are sent to the process once; whatever happens to it, it never reads another text than was asked."""

from __future__ import annotations

import pickle
from array import array
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.report import Report, Silent
from app.core.requests import ModelChoice, Question, TextsToClassify
from app.core.text import Document, Replacement, View
from app.engine.client import LONG_TEXT, Engine, TextSender
from app.engine.orders import Prepare, Run, TextsGone, Unload
from app.engine.process import ReceivedTexts

TEXTS = ("", "short", "a" * LONG_TEXT, "b" * LONG_TEXT, "é" * (LONG_TEXT + 1))
VIEWS = (None, View(headings=((0, "Prices"),)), View((Replacement(1, 2, ": "),), array("i", (1, 5))))


def ask(*texts: str, view: View | None = None) -> Question:
    return Question(
        "who?", tuple(Document(text, f"{at}.txt", "/a", view) for at, text in enumerate(texts)), top_k=7
    )


@given(
    st.lists(
        st.tuples(st.lists(st.sampled_from(TEXTS), max_size=4), st.sampled_from(VIEWS), st.booleans()),
        max_size=8,
    )
)
def test_what_arrives_is_what_was_asked_whenever_the_process_starts_anew(
    asked: list[tuple[list[str], View | None, bool]],
) -> None:
    sender, receiver = TextSender(), ReceivedTexts()
    for texts, view, anew in asked:
        if anew:
            receiver = ReceivedTexts()
        question = ask(*texts, view=view)
        try:
            found = receiver.unpack(*pickle.loads(pickle.dumps(sender.pack(question))))
        except TextsGone:
            assert anew
            sender.forget()
            found = receiver.unpack(*pickle.loads(pickle.dumps(sender.pack(question))))
        assert found == question
        assert [document.view for document in found.documents] == [view] * len(texts)


def test_a_view_is_sent_once_with_its_text() -> None:
    sender, long = TextSender(), "a" * LONG_TEXT
    view = View(tuple(Replacement(at, at + 1, f"row {at}") for at in range(0, LONG_TEXT, 5)))
    assert len(pickle.dumps(sender.pack(ask(long, view=view)))) > 2 * LONG_TEXT
    assert len(pickle.dumps(sender.pack(ask(long, view=replace(view))))) < 2000
    assert len(pickle.dumps(sender.pack(ask(long)))) in range(LONG_TEXT, LONG_TEXT + 2000), (
        "without it another text"
    )


def test_a_long_text_is_sent_once_while_it_is_asked() -> None:
    sender = TextSender()
    long, other = "a" * LONG_TEXT, "b" * LONG_TEXT
    assert len(pickle.dumps(sender.pack(ask(long, "short")))) > LONG_TEXT
    same = "".join(["a"] * LONG_TEXT)
    assert same is not long
    assert len(pickle.dumps(sender.pack(ask("short", same)))) < 2000
    assert len(pickle.dumps(sender.pack(ask(long, other)))) in range(LONG_TEXT, LONG_TEXT + 2000)
    assert len(pickle.dumps(sender.pack(ask(other)))) < 2000
    assert len(pickle.dumps(sender.pack(ask(long)))) > LONG_TEXT
    request = TextsToClassify((long,))
    assert sender.pack(request) == (request, ())
    assert sender.pack(ask("short")) == (ask("short"), ())


def test_a_text_that_is_gone_is_a_fault_that_crosses() -> None:
    sender = TextSender()
    sender.pack(ask("a" * LONG_TEXT))
    with pytest.raises(TextsGone) as fault:
        ReceivedTexts().unpack(*sender.pack(ask("a" * LONG_TEXT)))
    assert isinstance(pickle.loads(pickle.dumps(fault.value)), TextsGone)
    assert isinstance(fault.value, SpanlightError)


class Echo:
    """A process that returns the texts of its orders, and whether they came with the order."""

    def __init__(self) -> None:
        self.texts = ReceivedTexts()

    def __call__(self, order: Any, report: Report) -> Any:
        if isinstance(order, Unload):
            return self.texts.clear()
        assert isinstance(order, Run | Prepare)
        request = self.texts.unpack(order.request, order.texts)
        return request, [sent.text is not None for sent in order.texts]


def make_echo() -> Any:
    return Echo()


def test_a_process_that_was_ended_gets_the_text_again() -> None:
    with closing(Engine(factory=make_echo)) as engine:
        question = ask("a" * LONG_TEXT)
        came = [engine.run(question, None, Silent())[1] for _ in range(2)]
        assert came == [[True], [False]]
        engine._child.end()
        assert engine.run(question, None, Silent()) == (question, [True])
        engine.unload(Silent())
        assert engine.run(question, None, Silent()) == (question, [True])
        assert engine.run(question, None, Silent()) == (question, [False])


def test_a_document_that_was_prepared_is_not_sent_with_its_question() -> None:
    with closing(Engine(factory=make_echo)) as engine:
        question = ask("a" * LONG_TEXT)
        engine.prepare(question.documents, ModelChoice("folder"), Silent())
        assert engine.run(question, ModelChoice("folder"), Silent()) == (question, [False])
