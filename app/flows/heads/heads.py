"""The tasks of the heads other than question answering: classes, blanks, continuations, names.

In all of them `model` and `device` override the settings. They raise SpanlightError for an empty request and for a
missing model or device, EngineLost when the model process died, Stopped when cancelled.
"""

from __future__ import annotations

from pathlib import Path

from app.core.models import Head, LoadedModel
from app.core.report import Report
from app.core.requests import PassagePairs, TextsToClassify, TextsToTag, TextToFill
from app.core.results import Classifications, FilledText, FollowOns, TaggedTexts
from app.core.rows import read_rows, without_surrogates
from app.flows.rows import check_rows
from app.flows.workspace import Workspace


def load_head(workspace: Workspace, head: Head, report: Report) -> LoadedModel:
    """Have the model process load the current model of a head, so that the first request does not wait."""
    return workspace.engine.load(workspace.choose(head, "", "", report, use=False), head, report)


def classify(
    workspace: Workspace, texts: TextsToClassify, report: Report, *, model: str = "", device: str = ""
) -> Classifications:
    """Compute the class probabilities of every whole text, in order; none may be blank."""
    texts.require_words()
    return workspace.engine.run(texts, workspace.choose(Head.CLASSIFICATION, model, device, report), report)


def fill(
    workspace: Workspace, text: TextToFill, report: Report, *, model: str = "", device: str = ""
) -> FilledText:
    """Find the likeliest words for every blank of a text that has at least one."""
    text.require_blanks()
    return workspace.engine.run(text, workspace.choose(Head.MASKED_WORDS, model, device, report), report)


def follow(
    workspace: Workspace, pairs: PassagePairs, report: Report, *, model: str = "", device: str = ""
) -> FollowOns:
    """Compute how likely each pair's second passage continues its first, in order; none may be blank."""
    pairs.require_words()
    return workspace.engine.run(pairs, workspace.choose(Head.NEXT_SENTENCE, model, device, report), report)


def find_names(
    workspace: Workspace, texts: TextsToTag, report: Report, *, model: str = "", device: str = ""
) -> TaggedTexts:
    """Find the names in every text, in order; none may be blank."""
    texts.require_words()
    choice = workspace.choose(Head.TOKEN_CLASSIFICATION, model, device, report)
    return workspace.engine.run(texts, choice, report)


def read_pairs(source: Path) -> PassagePairs:
    """Read the pairs of a .jsonl or .jsonl.xz file with rows `{"first", "second"}`.

    Raises SpanlightError for a file that cannot be read or has other rows.
    """
    names = ("first", "second")
    check_rows(source, names)
    pairs = (tuple(without_surrogates(row.text(name, source)) for name in names) for row in read_rows(source))
    return PassagePairs(tuple((first, second) for first, second in pairs))
