from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import EngineLost, SpanlightError
from app.core.report import Report, Silent
from app.core.requests import ModelChoice, TextBatch
from app.flows.csv_files import Table, read_table
from app.flows.heads.classify_batch import classify_batch, classify_table
from tests.flows.fake_engine import FakeEngine, classes, fake_workspace


def test_rows(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text(
        '{"id": "a", "text": "so good"}\n{"text": "so bad", "label": 0}\n{"id": 9, "text": " "}\n'
    )
    output = tmp_path / "out.jsonl"
    done = classify_batch(fake_workspace(tmp_path), source, output, Silent())
    assert done.rows == 3
    first, second, third = (json.loads(line) for line in output.read_text().splitlines())
    assert first["id"] == "a"
    assert first["label"] == "positive"
    assert first["probability"] == first["probabilities"]["positive"] == pytest.approx(0.9)
    assert (second["id"], second["label"]) == (2, "negative")
    assert third == {"id": 9, "label": "", "probability": None, "probabilities": {}}


class LostInTheMiddle(FakeEngine):
    """Finishes the texts 1, 0 and 3, in this order, and dies."""

    def run(self, request: object, choice: ModelChoice | None, report: Report) -> Any:
        assert isinstance(request, TextBatch)
        for index in (1, 0, 3):
            report.partial((index, classes(request.texts[index])))
        raise EngineLost("It died.", "Try again.")


def test_what_is_finished_stays_also_of_a_group_that_breaks_off(tmp_path: Path) -> None:
    source, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    texts = ["good 0", "1", " ", "good 3", "4", "5"]
    source.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    with pytest.raises(EngineLost):
        classify_batch(fake_workspace(tmp_path, LostInTheMiddle()), source, output, Silent())
    # Text 3 of those with words is row 5, and row 4 is not known yet.
    assert [json.loads(line)["id"] for line in output.read_text().splitlines()] == [1, 2, 3]
    engine = FakeEngine()
    done = classify_batch(fake_workspace(tmp_path, engine), source, output, Silent())
    assert (done.finished_before, engine.requests) == (3, [TextBatch(("good 3", "4", "5"))])
    labels = [json.loads(line)["label"] for line in output.read_text().splitlines()]
    assert labels == ["positive", "negative", "", "positive", "negative", "negative"]


def test_csv_in_and_out(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    rows = [
        ["name", "label", "review"],
        ["Ann", "x", "so good, “really”"],
        ["Bo", "y", "two\nlines"],
        ["C", "", ""],
    ]
    with source.open("w", newline="", encoding="cp1252") as file:
        csv.writer(file).writerows(rows)
    table = read_table(source, "review")
    output = tmp_path / "out.csv"
    lines = classify_table(fake_workspace(tmp_path), table, output, Silent())
    assert output.read_text(encoding="utf-8") == lines
    found = list(csv.reader(io.StringIO(lines, newline="")))
    assert found[0] == [
        "name", "label", "review", "label 2", "probability", "probability negative", "probability positive",
    ]  # fmt: skip
    assert [row[:3] for row in found[1:]] == rows[1:]
    assert found[1][3:] == ["positive", "0.900000", "0.100000", "0.900000"]
    assert found[3][3:] == ["", "", "", ""]


def test_a_table_is_harmless_to_a_spreadsheet(tmp_path: Path) -> None:
    table = Table(("text", "n", "+x"), (("=good()", "-1.5", "-a"),), 0)
    lines = classify_table(fake_workspace(tmp_path), table, None, Silent()).splitlines()
    assert lines[0].startswith("text,n,'+x,label,")
    assert lines[1] == "'=good(),-1.5,'-a,positive,0.900000,0.100000,0.900000"


@pytest.mark.parametrize(("delimiter", "mark"), [(";", ""), ("\t", "\ufeff"), (",", "\ufeff")])
def test_other_delimiters_and_marks(tmp_path: Path, delimiter: str, mark: str) -> None:
    source = tmp_path / "in.csv"
    source.write_text(
        f"{mark}text{delimiter}n\r\ngood one{delimiter}1\r\nshort\r\n\r\n", encoding="utf-8", newline=""
    )
    table = read_table(source, "text")
    assert table == Table(("text", "n"), (("good one", "1"), ("short", "")), 0, delimiter)
    lines = classify_table(fake_workspace(tmp_path), table, None, Silent())
    assert lines.splitlines()[1].split(delimiter)[:3] == ["good one", "1", "positive"]


def test_csv_at_fault(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("a,b\n1,2\n")
    with pytest.raises(SpanlightError) as caught:
        read_table(source, "text")
    assert caught.value.message == "“in.csv” has no column “text”."
    assert caught.value.hint == "Its columns are: a, b."
    source.write_text("")
    with pytest.raises(SpanlightError, match="has no column"):
        read_table(source, "text")
    with pytest.raises(SpanlightError, match="There is no file"):
        read_table(tmp_path / "none.csv", "text")


def test_values_beyond_the_columns_are_not_lost_in_silence(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("text,n\nso good,1,\nso bad, really,2\n")
    with pytest.raises(SpanlightError, match=r"Row 3 of “in\.csv” has more values"):
        read_table(source, "text")
    source.write_text("text\nso bad, really, I say\n")
    assert read_table(source, "text").rows == (("so bad, really, I say",),)


def test_an_output_that_cannot_be_written_is_told_before_the_work(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("text\ngood\n")
    engine = FakeEngine()
    table = read_table(source, "text")
    for output in (source / "out.csv", tmp_path):
        with pytest.raises(SpanlightError, match="could not be written"):
            classify_table(fake_workspace(tmp_path, engine), table, output, Silent())
    assert engine.requests == []


@pytest.mark.skipif(os.name != "posix", reason="rights are POSIX's")
def test_a_table_is_as_open_as_other_files(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("text\ngood\n")
    output = tmp_path / "out.csv"
    classify_table(fake_workspace(tmp_path), read_table(source, "text"), output, Silent())
    assert output.stat().st_mode == source.stat().st_mode
    output.chmod(0o640)
    classify_table(fake_workspace(tmp_path), read_table(source, "text"), output, Silent())
    assert output.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["in.csv", "out.csv"]
