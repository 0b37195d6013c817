"""`classify` with every kind of head: exclusive classes, classes that do not exclude each other, values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.core.models import ProblemType
from app.core.report import Report
from app.core.requests import ModelChoice, TextBatch, TextsToClassify
from app.core.results import Classification, Classifications, ClassScore
from tests.flows.fake_engine import FakeEngine
from tests.helpers.terminal import AsJson, Command

LONG = "a delivery that did not arrive at the address which the customer gave"
MULTI = ProblemType.MULTI_LABEL


class OneResult(FakeEngine):
    """An engine that gives every text the same classes."""

    def __init__(self, problem: ProblemType, winner: str, **scores: float) -> None:
        super().__init__()
        listed = tuple(ClassScore(label, value) for label, value in scores.items())
        self.item = Classification(listed, winner, 1, 3, problem.value)

    def run(self, request: object, choice: ModelChoice | None, report: Report) -> Any:
        match request:
            case TextsToClassify():
                return Classifications((self.item,) * len(request.texts), 0.1)
            case TextBatch():
                for index in range(len(request.texts)):
                    report.partial((index, self.item))
                return (self.item,) * len(request.texts)
        return super().run(request, choice, report)


def test_four_ways(command: Command) -> None:
    engine = OneResult(
        ProblemType.SINGLE_LABEL, "Sports", World=0.2, Sports=0.6, Business=0.15, Technology=0.05
    )
    code, out, _ = command("classify", "a text", engine=engine)
    assert code == 0
    assert out.splitlines() == [
        "Sports         60%",
        "World          20%",
        "Business       15%",
        "Technology      5%",
    ]


@pytest.mark.parametrize(
    ("scores", "winner", "last"),
    [
        ({"toxic": 0.6, "insult": 0.9, "threat": 0.1}, "insult", "One half or more: toxic, insult."),
        ({"toxic": 0.3, "insult": 0.2, "threat": 0.1}, "", "No class reaches one half."),
    ],
)
def test_several_classes_or_none(
    command: Command, scores: dict[str, float], winner: str, last: str, as_json: AsJson
) -> None:
    engine = OneResult(MULTI, winner, **scores)
    _, out, _ = command("classify", "a text", engine=engine)
    assert len(out.splitlines()) == 4
    assert out.splitlines()[-1] == last
    (item,) = as_json("classify", "a text", engine=OneResult(MULTI, winner, **scores))["items"]
    assert item["label"] == winner
    assert item["labels"] == [label for label, value in scores.items() if value >= 0.5]
    assert item["probability"] == (0.9 if winner else None)
    assert item["probabilities"] == scores


def test_values_stand_in_the_model_s_order(command: Command, as_json: AsJson) -> None:
    values = {"valence": -0.967, "arousal": 12.5, "dominance": 0.1}
    _, out, _ = command("classify", "a text", engine=OneResult(ProblemType.REGRESSION, "", **values))
    assert out.splitlines() == ["valence    -0.967", "arousal      12.5", "dominance     0.1"]
    (item,) = as_json("classify", "x", engine=OneResult(ProblemType.REGRESSION, "", **values))["items"]
    assert item["values"] == values
    assert (item["label"], item["probability"], "probabilities" in item) == ("", None, False)


def test_a_long_name_does_not_push_the_numbers_away(command: Command) -> None:
    engine = OneResult(ProblemType.SINGLE_LABEL, LONG, **{LONG: 0.7, "other": 0.2, "none\x1b[2J": 0.1})
    _, out, _ = command("classify", "a text", engine=engine)
    lines = out.splitlines()
    assert lines[0] == f"{LONG}     70%"
    assert lines[1].startswith("other ")
    assert len(lines[1]) < 25
    assert "\x1b" not in out


def test_twenty_classes_in_a_batch(command: Command, tmp_path: Path) -> None:
    source, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text('{"text": "a"}\n{"text": " "}\n')
    scores = {f"class {at}": at / 190 for at in range(20)}
    engine = OneResult(ProblemType.SINGLE_LABEL, "class 19", **scores)
    code, _, _ = command("classify", "--batch", str(source), "--output", str(output), engine=engine)
    assert code == 0
    first, second = (json.loads(line) for line in output.read_text().splitlines())
    assert first["label"] == "class 19"
    assert list(first["probabilities"]) == list(scores)
    assert (second["label"], second["probability"], second["probabilities"]) == ("", None, {})
