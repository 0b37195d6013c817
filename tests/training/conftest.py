"""What the tests of training share: examples of a few words, and one thread."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

NAMES = ["king", "queen", "knave", "alice", "rabbit", "man"]
THINGS = ["tarts", "river", "book", "film", "city", "capital"]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Tiny models lose more to threads than they gain."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """qa.jsonl asks who took what, half of it unanswerable; texts.jsonl holds good and bad texts."""
    rows, texts = [], []
    for i in range(48):
        name, thing, other = NAMES[i % 6], THINGS[(i // 6) % 6], THINGS[(i // 6 + 1 + i % 2) % 6]
        context = f"the {name} took the {thing} . the people went to the war ."
        asked, answers = (thing, [{"text": name, "answer_start": 4}]) if i % 3 else (other, [])
        rows.append(
            {"id": str(i), "context": context, "question": f"who took the {asked}?", "answers": answers}
        )
        texts.append(
            {"text": f"the {thing} was {('bad', 'wonderful')[i % 2]} said the {name}", "label": i % 2}
        )
    (tmp_path / "qa.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "texts.jsonl").write_text("\n".join(map(json.dumps, texts)))
    return tmp_path
