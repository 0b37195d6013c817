from __future__ import annotations

import json
import signal
from dataclasses import replace
from typing import Any

import pytest

from app.core.report import Progress, Report
from app.core.requests import ModelChoice, Question
from tests.flows.fake_engine import FakeEngine, read
from tests.helpers.terminal import Command


class Slow(FakeEngine):
    """An engine that has an answer after 30 of 100 windows, and is interrupted by Ctrl+C after 34."""

    found = True

    def run(self, request: object, choice: ModelChoice | None, report: Report) -> Any:
        assert isinstance(request, Question)
        if self.found:
            report.partial(replace(read(request), complete=False, windows=30, windows_total=100))
        report.progress(Progress(34, 100, "windows", 9.0))
        signal.raise_signal(signal.SIGINT)
        report.check()
        raise AssertionError("it was not stopped")


def test_a_stop_gives_the_best_answer_so_far(command: Command, document: str) -> None:
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
    _, listed, _ = command("history", "--json")
    (kept,) = json.loads(listed)["entries"]
    assert (kept["complete"], kept["share_read"]) == (False, pytest.approx(0.34))


def test_a_stop_says_nothing_about_the_rest_of_the_text(command: Command, document: str) -> None:
    code, out, _ = command("ask", document, "-q", "Who is the duchess?", engine=Slow())
    assert code == 130
    assert out.splitlines() == [
        "Stopped after 34% of the text.",
        "No answer in the part that was read.",
        "90% sure.",
    ]


def test_a_stop_for_programs(command: Command, document: str) -> None:
    question = ["-q", "What was stolen: tarts?", "--json"]
    code, out, _ = command("ask", document, *question, engine=Slow())
    values = json.loads(out)
    assert (code, values["complete"], values["answer"]) == (130, False, "tarts")
    assert values["share_read"] == pytest.approx(0.34)
    _, out, _ = command("ask", document, *question)
    values = json.loads(out)
    assert (values["complete"], values["share_read"]) == (True, 1.0)


def test_a_stop_before_anything_was_found(command: Command, document: str) -> None:
    engine = Slow()
    engine.found = False
    code, out, err = command("ask", document, "-q", "What was stolen: tarts?", engine=engine)
    assert (code, out, err.splitlines()[-1]) == (130, "", "Stopped.")
