"""Every other head that has a starter, on a text whose result is known, and a look inside."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from app.core.inspection import LookAtAttention, LookAtModel, LookAtReasons, Subject
from app.core.models import Head
from app.core.requests import PassagePairs, TextsToClassify, TextsToTag, TextToFill
from app.core.text import Span
from app.flows.check.trial import Trial, require
from app.flows.heads.classify import classify
from app.flows.heads.fill import fill
from app.flows.heads.follow import follow
from app.flows.heads.inspect import look
from app.flows.heads.names import find_names
from app.flows.workspace import Workspace

GOOD = "A wonderful hotel: the room was quiet and the staff were kind."
BAD = "The soup was cold, the waiter was rude, and we shall never come back."
BLANK = "The ship sailed across the ___."
WORD = "sea"
FIRST = "The lighthouse stands on a rock far out in the sea."
NEXT = "Its lamp warns ships of the rock at night."
OTHER = "Beat two eggs with the sugar until they are white."
NAMES = {"Agnes Thorburn": "PER", "Norway": "LOC"}
NAMED = "Agnes Thorburn left for Norway in the spring."


def try_heads(trial: Trial, workspace: Workspace) -> None:
    """Try each head's starter, and look inside two of them."""
    deeds: dict[str, Callable[[Trial, Workspace], None]] = {
        "Classify: a good and a bad review": _classify,
        "Fill in: the word for a blank": _fill,
        "Follow on: what follows and what does not": _follow,
        "Find names: a person and a place": _names,
        "Look inside: the model's picture": _picture,
        "Look inside: attentions": _attention,
        "Look inside: why this answer": _reasons,
    }
    for what, deed in deeds.items():
        trial.run(what, partial(deed, trial, workspace))


def _classify(trial: Trial, workspace: Workspace) -> None:
    found = classify(workspace, TextsToClassify((GOOD, BAD)), trial.report)
    winners = [item.winner for item in found.items]
    require(winners == ["positive", "negative"], f"They were held to be {' and '.join(winners)}.")


def _fill(trial: Trial, workspace: Workspace) -> None:
    start = BLANK.index("_")
    found = fill(workspace, TextToFill(BLANK, (Span(start, start + 3),)), trial.report)
    words = [guess.word for guess in found.blanks[0].guesses]
    require(WORD in [word.casefold() for word in words], f"The words are {', '.join(words)}.")


def _follow(trial: Trial, workspace: Workspace) -> None:
    found = follow(workspace, PassagePairs(((FIRST, NEXT), (FIRST, OTHER))), trial.report)
    right, wrong = (item.probability for item in found.items)
    require(right > 0.5 > wrong, f"The probabilities are {right:.2f} and {wrong:.2f}.")


def _names(trial: Trial, workspace: Workspace) -> None:
    found = find_names(workspace, TextsToTag((NAMED,)), trial.report)
    names = {entity.span.of(NAMED): entity.label for entity in found.items[0].entities}
    require(names == NAMES, f"The names are {names or 'none'}.")


def _picture(trial: Trial, workspace: Workspace) -> None:
    picture = look(workspace, LookAtModel(Subject(Head.CLASSIFICATION, GOOD)), trial.report)
    require(bool(picture.trunk and picture.heads), "Nothing of it was seen.")


def _attention(trial: Trial, workspace: Workspace) -> None:
    subject = Subject(Head.QUESTION_ANSWERING, f"{FIRST} {NEXT}", "Where does the lighthouse stand?")
    seen = look(workspace, LookAtAttention(subject), trial.report)
    require(bool(seen.weights), "There are no attentions.")


def _reasons(trial: Trial, workspace: Workspace) -> None:
    found = look(workspace, LookAtReasons(Subject(Head.CLASSIFICATION, GOOD)), trial.report)
    require(any(found.shares), "All shares are nothing.")
