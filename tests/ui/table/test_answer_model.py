"""The model of a table of answers: its counts follow every change."""

from __future__ import annotations

import random
from dataclasses import replace

from pytestqt.qtbot import QtBot

from app.core.answer_table import AnswerTable, Cell, CellState, Column
from app.core.corrections import Verdict
from app.core.library import FileState, LibraryFile
from app.ui.table.answer_model import AnswerModel

COLUMNS = tuple(Column(number, f"Question {number}?") for number in range(1, 5))
# Two files have the same content, one has no text, and some were read in part.
FILES = [
    LibraryFile(
        2 * at + bool(gap),
        f"/a/{at}.txt",
        FileState.READ if at else FileState.NO_TEXT,
        gap,
        sha256=f"{at % 5:064x}",
    )
    for at in range(7)
    for gap in ("", "The rest is damaged.")
]


def _otherwise(file: LibraryFile, dice: random.Random) -> LibraryFile:
    """Now and then a file of another content or state."""
    if dice.random() < 0.7:
        return file
    state = dice.choice((FileState.READ, FileState.READ, FileState.WAITING, FileState.FAILED))
    reason = dice.choice(("", "The rest is damaged."))
    return replace(file, state=state, reason=reason, sha256=dice.choice(("", f"{dice.randrange(6):064x}")))


def test_the_counts_follow_cells_files_and_questions() -> None:
    model, dice = AnswerModel(), random.Random(7)
    model.show_table(AnswerTable(1, "A table", 1, COLUMNS), FILES)
    states = (CellState.ANSWER, CellState.ABSENT_IN_PART, CellState.FAILED, CellState.UNREAD)
    verdicts = (Verdict.NONE, Verdict.NONE, Verdict.RIGHT)
    for _ in range(200):
        match dice.randrange(5):
            case 0:
                model.set_files(dice.sample(FILES, dice.randrange(1, len(FILES) + 1)))
            case 1:
                model.set_columns(tuple(dice.sample(COLUMNS, dice.randrange(1, len(COLUMNS) + 1))))
            case 2:
                model.set_files([_otherwise(file, dice) for file in model.files()])
            case _:
                where = dice.randrange(1, 6), f"{dice.randrange(6):064x}"
                reason = dice.choice(("", "The rest is damaged."))
                said = dice.choice(verdicts)
                model.take_cells([Cell(*where, dice.choice(states), None, 0.2, verdict=said, reason=reason)])
        keys = [
            (file.sha256, column.number)
            for file in model.files()
            if file.state is FileState.READ
            for column in model.columns
        ]
        assert model.counts() == (sum(map(model.is_read, keys)), len(keys))
        anew = AnswerModel()
        anew.show_table(AnswerTable(1, "A table", 1, model.columns), model.files(), model.cells)
        assert model.rows == anew.rows and model.counts() == anew.counts()
        for sha256, number in keys:
            cell = Cell(number, sha256, CellState.UNREAD)
            assert model.place_of(cell) == anew.place_of(cell)


def test_a_file_that_was_read_stays_in_its_row_and_only_that_is_shown_again(qtbot: QtBot) -> None:
    model = AnswerModel()
    waiting = [replace(file, state=FileState.WAITING, sha256="") for file in FILES]
    model.show_table(AnswerTable(1, "A table", 1, COLUMNS), waiting)
    with (
        qtbot.assertNotEmitted(model.modelReset),
        qtbot.waitSignal(model.dataChanged) as shown,
        qtbot.waitSignal(model.headerDataChanged),
    ):
        assert model.set_files([*waiting[:5], FILES[5], *waiting[6:]])
    assert [index.row() for index in shown.args[:2]] == [5, 5]
    assert model.counts() == (0, 4) and model.rows[5].file is FILES[5]
    assert not model.set_files([*waiting[:5], replace(FILES[5]), *waiting[6:]]), "nothing has changed"
    with qtbot.waitSignal(model.modelReset):
        assert model.set_files(waiting[:5])
