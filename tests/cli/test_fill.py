from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from app.core.requests import TextToFill
from app.core.results import FilledBlank, FilledText, Guess
from tests.flows.fake_engine import FakeEngine
from tests.helpers.terminal import AsJson, Command


def test_fill_for_people(command: Command) -> None:
    code, out, err = command("fill", "a cup of ___.")
    assert (code, err) == (0, "")
    assert out.splitlines() == ["hot     75%", "old    3.4%"]


def test_no_entry_of_a_vocabulary_steers_the_terminal(command: Command) -> None:
    class Hostile(FakeEngine):
        def run(self, request: Any, choice: Any, report: Any) -> Any:
            guesses = (Guess("\x1b[2J\rhot", 0.5, 1), Guess("cold", 0.2, 2))
            return FilledText((FilledBlank(request.blanks[0], guesses),), 0.1)

    _, out, _ = command("fill", "a cup of ___.", engine=Hostile())
    assert out.splitlines() == ["[2J hot     50%", "cold        20%"]


def test_fill_several_with_words_asked_about(command: Command) -> None:
    text = "Once upon a time there was a cup that was full of ___, and a [MASK] spoon lay beside it all day."
    code, out, _ = command("fill", text, "--word", "tea", "--word", "silver", "--top-k", "1")
    assert code == 0
    assert out.splitlines() == [
        "…was a cup that was full of ___, and a [MASK] spoon lay…",
        "hot     75%",
        "tea: 0.050%, number 7",
        "",
        "…that was full of ___, and a [MASK] spoon lay beside it all day.",
        "hot     75%",
        "silver: 0.050%, number 7",
    ]


def test_fill_for_programs(command: Command) -> None:
    engine = FakeEngine()
    text = "a ___ cup of <mask>"
    code, out, _ = command("fill", text, "--word", "big", "--json", "--top-k", "2", engine=engine)
    assert code == 0
    values = json.loads(out)
    assert [text[blank["start"] : blank["end"]] for blank in values["blanks"]] == ["___", "<mask>"]
    assert values["blanks"][0]["words"][1] == {"word": "old", "probability": 0.034, "rank": 2, "pieces": 1}
    assert values["blanks"][0]["asked"]["word"] == "big"
    assert values["blanks"][1]["asked"] is None
    assert (values["text"], values["model"], values["device"]) == (text, "filler", "CPU")
    (request,) = engine.requests
    assert isinstance(request, TextToFill) and (request.asked, request.top_k) == (("big", ""), 2)


def test_fill_reads_a_file_or_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, as_json: AsJson
) -> None:
    path = tmp_path / "cup.txt"
    path.write_bytes("Grüße,\r\na ___ cup".encode())
    assert as_json("fill", "--file", str(path))["blanks"][0]["start"] == 9
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a ___ cup")))
    assert as_json("fill", "-")["text"] == "a ___ cup"
