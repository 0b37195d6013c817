"""The open texts and their questions, kept for the next start."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from app.core.report import Report
from app.flows.samples import ASK, Sample, samples
from app.flows.workspace import Workspace
from app.settings.drafts import Drafts

if TYPE_CHECKING:
    from app.ui.ask.sheet import Sheet

_LIST = "ask"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class KeptSheet:
    """One open document as it is kept.

    `text` is None where what was kept before still holds; `file` tells that it is no text to edit: it is read from
    `path` again at the next start. `place` is the code point at the top of the page, `entry` the number of the last
    answer in the history, 0 without one.
    """

    key: str
    name: str
    path: str
    question: str
    history: tuple[str, ...]
    text: str | None
    file: bool = False
    place: int = 0
    entry: int = 0


@dataclass(frozen=True, slots=True)
class KeptSheets:
    """All open texts in the order of their tabs, and which of them is up."""

    sheets: tuple[KeptSheet, ...]
    current: int


def kept_sheets(sheets: Sequence[Sheet], up: int, history: int) -> KeptSheets:
    """The sheets as they are kept, their texts counted as saved; `up` is the index of the one that is up.

    `history` is how many questions of each are kept; what only passes through is left out.
    """
    kept: list[KeptSheet] = []
    current = 0
    for at, sheet in enumerate(sheets):
        if sheet.passing:
            continue
        if at <= up:
            current = len(kept)
        file = sheet.is_file()
        text = sheet.editor.text() if sheet.unsaved and not file else None
        sheet.unsaved = False
        asked, place = tuple(sheet.history[-history:]), sheet.reading_place()
        kept.append(
            KeptSheet(
                sheet.key, sheet.name, sheet.path, sheet.question, asked, text, file, place, sheet.entry
            )
        )
    return KeptSheets(tuple(kept), current)


def save_sheets(drafts: Drafts, kept: KeptSheets, gone: Iterable[str], report: Report) -> None:
    """Write the list and the texts that changed, and forget the texts of closed tabs.

    Raises SpanlightError when the disk refuses, Stopped when the report says so.
    """
    for sheet in kept.sheets:
        report.check()
        if sheet.text is not None:
            drafts.save(f"{_LIST}.{sheet.key}", sheet.text)
    report.check()
    rows = [{name: value for name, value in asdict(sheet).items() if name != "text"} for sheet in kept.sheets]
    drafts.save(_LIST, json.dumps({"current": kept.current, "sheets": rows}, ensure_ascii=False))
    for key in gone:
        drafts.clear(f"{_LIST}.{key}")


def load_sheets(drafts: Drafts) -> KeptSheets:
    """What was kept; nothing where there is nothing, or nothing that can be read."""
    try:
        values = json.loads(drafts.load(_LIST) or "{}")
        found = [_sheet(drafts, row) for row in values.get("sheets", ())]
        return KeptSheets(tuple(found), int(values.get("current", 0)))
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as fault:
        _log.warning("the list of open texts was not read: %r", fault)
        return KeptSheets((), 0)


@dataclass(frozen=True, slots=True)
class FirstThings:
    """What the page begins with: the texts kept, the samples to try, and whether nobody has ever worked here."""

    kept: KeptSheets
    samples: Sequence[Sample]
    first_start: bool


def first_things(workspace: Workspace, drafts: Drafts, report: Report) -> FirstThings:
    """Read what the page begins with. Who was here before has settings, or data of their own."""
    paths = workspace.paths
    new = not workspace.settings.welcomed and not any(
        place.exists() for place in (paths.drafts, paths.history_file, paths.models)
    )
    return FirstThings(load_sheets(drafts), [sample for sample in samples(paths) if sample.kind == ASK], new)


def _sheet(drafts: Drafts, row: dict[str, object]) -> KeptSheet:
    key = str(row["key"])
    history = row.get("history") or ()
    file, place, entry = row.get("file") is True, row.get("place"), row.get("entry")
    return KeptSheet(
        key=key,
        name=str(row.get("name", "")),
        path=str(row.get("path", "")),
        question=str(row.get("question", "")),
        history=tuple(str(one) for one in history) if isinstance(history, list) else (),
        text=None if file else drafts.load(f"{_LIST}.{key}"),
        file=file,
        place=place if isinstance(place, int) and place > 0 else 0,
        entry=entry if isinstance(entry, int) and entry > 0 else 0,
    )
