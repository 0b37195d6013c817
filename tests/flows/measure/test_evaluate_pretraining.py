from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import SpanlightError
from app.core.models import Head
from app.core.report import Report, Silent
from app.core.requests import ModelChoice, PassagePairs, TextsToMask
from app.core.results import FollowOn, MaskedText, MaskedTexts
from app.core.text import RunningText
from app.flows.measure.evaluate_pretraining import (
    evaluate_pretraining,
    pair_figures,
    pairs_of,
    word_figures,
)
from app.flows.measure.plan import Plan
from app.models.disk.notes import read_notes
from tests.flows.fake_engine import FakeEngine, keeping_workspace

BOTH = (Head.MASKED_WORDS, Head.NEXT_SENTENCE)


class Pretrained(FakeEngine):
    """Of each text's words it is asked two and names one first; a passage follows where it begins with "Then"."""

    def run(self, request: object, choice: ModelChoice | None, report: Report) -> object:
        if isinstance(request, TextsToMask):
            self.requests.append(request)
            return MaskedTexts(tuple(MaskedText(2, 1, 2, 3.0) for _ in request.texts), 0.1)
        return super().run(request, choice, report)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    rows = [
        {"context": f"The king sat. Then he ate tart {i}.", "title": str(i), "source": "court"}
        for i in range(6)
    ]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "book.txt").write_text("Once upon a time. Never again.\n\nIt rained.")
    return tmp_path / "rows.jsonl", tmp_path / "book.txt"


def test_words_and_pairs_by_source(tmp_path: Path, files: tuple[Path, Path]) -> None:
    engine = Pretrained()
    workspace = keeping_workspace(tmp_path, engine, *BOTH)
    found = evaluate_pretraining(workspace, Plan(files, record=True), Silent())
    assert (found.texts, found.words.words) == (7, 14)
    assert (found.words.top1, found.words.top5, found.words.loss) == (0.5, 1.0, 1.5)
    assert {s: f.words for s, f in found.words_by_source.items()} == {"book": 2, "court": 12}
    pairs = [pair for r in engine.requests if isinstance(r, PassagePairs) for pair in r.pairs]
    assert len(pairs) == 14
    assert all(second.startswith("Then he ate") for first, second in pairs[:12:2] if "king" in first)
    # Of the court each true follow-up is told right, and the other one where it is the book's.
    court = found.pairs_by_source["court"]
    others = [second for _, second in pairs[1:12:2]]
    assert court.pairs == 6
    assert court.accuracy == pytest.approx((6 + sum(not o.startswith("Then") for o in others)) / 12)
    kept = read_notes(tmp_path / "model").measured["rows + book"]
    assert kept["masked top1"] == 0.5 and kept["texts"] == 7.0 and "next sentence accuracy" in kept


def test_without_a_head_over_pairs_only_words_are_measured(tmp_path: Path, files: tuple[Path, Path]) -> None:
    engine = Pretrained()
    workspace = keeping_workspace(tmp_path, engine, Head.MASKED_WORDS)
    found = evaluate_pretraining(workspace, Plan(files), Silent())
    assert found.pairs is None and found.pairs_by_source == {}
    assert not any(isinstance(r, PassagePairs) for r in engine.requests)


def test_files_without_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "none.txt").write_text(" \n\n ")
    with pytest.raises(SpanlightError, match="no text"):
        evaluate_pretraining(
            keeping_workspace(tmp_path, None, *BOTH), Plan((tmp_path / "none.txt",)), Silent()
        )


SENTENCE = st.sampled_from(["One is here.", "Two went away!", "Is three?", "Four said so, too."])
TEXTS = st.lists(
    st.builds(
        lambda paragraphs, document: RunningText(tuple(paragraphs), document, "s"),
        st.lists(st.lists(SENTENCE, min_size=1, max_size=40).map(" ".join), min_size=1, max_size=3),
        st.sampled_from("abc"),
    ),
    max_size=6,
)


@given(TEXTS, st.integers(0, 99))
def test_pairs_follow_and_others_are_of_another_document(texts: list[RunningText], seed: int) -> None:
    marked = [
        RunningText(tuple(p.replace(".", f" {n}.") for p in text.paragraphs), text.document, "s")
        for n, text in enumerate(texts)
    ]
    pairs = pairs_of(marked, seed)
    assert pairs == pairs_of(marked, seed)
    by_document = {d: " ".join(" ".join(t.paragraphs) for t in marked if t.document == d) for d in "abc"}
    homes = {" ".join(text.paragraphs): text.document for text in marked}
    for pair in pairs:
        whole = next(w for w in homes if f"{pair.first} {pair.follows}" in w)
        assert pair.first and pair.follows and len(pair.first) < 320 and len(pair.follows) < 320
        assert any(pair.other in by_document[d] for d in "abc" if d != homes[whole])
    if len({t.document for t in marked if len(" ".join(t.paragraphs).split()) > 10}) > 1:
        assert pairs


def test_figures_of_words_and_pairs() -> None:
    words = word_figures([MaskedText(4, 1, 2, 8.0), MaskedText(0, 0, 0, 0.0)])
    assert (words.words, words.top1, words.top5, words.loss) == (4, 0.25, 0.5, 2.0)
    assert word_figures([]).loss == 0.0

    def told(margin: float) -> FollowOn:
        return FollowOn(0.5, (margin, 0.0), (1, 1))

    pairs = pair_figures([(told(2.0), told(-1.0)), (told(1.0), told(0.5)), (told(-2.0), told(-1.0))])
    assert (pairs.pairs, pairs.accuracy, pairs.ordered) == (3, pytest.approx(4 / 6), pytest.approx(2 / 3))
