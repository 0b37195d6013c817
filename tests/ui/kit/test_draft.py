from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.settings.drafts import SAVE_EVERY_MS, Drafts
from app.ui.kit.draft import Draft
from app.ui.kit.jobs import Lanes


def test_a_draft_is_saved_while_it_is_typed_without_a_pause(
    lanes: Lanes, qtbot: QtBot, tmp_path: Path
) -> None:
    assert SAVE_EVERY_MS <= 1000
    owner, drafts, typed = QObject(), Drafts(tmp_path), [""]
    draft = Draft(drafts, "one", lambda: typed[0], lanes, owner)
    draft.timer.setInterval(60)
    for at in range(30):
        typed[0] += f"{at} "
        draft.save_soon()
        qtbot.wait(10)
        if drafts.load("one"):
            break
    assert drafts.load("one").startswith("0 1 "), "it was never still for as long as a pause"
    qtbot.waitUntil(lambda: drafts.load("one") == typed[0])
    typed[0] = "the last"
    draft.save_soon()
    draft.save_now()
    assert drafts.load("one") == "the last" and not draft.timer.isActive()
