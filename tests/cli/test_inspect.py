"""`inspect`: every inspection, for people and for programs, and options that do not go together."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import Any

import pytest

from app.cli.inspect import print_look
from app.core.inside import Part
from app.core.inspection import (
    Example,
    LookAtAttention,
    LookAtLoss,
    LookAtReasons,
    LookAtSpans,
    LookWithout,
    Method,
    Subject,
    Target,
)
from app.core.models import Head
from app.core.report import Silent
from app.core.text import Span
from tests.flows.heads.test_inspect import Looker
from tests.helpers.insides import answer, window_of
from tests.helpers.terminal import DECODED, Command

TEXT = "The Knave stole the tarts. Alice looked on."
ASK = ("--text", TEXT, "--question", "Who stole the tarts?")
LOOKS = ("model", "spans", "pooling", "loss", "why", "attention", "without")


@pytest.mark.parametrize("name", LOOKS)
def test_every_look_in_every_form(command: Command, name: str) -> None:
    given = ("inspect", name, *ASK, *(["--answer", "Knave"] if name == "loss" else []))
    code, out, err = command(*given, engine=Looker())
    assert (code, err) == (0, "")
    assert len(out.splitlines()) > 3
    assert "\t" not in out
    code, out, _ = command(*given, "--csv", engine=Looker())
    assert code == 0
    assert len(list(csv.reader(io.StringIO(out)))) > 2
    code, out, _ = command(*given, "--json", engine=Looker())
    assert code == 0
    assert json.loads(out)["window"]["tokens"][0]["piece"] == "[CLS]"


def test_the_question_s_tokens_are_not_said_to_be_the_text_s(command: Command) -> None:
    window = window_of(Subject(Head.QUESTION_ANSWERING, TEXT, "Who stole the tarts?"))
    own = sum(token.part is Part.TEXT for token in window.tokens)
    assert 0 < own < sum(token.part is not Part.SPECIAL for token in window.tokens)
    _, out, _ = command("inspect", "spans", *ASK, engine=Looker())
    assert out.startswith(f"{len(window.tokens)} tokens, {own} of them of the text")


def test_where_no_sentence_can_be_taken_out_it_is_said(command: Command) -> None:
    class Lone(Looker):
        def run(self, request: Any, choice: Any, report: Any) -> Any:
            return replace(super().run(request, choice, report), sentences=())

    _, out, _ = command("inspect", "without", *ASK, engine=Lone())
    assert out.splitlines()[-1].endswith("No sentence can be taken out.")


def asked(command: Command, *arguments: str) -> object:
    engine = Looker()
    code, _, err = command("inspect", *arguments, engine=engine)
    assert (code, err) == (0, "")
    return engine.requests[0]


def test_what_is_looked_at(command: Command, document: str) -> None:
    question = Subject(Head.QUESTION_ANSWERING, TEXT, "Who stole the tarts?")
    knave = Span(4, 9)
    assert asked(command, "spans", *ASK) == LookAtSpans(question)
    wanted = Subject(Head.QUESTION_ANSWERING, TEXT, "Who stole the tarts?", focus=knave)
    assert asked(command, "spans", *ASK, "--at", "Knave") == LookAtSpans(wanted)
    assert asked(command, "loss", *ASK, "--answer", "Knave") == LookAtLoss(wanted, Example(answer=knave))
    assert asked(command, "loss", *ASK, "--unanswerable") == LookAtLoss(question, Example())
    found = asked(command, "why", *ASK, "--null", "--method", "gradient-input")
    assert found == LookAtReasons(question, Target(null=True), Method.GRADIENT_INPUT)
    film = Subject(Head.CLASSIFICATION, "Good.")
    given = ("--text", "Good.")
    assert asked(command, "without", *given, "--target", "positive") == LookWithout(film, Target("positive"))
    assert asked(command, "attention", *given, "--layer", "3") == LookAtAttention(film, 3)
    found = asked(command, "loss", *given, "--label", "negative", "--label", "positive")
    assert found == LookAtLoss(film, Example(labels=("negative", "positive")))
    blank = Subject(Head.MASKED_WORDS, "Paris is the ___.", blanks=(Span(13, 16),))
    found = asked(command, "loss", "--text", "Paris is the ___.", "--word", "capital")
    assert found == LookAtLoss(blank, Example(words=("capital",)))
    follow = Subject(Head.NEXT_SENTENCE, "Good.", "Bad.")
    assert asked(command, "loss", *given, "--second", "Bad.", "--other") == LookAtLoss(
        follow, Example(follows=False)
    )
    names = Subject(Head.TOKEN_CLASSIFICATION, TEXT)
    found = asked(command, "loss", "--text", TEXT, "--head", "token-classification", "--entity", "Alice=PER")
    assert found == LookAtLoss(names, Example(entities=((Span(27, 32), "PER"),)))
    found = asked(command, "spans", "--file", document, "-q", "Who?")
    assert found == LookAtSpans(Subject(Head.QUESTION_ANSWERING, DECODED, "Who?"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("spans", "--text", "x", "--csv", "--json"), "--csv"),
        (("spans", "--question", "Who?"), "required"),
        (("spans", *ASK, "--second", "x"), "--second"),
        (("spans", *ASK, "--head", "classification"), "--question does not go"),
        (("spans", "--text", "x", "--head", "question-answering"), "--question is missing"),
        (("spans", *ASK, "--at", "Duchess"), "Duchess"),
        (("loss", *ASK), "--unanswerable"),
        (("loss", *ASK, "--answer", "Knave", "--unanswerable"), "--unanswerable"),
        (("loss", "--text", "x"), "--label"),
        (("loss", "--text", "x ___"), "--word"),
        (("loss", "--text", "x", "--second", "y"), "--follows"),
        (("loss", "--text", TEXT, "--head", "token-classification", "--entity", "Alice"), "type"),
        (("attention", *ASK, "--attention-head", "12"), "attention head 12"),
        (("attention", *ASK, "--layer", "-1"), "less than 0"),
        (("everything", *ASK), "everything"),
    ],
)
def test_what_does_not_go_together_is_refused(
    command: Command, arguments: tuple[str, ...], words: str
) -> None:
    code, out, err = command("inspect", *arguments, engine=Looker())
    assert code == 2
    assert words in err
    assert len(err.strip().splitlines()) == 1
    assert "Traceback" not in out + err


def test_a_head_that_gives_values_is_told_in_values(capsys: pytest.CaptureFixture[str]) -> None:
    subject = Subject(Head.CLASSIFICATION, TEXT)
    losses = answer(LookAtLoss(subject, Example(labels=("stars",))), None, Silent())
    for seen in (replace(losses, squared=True), answer(LookWithout(subject), None, Silent())):
        print_look(seen, is_regression=True)
    printed = capsys.readouterr().out
    assert printed
    assert "%" not in printed
    assert "probability" not in printed
