"""The open documents that are saved for the next start, and what that begins with."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.core.report import Silent
from app.flows.ask.drafts import SavedSheets, first_things, load_sheets, save_sheets
from app.settings import settings as settings_file
from app.settings.drafts import Drafts
from app.settings.paths import default_paths
from tests.helpers.windows import FakeEngine, open_fake_workspace


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"sheets": [1]}', '{"sheets": [{"key": "../x"}], "current": "a"}']
)
def test_a_broken_list_opens_nothing(tmp_path: Path, text: str) -> None:
    drafts = Drafts(tmp_path)
    drafts.save("ask", text)
    assert load_sheets(drafts) == SavedSheets((), 0)


def test_the_question_to_several_documents_is_kept(tmp_path: Path) -> None:
    save_sheets(Drafts(tmp_path), SavedSheets((), 0, "Which of them?"), (), Silent())
    assert load_sheets(Drafts(tmp_path)) == SavedSheets((), 0, "Which of them?")


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
