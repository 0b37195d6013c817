"""Saves the open documents and their questions for the next start."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from app.core.message import restored, stored
from app.core.plain import from_plain, json_of
from app.core.report import Report
from app.flows.samples import ASK, Sample, samples
from app.flows.workspace import Workspace
from app.settings.drafts import Drafts

if TYPE_CHECKING:
    from app.core.history import Entry

_LIST = "ask"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SavedSheet:
    """An open document as it is saved.

    `text` is None if the text saved earlier is still valid. With `file` it is an unedited file that is read from `path`
    again at the next start. `place` is the code point at the top of the page, `entry` the number of the last answer in
    the history, or 0.
    """

    key: str
    name: str = ""
    path: str = ""
    question: str = ""
    history: tuple[str, ...] = ()
    text: str | None = None
    file: bool = False
    place: int = 0
    entry: int = 0


@dataclass(frozen=True, slots=True)
class SavedAcross:
    """The question in the box for several documents, and the last answers from a library.

    `library` is its number, 0 without answers. `entries` has the answers by document, as in the history, those of the
    best document first; `passages` is how many were read. `recognised` has a sentence for each answer, in this order,
    whose words were recognised in a picture, with the confidence, and "" for any other.
    """

    question: str = ""
    library: int = 0
    passages: int = 0
    entries: tuple[Entry, ...] = ()
    recognised: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SavedSheets:
    """All open documents in the order of their tabs, the index of the current one, and the question to several."""

    sheets: tuple[SavedSheet, ...]
    current: int
    across: SavedAcross = SavedAcross()


def save_sheets(drafts: Drafts, saved: SavedSheets, gone: Iterable[str], report: Report) -> None:
    """Write the list and the changed texts, and delete the texts of closed tabs (`gone`).

    Raises SpanlightError when the disk refuses, Stopped when cancelled.
    """
    for sheet in saved.sheets:
        report.check()
        if sheet.text is not None:
            drafts.save(f"{_LIST}.{sheet.key}", sheet.text)
    report.check()
    rows = [
        {name: value for name, value in asdict(sheet).items() if name != "text"} for sheet in saved.sheets
    ]
    across = asdict(saved.across) | {"recognised": [stored(words) for words in saved.across.recognised]}
    values = {"current": saved.current, "across": across, "sheets": rows}
    drafts.save(_LIST, json_of(values, ensure_ascii=False))
    for key in gone:
        drafts.clear(f"{_LIST}.{key}")


def load_sheets(drafts: Drafts) -> SavedSheets:
    """Read the saved documents; none if nothing was saved or it cannot be read."""
    try:
        values = json.loads(drafts.load(_LIST) or "{}")
        found = [_sheet(drafts, row) for row in values.get("sheets", ())]
        return SavedSheets(tuple(found), int(values.get("current", 0)), _across(values.get("across")))
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as fault:
        _log.warning("the list of open texts was not read: %r", fault)
        return SavedSheets((), 0)


@dataclass(frozen=True, slots=True)
class FirstThings:
    """What the page Ask starts with: the saved documents, the samples, and whether this is the first start."""

    saved: SavedSheets
    samples: Sequence[Sample]
    first_start: bool


def first_things(workspace: Workspace, drafts: Drafts, report: Report) -> FirstThings:
    """Read what the page Ask starts with. At the first start there are neither settings nor data."""
    paths = workspace.paths
    new = not workspace.settings.welcomed and not any(
        place.exists() for place in (paths.drafts, paths.history_file, paths.models)
    )
    return FirstThings(load_sheets(drafts), [sample for sample in samples(paths) if sample.kind == ASK], new)


def _across(saved: object) -> SavedAcross:
    if not isinstance(saved, dict):
        return SavedAcross(str(saved or ""))
    question = str(saved.get("question", ""))
    try:
        entries = tuple(_entry(**row) for row in saved["entries"])
        recognised = tuple(restored(str(words)) for words in saved.get("recognised", ()))
        return SavedAcross(question, int(saved["library"]), int(saved["passages"]), entries, recognised)
    except (ValueError, TypeError, KeyError) as fault:
        _log.warning("the last answers in a library were not read: %r", fault)
        return SavedAcross(question)


def _entry(*, kind: str, answers: Iterable[dict[str, Any]], **values: Any) -> Entry:
    from app.core.history import Entry, KeptAnswer
    from app.core.layout import Kind
    from app.core.text import Span

    found = tuple(KeptAnswer(**answer | {"span": Span(**answer["span"])}) for answer in answers)
    return Entry(kind=Kind(kind), answers=found, **values)


def _sheet(drafts: Drafts, row: dict[str, Any]) -> SavedSheet:
    saved = from_plain(SavedSheet, row | {"text": None})
    return saved if saved.file else replace(saved, text=drafts.load(f"{_LIST}.{saved.key}"))
