"""The model of a table of answers: its counts follow every change."""

from __future__ import annotations

import random

from app.core.answer_table import AnswerTable, Cell, CellState, Column
from app.core.corrections import Verdict
from app.core.library import FileState, LibraryFile
from app.ui.table.answer_model import AnswerModel

COLUMNS = tuple(Column(number, f"Question {number}?") for number in range(1, 5))
# Two files have the same content, one has no text, and some were read in part.
FILES = [
    LibraryFile(at, f"/a/{at}.txt", FileState.READ if at else FileState.NO_TEXT, gap, sha256=f"{at % 5:064x}")
    for at in range(7)
    for gap in ("", "The rest is damaged.")
]


def test_the_counts_follow_cells_files_and_questions() -> None:
    model, dice = AnswerModel(), random.Random(7)
    model.show_table(AnswerTable(1, "A table", 1, COLUMNS), FILES)
    states = (CellState.ANSWER, CellState.ABSENT_IN_PART, CellState.FAILED, CellState.UNREAD)
    verdicts = (Verdict.NONE, Verdict.NONE, Verdict.RIGHT)
    for _ in range(200):
        match dice.randrange(4):
            case 0:
                model.set_files(dice.sample(FILES, dice.randrange(1, len(FILES) + 1)))
            case 1:
                model.set_columns(tuple(dice.sample(COLUMNS, dice.randrange(1, len(COLUMNS) + 1))))
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
