"""Open documents are saved, and loaded at the next start."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.core.history import KeptAnswer
from app.core.report import Silent
from app.core.text import Span
from app.flows.ask.drafts import SavedAcross, SavedSheets, first_things, load_sheets, save_sheets
from app.settings import settings as settings_file
from app.settings.drafts import Drafts
from app.settings.paths import default_paths
from tests.helpers.history_entries import ENTRY
from tests.helpers.windows import FakeEngine, open_fake_workspace


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"sheets": [1]}', '{"sheets": [{"key": "../x"}], "current": "a"}']
)
def test_a_broken_list_opens_nothing(tmp_path: Path, text: str) -> None:
    drafts = Drafts(tmp_path)
    drafts.save("ask", text)
    assert load_sheets(drafts) == SavedSheets((), 0)


def test_the_question_to_several_documents_is_kept(tmp_path: Path) -> None:
    kept = KeptAnswer(Span(3, 6), "six", 0.8, "At six.", page=2, heading="Hours")
    entry = replace(ENTRY, path="/a\udc80.pdf", answers=(kept,))
    saved = SavedSheets((), 0, SavedAcross("Which of them?", 3, 32, (entry, entry)))
    save_sheets(Drafts(tmp_path), saved, (), Silent())
    assert load_sheets(Drafts(tmp_path)) == saved


@pytest.mark.parametrize("broken", ['{"question": "Which?", "entries": [{"kind": "pdf"}]}', '"Which?"'])
def test_answers_that_cannot_be_read_are_left_out(tmp_path: Path, broken: str) -> None:
    Drafts(tmp_path).save("ask", f'{{"current": 0, "across": {broken}, "sheets": []}}')
    assert load_sheets(Drafts(tmp_path)) == SavedSheets((), 0, SavedAcross("Which?"))


@pytest.mark.parametrize("of", ["", "settings", "drafts", "history", "models"])
def test_who_was_here_before_is_not_welcomed(spanlight_home: Path, of: str) -> None:
    paths = default_paths()
    if of == "settings":
        paths.config.mkdir(parents=True)
        paths.settings_file.write_text('{"theme": "dark"}')
        assert settings_file.load(paths.settings_file).welcomed
    elif of:
        {"drafts": paths.drafts, "history": paths.history_file, "models": paths.models}[of].mkdir(
            parents=True
        )
    workspace = open_fake_workspace(FakeEngine(lambda *_: None), first=of != "settings")
    assert first_things(workspace, Drafts(paths.drafts), Silent()).first_start == (of == "")
