"""Saves a page's last result for the next start."""

from __future__ import annotations

import json
import logging
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from app.core.errors import SpanlightError
from app.core.models import Head
from app.core.plain import from_plain, json_of
from app.core.report import Report
from app.core.results import Classifications, FilledText, FollowOns, TaggedTexts, TaggedWords
from app.flows.workspace import Workspace
from app.models.disk.installed import fingerprint
from app.settings.drafts import Drafts

HeadResult = Classifications | FilledText | FollowOns | TaggedTexts
_RESULTS: dict[Head, type[HeadResult]] = {
    Head.CLASSIFICATION: Classifications,
    Head.MASKED_WORDS: FilledText,
    Head.NEXT_SENTENCE: FollowOns,
    Head.TOKEN_CLASSIFICATION: TaggedTexts,
}
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class KeptResult:
    """A result with the `texts` that it was computed from.

    `way` is how the page had split the input into texts, `name` is their file's; both may be empty. `same_model` is
    whether the model in use now computed the result.
    """

    texts: tuple[str, ...]
    result: HeadResult
    way: str = ""
    name: str = ""
    same_model: bool = True


def save_result(workspace: Workspace, page: str, head: Head, kept: KeptResult | None, report: Report) -> None:
    """Save the result of a page under the page's key; None removes it. Raises SpanlightError on a disk error."""
    drafts = Drafts(workspace.paths.drafts)
    if kept is None:
        drafts.clear(_draft_name(page))
        return
    values = {
        "texts": kept.texts,
        "result": asdict(kept.result),
        "way": kept.way,
        "name": kept.name,
        "model": _model_identity(workspace, head, kept.result.model),
    }
    drafts.save(_draft_name(page), json_of(values, ensure_ascii=False, default=TaggedWords.columns))


def load_result(workspace: Workspace, page: str, head: Head, report: Report) -> KeptResult | None:
    """Read the saved result of a page; None if there is none or it cannot be read."""
    try:
        values = json.loads(Drafts(workspace.paths.drafts).load(_draft_name(page)) or "null")
        if values is None:
            return None
        return KeptResult(
            from_plain(tuple[str, ...], values["texts"]),
            _result(head, values["result"]),
            str(values["way"]),
            str(values["name"]),
            values["model"] == _model_identity(workspace, head) != [],
        )
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as fault:
        _log.warning("the last result of %s was not read: %r", page, fault)
        return None


def _draft_name(page: str) -> str:
    return f"{page}.result"


def _result(head: Head, values: dict[str, Any]) -> HeadResult:
    """Restore a result from plain values; tagged words are stored as columns, since there are many."""
    if head is not Head.TOKEN_CLASSIFICATION:
        return from_plain(_RESULTS[head], values)
    words = [item.pop("words") for item in values["items"]]
    result = from_plain(TaggedTexts, values)
    items = zip(result.items, words, strict=True)
    return replace(
        result, items=tuple(replace(item, words=TaggedWords(**each) if each else ()) for item, each in items)
    )


def _model_identity(workspace: Workspace, head: Head, model: str = "") -> list[str]:
    """The name and the fingerprint of the model of this name, or of the one in use; empty if it is not installed."""
    try:
        card = workspace.find_model(head, model)
        return [card.name, fingerprint(Path(card.folder))]
    except SpanlightError:
        return []
