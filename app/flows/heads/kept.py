"""A page's last result, saved for the next start."""

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
    """A result with the `texts` it is of.

    `way` is how the page had cut them out, `name` that of their file; both may be empty. `same_model` is whether the
    model in use now is the one that computed it.
    """

    texts: tuple[str, ...]
    result: HeadResult
    way: str = ""
    name: str = ""
    same_model: bool = True


def keep_result(workspace: Workspace, page: str, head: Head, kept: KeptResult | None, report: Report) -> None:
    """Save the result shown on a page, by the page's key; None removes it. Raises SpanlightError on a disk error."""
    drafts = Drafts(workspace.paths.drafts)
    if kept is None:
        drafts.clear(_name(page))
        return
    values = {
        "texts": kept.texts,
        "result": asdict(kept.result),
        "way": kept.way,
        "name": kept.name,
        "model": _in_use(workspace, head, kept.result.model),
    }
    drafts.save(_name(page), json_of(values, ensure_ascii=False, default=TaggedWords.columns))


def kept_result(workspace: Workspace, page: str, head: Head, report: Report) -> KeptResult | None:
    """The result saved for a page; None where there is none, or it cannot be read."""
    try:
        values = json.loads(Drafts(workspace.paths.drafts).load(_name(page)) or "null")
        if values is None:
            return None
        return KeptResult(
            from_plain(tuple[str, ...], values["texts"]),
            _result(head, values["result"]),
            str(values["way"]),
            str(values["name"]),
            values["model"] == _in_use(workspace, head) != [],
        )
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as fault:
        _log.warning("the last result of %s was not read: %r", page, fault)
        return None


def _name(page: str) -> str:
    return f"{page}.result"


def _result(head: Head, values: dict[str, Any]) -> HeadResult:
    """The result of plain values; the words of tagged texts are columns, as they are many."""
    if head is not Head.TOKEN_CLASSIFICATION:
        return from_plain(_RESULTS[head], values)
    words = [item.pop("words") for item in values["items"]]
    result = from_plain(TaggedTexts, values)
    items = zip(result.items, words, strict=True)
    return replace(
        result, items=tuple(replace(item, words=TaggedWords(**each) if each else ()) for item, each in items)
    )


def _in_use(workspace: Workspace, head: Head, model: str = "") -> list[str]:
    """The name and the fingerprint of the model in use, or of this name; nothing where it is not there."""
    try:
        card = workspace.find_model(head, model)
        return [card.name, fingerprint(Path(card.folder))]
    except SpanlightError:
        return []
