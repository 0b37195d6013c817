"""Which heads a checkpoint's weights really hold, and how a classification head's labels are to be read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.core.errors import SpanlightError
from app.core.models import Head, ProblemType
from app.models.families import Family
from app.models.weights import DAMAGED, Weights

MOST_LABELS = 100_000
OTHER_CLASSIFIERS = ("ForTokenClassification", "ForMultipleChoice", "ForNextSentencePrediction")


def no_head(card_name: str, heads: tuple[Head, ...], head: Head) -> SpanlightError:
    """The refusal of a model that does not hold the head asked for."""
    does = {Head.QUESTION_ANSWERING: "answer questions", Head.CLASSIFICATION: "classify texts"}
    held = " and ".join(does[one] for one in heads)
    return SpanlightError(
        f"{card_name} cannot {does[head]}: its weights hold no {head} head.",
        f"It can {held}; choose another model for this."
        if held
        else "Choose another model, or train that head on it.",
    )


def question_answering(
    config: Mapping[str, Any], family: Family, weights: Weights, name: str
) -> tuple[Head, ...]:
    """The question answering head, where the weights hold one. Raises SpanlightError for wrong shapes."""
    if "qa_outputs.weight" not in weights.tensors:
        return ()
    check_shape(weights, "qa_outputs.weight", (2, config[family.hidden]), "start and end weights", name)
    check_shape(weights, "qa_outputs.bias", (2,), "start and end biases", name)
    return (Head.QUESTION_ANSWERING,)


def classification(
    config: Mapping[str, Any], family: Family, weights: Weights, name: str
) -> tuple[tuple[str, ...], ProblemType]:
    """The labels in order of their index, none without a classification head, and the kind of problem.

    Raises SpanlightError where config and classifier do not agree.
    """
    none = (), ProblemType.SINGLE_LABEL
    weight = f"{family.classifier}.weight"
    architectures = config.get("architectures") or []
    if not isinstance(architectures, list) or any(str(a).endswith(OTHER_CLASSIFIERS) for a in architectures):
        return none
    pooled = "pooler" in family.optional and config.get("classifier_activation") is False
    if weight not in weights.tensors or not (pooled or f"{family.pooler}.weight" in weights.tensors):
        return none
    labels = _labels(config, name)
    rows = (weights.shape(weight) or (0,))[0]
    if rows != len(labels):
        raise SpanlightError(
            f"{name} names {len(labels)} labels, but its classifier has {rows}.",
            "Put id2label in its config.json right.",
        )
    check_shape(weights, weight, (rows, config[family.hidden]), "classifier weights", name)
    check_shape(weights, f"{family.classifier}.bias", (rows,), "classifier biases", name)
    return labels, _problem(config, len(labels), name)


def _labels(config: Mapping[str, Any], name: str) -> tuple[str, ...]:
    names = config.get("id2label")
    if names is None:
        count = number({"num_labels": config.get("num_labels", 2)}, "num_labels", MOST_LABELS, name)
        return tuple(f"LABEL_{index}" for index in range(count))
    hint = "id2label in config.json maps 0, 1, 2 ... to the names of the classes."
    if not isinstance(names, dict) or not 1 <= len(names) <= MOST_LABELS:
        raise SpanlightError(f"The labels of {name} are malformed.", hint)
    labels = [names.get(str(index)) for index in range(len(names))]
    if not all(isinstance(label, str) and label.strip() for label in labels):
        raise SpanlightError(f"The labels of {name} are malformed.", hint)
    if len(set(labels)) != len(labels):
        raise SpanlightError(f"Two labels of {name} have the same name.", hint)
    return tuple(str(label) for label in labels)


def _problem(config: Mapping[str, Any], labels: int, name: str) -> ProblemType:
    """One label means a sigmoid unless the config says regression; several a softmax unless it says multi-label."""
    said = config.get("problem_type")
    if said is not None and said not in list(ProblemType):
        raise SpanlightError(
            f"config.json of {name} names a problem_type that is not known: {str(said)[:40]!r}.",
            f"It is one of {', '.join(ProblemType)}.",
        )
    if labels == 1 and said != ProblemType.REGRESSION:
        return ProblemType.MULTI_LABEL
    return ProblemType(said) if said else ProblemType.SINGLE_LABEL


def check_shape(weights: Weights, tensor: str, wanted: tuple[int, ...], what: str, name: str) -> None:
    """Raise SpanlightError where a tensor is missing or its shape is not the one that the config says."""
    shape = weights.shape(tensor)
    if shape is None:
        raise SpanlightError(
            f"{name} holds no {what}.", "Its weights are not those of the family that its config names."
        )
    if shape != wanted:
        sizes = [" × ".join(map(str, size)) for size in (shape, wanted)]
        raise SpanlightError(
            f"The {what} of {name} are {sizes[0]} where its config says {sizes[1]}.",
            "Config and weights do not belong together.",
        )


def number(config: Mapping[str, Any], key: str, most: int, name: str, least: int = 1) -> int:
    """A whole number of a config. Raises SpanlightError where it is missing or out of range."""
    value = config.get(key)
    if type(value) is not int or not least <= value <= most:
        said = "is missing" if value is None else f"is {str(value)[:40]}"
        raise SpanlightError(f"config.json of {name} cannot be right: {key} {said}.", DAMAGED)
    return value
