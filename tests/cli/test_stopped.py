from __future__ import annotations

import json

import pytest

from tests.flows.fake_engine import Slow
from tests.helpers.terminal import AsJson, Command


def test_a_stop_gives_the_best_answer_so_far(command: Command, document: str, as_json: AsJson) -> None:
    code, out, err = command("ask", document, "-q", "What was stolen: tarts?", engine=Slow())
    assert (code, err.splitlines()[-1]) == (130, "Stopped.")
    assert out.splitlines() == [
        "Stopped after 34% of the text: the best so far.",
        "tarts",
        "Likely, 80%, on line 2.",
        "  The Knave of Hearts 👩‍👩‍👧 stole the tarts.",
    ]
    _, listed, _ = command("history")
    assert "  tarts\n  Likely, 80%.\n  Stopped after 34% of the text.\n" in listed
    (kept,) = as_json("history")["entries"]
    assert (kept["complete"], kept["share_read"]) == (False, pytest.approx(0.34))


def test_a_stop_says_nothing_about_the_rest_of_the_text(command: Command, document: str) -> None:
    code, out, _ = command("ask", document, "-q", "Who is the duchess?", engine=Slow())
    assert code == 130
    assert out.splitlines() == [
        "Stopped after 34% of the text.",
        "No answer in the part that was read.",
        "90% sure.",
    ]


def test_a_stop_for_programs(command: Command, document: str, as_json: AsJson) -> None:
    question = ["-q", "What was stolen: tarts?"]
    code, out, _ = command("ask", document, *question, "--json", engine=Slow())
    values = json.loads(out)
    assert (code, values["complete"], values["answer"]) == (130, False, "tarts")
    assert values["share_read"] == pytest.approx(0.34)
    values = as_json("ask", document, *question)
    assert (values["complete"], values["share_read"]) == (True, 1.0)


def test_a_stop_before_anything_was_found(command: Command, document: str) -> None:
    engine = Slow()
    engine.found = False
    code, out, err = command("ask", document, "-q", "What was stolen: tarts?", engine=engine)
    assert (code, out, err.splitlines()[-1]) == (130, "", "Stopped.")
