"""Matches a model's labels with those of a set of examples."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from app.core.errors import SpanlightError
from app.core.message import Message

_MOST_LISTED = 8


class LabelsDiffer(SpanlightError):
    """A model's labels differ from those of the examples, and no mapping was given."""

    def __init__(
        self, message: str, hint: str, model_labels: Sequence[str], set_labels: Sequence[str]
    ) -> None:
        super().__init__(message, hint)
        self.model_labels = tuple(model_labels)
        self.set_labels = tuple(set_labels)

    def __reduce__(self) -> tuple[type[LabelsDiffer], tuple[str, str, tuple[str, ...], tuple[str, ...]]]:
        return LabelsDiffer, (self.message, self.hint, self.model_labels, self.set_labels)


def match_labels(
    model: str, model_labels: Sequence[str], set_labels: Sequence[str], given: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Map the model's labels to those of the set, as far as they match.

    Labels match if they are equal apart from case and separators, or are a number N and LABEL_N. If `given` maps the
    model's labels to the set's, only those match, and several may map to one. Raises LabelsDiffer if a label of the set
    has no match, SpanlightError for an unknown label in `given`.
    """
    if given:
        return _apply_mapping(model, model_labels, set_labels, given)
    found: dict[str, str] = {}
    left = []
    for label in set_labels:
        wanted = {_normalise(label)} | ({f"label {int(label)}"} if _is_number(label) else set())
        own = next((each for each in model_labels if each not in found and _normalise(each) in wanted), None)
        if own is None:
            left.append(label)
        else:
            found[own] = label
    if left:
        raise LabelsDiffer(
            Message(
                "The labels differ: the examples have {theirs}; {model} says {own}.",
                theirs=_list_labels(set_labels),
                model=model,
                own=_list_labels(model_labels),
            ),
            Message("Say which of the model's labels stands for which."),
            model_labels,
            set_labels,
        )
    return found


def first_spellings(labels: Sequence[str]) -> dict[str, str]:
    """Map each label to the first one that is equal apart from case and separators."""
    first: dict[str, str] = {}
    return {label: first.setdefault(_normalise(label), label) for label in labels}


def _apply_mapping(
    model: str, model_labels: Sequence[str], set_labels: Sequence[str], given: Mapping[str, str]
) -> dict[str, str]:
    found = {}
    for own, wanted in given.items():
        label = next((each for each in model_labels if _normalise(each) == _normalise(own)), None)
        target = next((each for each in set_labels if _normalise(each) == _normalise(wanted)), None)
        if label is None:
            raise SpanlightError(
                Message("{model} has no label “{label}”.", model=model, label=own),
                Message("It says {labels}.", labels=_list_labels(model_labels)),
            )
        if target is None:
            raise SpanlightError(
                Message("The examples have no label “{label}”.", label=wanted),
                Message("They have {labels}.", labels=_list_labels(set_labels)),
            )
        found[label] = target
    return found


def _normalise(label: str) -> str:
    return re.sub(r"[\s_-]+", " ", label).strip().casefold()


def _is_number(label: str) -> bool:
    return re.fullmatch(r"[0-9]{1,6}", label) is not None


def _list_labels(labels: Sequence[str]) -> str:
    shown = [label if len(label) <= 40 else f"{label[:39]}…" for label in labels[:_MOST_LISTED]]
    if len(labels) > _MOST_LISTED:
        more = len(labels) - _MOST_LISTED
        return Message("{labels} and {n} more", labels=", ".join(shown), n=more)
    if len(shown) < 2:
        return shown[0] if shown else Message("none")
    return Message("{labels} and {last}", labels=", ".join(shown[:-1]), last=shown[-1])
