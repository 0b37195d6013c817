"""Which of a model's labels stands for which label of a set of examples."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from app.core.errors import SpanlightError

_MOST_TOLD = 8


class LabelsDiffer(SpanlightError):
    """A model's labels are not those of the examples, and nobody said which belongs to which."""

    def __init__(
        self, message: str, hint: str, model_labels: Sequence[str], set_labels: Sequence[str]
    ) -> None:
        super().__init__(message, hint)
        self.model_labels = tuple(model_labels)
        self.set_labels = tuple(set_labels)

    def __reduce__(self) -> tuple[type[LabelsDiffer], tuple[str, str, tuple[str, ...], tuple[str, ...]]]:
        return LabelsDiffer, (self.message, self.hint, self.model_labels, self.set_labels)


def matched(
    model: str, model_labels: Sequence[str], set_labels: Sequence[str], given: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The set's label for each of the model's labels that stands for one.

    Without `given` labels belong together whose names are the same but for case and blanks, or that are a number N
    and LABEL_N; nothing is guessed beyond that. With `given`, the model's labels to the set's, only those do; several
    of the model's may stand for one. Raises LabelsDiffer where a label of the set has none, and SpanlightError for a
    label given that is not there.
    """
    if given:
        return _given(model, model_labels, set_labels, given)
    found: dict[str, str] = {}
    left = []
    for label in set_labels:
        wanted = {_plain(label)} | ({f"label {int(label)}"} if _is_number(label) else set())
        own = next((each for each in model_labels if each not in found and _plain(each) in wanted), None)
        if own is None:
            left.append(label)
        else:
            found[own] = label
    if left:
        raise LabelsDiffer(
            f"The labels differ: the examples have {_told(set_labels)}; {model} says {_told(model_labels)}.",
            "Say which of the model's labels stands for which.",
            model_labels,
            set_labels,
        )
    return found


def one_spelling(labels: Sequence[str]) -> dict[str, str]:
    """For each label the first one that is the same but for case and blanks."""
    first: dict[str, str] = {}
    return {label: first.setdefault(_plain(label), label) for label in labels}


def _given(
    model: str, model_labels: Sequence[str], set_labels: Sequence[str], given: Mapping[str, str]
) -> dict[str, str]:
    found = {}
    for own, wanted in given.items():
        label = next((each for each in model_labels if _plain(each) == _plain(own)), None)
        target = next((each for each in set_labels if _plain(each) == _plain(wanted)), None)
        if label is None:
            raise SpanlightError(f"{model} has no label “{own}”.", f"It says {_told(model_labels)}.")
        if target is None:
            raise SpanlightError(f"The examples have no label “{wanted}”.", f"They have {_told(set_labels)}.")
        found[label] = target
    return found


def _plain(label: str) -> str:
    return re.sub(r"[\s_-]+", " ", label).strip().casefold()


def _is_number(label: str) -> bool:
    return re.fullmatch(r"[0-9]{1,6}", label) is not None


def _told(labels: Sequence[str]) -> str:
    shown = [label if len(label) <= 40 else f"{label[:39]}…" for label in labels[:_MOST_TOLD]]
    if len(labels) > _MOST_TOLD:
        return f"{', '.join(shown)} and {len(labels) - _MOST_TOLD} more"
    return " and ".join(part for part in (", ".join(shown[:-1]), shown[-1]) if part) if shown else "none"
