"""How likely passages continue others."""

from __future__ import annotations

from pathlib import Path

from app.core.models import Head, LoadedModel
from app.core.report import Report
from app.core.requests import PassagePairs
from app.core.results import FollowOns
from app.flows.rows import LONE_SURROGATE, check_rows, read_rows
from app.flows.workspace import Workspace


def follow(
    workspace: Workspace, pairs: PassagePairs, report: Report, *, model: str = "", device: str = ""
) -> FollowOns:
    """For every pair, in order, how likely its second passage continues its first.

    `model` and `device` overrule the settings. Raises SpanlightError where there is no pair or a passage is blank, for
    a missing model or device, and EngineLost when the model process died; Stopped when cancelled.
    """
    pairs.require_words()
    choice = workspace.choose(Head.NEXT_SENTENCE, model, device, report)
    return workspace.engine.run(pairs, choice, report)


def load_follower(workspace: Workspace, report: Report, *, model: str = "", device: str = "") -> LoadedModel:
    """Have the model process load the model for this, so that the first pair does not wait."""
    choice = workspace.choose(Head.NEXT_SENTENCE, model, device, report, use=False)
    return workspace.engine.load(choice, Head.NEXT_SENTENCE, report)


def read_pairs(source: Path) -> PassagePairs:
    """The pairs of a .jsonl or .jsonl.xz file of rows `{"first", "second"}`.

    Raises SpanlightError for a file that cannot be read or does not hold such rows.
    """
    check_rows(source, ("first", "second"))
    return PassagePairs(
        tuple(
            (_clean(row.text("first", source)), _clean(row.text("second", source)))
            for row in read_rows(source)
        )
    )


def _clean(text: str) -> str:
    return LONE_SURROGATE.sub("\ufffd", text)
