"""`tokens`: texts and documents in, names out, in every format."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from app.core.requests import PieceAggregation, TextsToTag
from app.core.results import Entity, Tagged, TaggedTexts
from app.core.text import Span
from tests.flows.fake_engine import FakeEngine
from tests.helpers.terminal import DECODED, AsJson, Command

KNAVE = "Knave"


def test_names_for_people(command: Command) -> None:
    code, out, err = command("tokens", "Alice met Dinah in Oxford.")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "Alice   People    95%",
        "Dinah   People    95%",
        "Oxford  Places    94%",
        "3 names in 6 words.",
    ]
    assert command("tokens", "nothing here")[1] == "No names found.\n"


def test_files_and_texts_in_every_form(
    command: Command, document: str, tmp_path: Path, as_json: AsJson
) -> None:
    page = tmp_path / "page.html"
    page.write_text("<p>Alice <b>Liddell</b></p><p>in Oxford</p>")
    code, out, _ = command("tokens", document, str(page), "Bill sat.", "--csv")
    assert code == 0
    head, *rows = csv.reader(io.StringIO(out))
    assert head == ["document", "start", "end", "text", "type", "probability"]
    assert [row[0] for row in rows if row[3] == KNAVE] == [document]
    places = [(int(row[1]), int(row[2]), row[3]) for row in rows if row[0] == document]
    assert all(DECODED[start:end] == text for start, end, text in places)
    assert [row[3] for row in rows if row[0] == str(page)] == ["Alice Liddell", "Oxford"]
    assert [row[:4] for row in rows][-1] == ["", "0", "4", "Bill"]
    values = as_json("tokens", document)
    assert values["documents"][0]["document"] == document
    assert {"types", "model", "device", "seconds"} <= set(values)
    _, out, _ = command("tokens", document, "--conll")
    assert "Knave B-PER\n" in out and "\n\n" in out


def test_pieces_are_joined_as_asked(command: Command) -> None:
    for joining in PieceAggregation:
        engine = FakeEngine()
        command("tokens", "Alice", "--joining", joining.value, engine=engine)
        (request,) = engine.requests
        assert request == TextsToTag(("Alice",), joining)


def test_a_text_may_be_longer_than_any_name_of_a_file_or_hold_nul(command: Command) -> None:
    assert command("tokens", "Alice sat. " * 2000)[0] == 0
    assert command("tokens", "Alice\0sat")[0] == 0


def test_no_label_and_no_text_steers_the_terminal(command: Command) -> None:
    class Hostile(FakeEngine):
        def run(self, request: Any, choice: Any, report: Any) -> Any:
            entity = Entity(Span(0, 5), "Alice", "\x1b[2J\nPER", 0.9)
            return TaggedTexts((Tagged((entity,), (), 1),) * len(request.texts), ("PER",), 0.1)

    _, out, _ = command("tokens", "Alice", "Alice \x1b[2J", engine=Hostile())
    assert "\x1b" not in out
    assert len(out.splitlines()) == 7
