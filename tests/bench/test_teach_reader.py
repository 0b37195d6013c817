"""What corrections of one domain gain, with a small reader."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest

from app.bench import teach, teach_reader
from app.bench.plan import BenchPlan
from app.core.errors import SpanlightError
from app.core.report import Silent
from tests.helpers.teaching import question_row, reader_workspace


def test_a_reader_is_taught_and_measured_on_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(teach_reader, "CORRECTIONS", 12)
    monkeypatch.setattr(teach_reader, "HELD", 10)
    # They ask questions that this reader's workspace does not have.
    monkeypatch.setattr(teach, "measure_verdicts", lambda *_: [])
    workspace = reader_workspace(tmp_path / "home")
    with pytest.raises(SpanlightError, match="no qa_train-subjqa"):
        teach.measure(workspace, BenchPlan(("teach",), model="reader", data=str(tmp_path)), Silent())
    with lzma.open(tmp_path / "qa_train-subjqa.jsonl.xz", "wt") as file:
        for at in range(30):
            file.write(json.dumps(question_row(at) | {"source": "subjqa-electronics"}) + "\n")
            file.write(json.dumps(question_row(at) | {"source": "subjqa-books"}) + "\n")
    plan = BenchPlan(("teach",), model="reader", data=str(tmp_path), repeats=1)
    part = teach.measure(workspace, plan, Silent())
    workspace.close()
    assert [row.unit for row in part.rows] == ["points", "points", "s"]
    assert {"domain, before", "domain, after", "seconds"} < part.details["reader"].keys()
