"""Which heads a checkpoint's weights really contain, by their names and shapes, and how its labels are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import Head, ProblemType
from app.models.disk.weights import DAMAGED, FLOATS, Weights
from app.models.families import Family, WordsHead

MOST_LABELS = 100_000
# The config's key, and the layer, of a text classifier over the mean of the tokens' states (as ModernBERT's).
MEAN_KEY, MEAN_LAYER = "classifier_pooling", "classifier"
TEXT, TOKEN, CHOICE = "ForSequenceClassification", "ForTokenClassification", "ForMultipleChoice"
DOES = {
    Head.QUESTION_ANSWERING: Message("answer questions"),
    Head.CLASSIFICATION: Message("classify texts"),
    Head.MASKED_WORDS: Message("fill in words"),
    Head.NEXT_SENTENCE: Message("tell what follows"),
    Head.TOKEN_CLASSIFICATION: Message("find names"),
    Head.EMBEDDINGS: Message("find passages by meaning"),
}


def no_head(card_name: str, heads: tuple[Head, ...], head: Head) -> SpanlightError:
    """The error for a model without the requested head."""
    hint = Message("Choose another model, or train that head on it.")
    if heads:
        hint = Message("It can {abilities}; choose another model for this.", abilities=_abilities(heads))
    return SpanlightError(
        Message("{name} cannot {does}: its weights hold no head for that.", name=card_name, does=DOES[head]),
        hint,
    )


def _abilities(heads: Sequence[Head]) -> str:
    """What heads can do: "answer questions, fill in words and find names"."""
    *first, last = (DOES[head] for head in heads)
    if not first:
        return last
    some = first[0]
    for another in first[1:]:
        some = Message("{some}, {another}", some=some, another=another)
    return Message("{some} and {last}", some=some, last=last)


def question_answering(config: Mapping[str, Any], family: Family, weights: Weights, name: str) -> bool:
    """Whether the weights hold a question answering head. Raises SpanlightError for wrong shapes."""
    if "qa_outputs.weight" not in weights.tensors:
        return False
    check_shape(weights, "qa_outputs.weight", (2, config[family.hidden]), name)
    check_shape(weights, "qa_outputs.bias", (2,), name)
    return True


def masked_words(
    config: Mapping[str, Any], family: Family, weights: Weights, width: int, name: str
) -> WordsHead | None:
    """The form of the masked-words head that is complete in the weights, None if there is none.

    `width` is the word embeddings'. Raises SpanlightError for wrong shapes.
    """
    # If both forms are present, `legacy` in DeBERTa's config selects one.
    forms = family.words[::-1] if config.get("legacy") is False else family.words
    head = next((form for form in forms if _is_whole(form, config, weights)), None)
    if head is None:
        return None
    hidden, vocabulary = config[family.hidden], config["vocab_size"]
    out = hidden if head.wide else width
    check_shape(weights, f"{head.dense}.weight", (out, hidden), name)
    check_shape(weights, f"{head.dense}.bias", (out,), name)
    for which in ("weight", "bias"):
        check_shape(weights, _norm(head, which, weights), (out,), name)
    check_shape(weights, _bias(head, weights), (vocabulary,), name)
    if f"{head.decoder}.weight" in weights.tensors:
        check_shape(weights, f"{head.decoder}.weight", (vocabulary, width), name)
    if head.rest:
        check_shape(weights, head.rest, (hidden - width, vocabulary), name)
    return head


def _is_whole(head: WordsHead, config: Mapping[str, Any], weights: Weights) -> bool:
    needed = [f"{head.dense}.weight", f"{head.dense}.bias", _bias(head, weights)]
    needed += [_norm(head, "weight", weights), _norm(head, "bias", weights)]
    if head.decoder and config.get("tie_word_embeddings") is False:
        needed += [f"{head.decoder}.weight", f"{head.decoder}.bias"]
    if head.rest:
        needed.append(head.rest)
    return all(tensor in weights.tensors for tensor in needed)


def _norm(head: WordsHead, which: str, weights: Weights) -> str:
    """The name of a layer norm's weight or bias: the first BERTs called them gamma and beta."""
    old = f"{head.norm}.{'gamma' if which == 'weight' else 'beta'}"
    return old if head.norm.endswith("LayerNorm") and old in weights.tensors else f"{head.norm}.{which}"


def _bias(head: WordsHead, weights: Weights) -> str:
    """The name of the vocabulary's biases: tied weights store them once, under either of two names."""
    other = f"{head.decoder}.bias"
    return head.bias if head.bias in weights.tensors or other not in weights.tensors else other


def next_sentence(config: Mapping[str, Any], family: Family, weights: Weights, name: str) -> bool:
    """Whether there is a next sentence head, with the pooler that it needs.

    ALBERT's sentence order head is not one. Raises SpanlightError for wrong shapes.
    """
    layer = family.next_sentence
    if not layer or f"{layer}.weight" not in weights.tensors or not _has_pooler(config, family, weights):
        return False
    check_shape(weights, f"{layer}.weight", (2, config[family.hidden]), name)
    check_shape(weights, f"{layer}.bias", (2,), name)
    return True


def classification(
    config: Mapping[str, Any], family: Family, weights: Weights, name: str
) -> tuple[Head | None, tuple[str, ...], ProblemType]:
    """The head that classifies texts or tokens, its labels in order of their index, and the kind of problem.

    None and no labels if there is no such head. Raises SpanlightError if config and classifier do not match.
    """
    head = _classifier(config, family, weights)
    if head is None:
        return None, (), ProblemType.SINGLE_LABEL
    layer = family.token_classifier
    if head is Head.CLASSIFICATION:
        layer = MEAN_LAYER if takes_mean(config, weights) else family.classifier
    labels = _labels(config, name)
    rows = (weights.shape(f"{layer}.weight") or (0,))[0]
    if rows != len(labels):
        raise SpanlightError(
            Message(
                "{name} names {n} label, but its classifier has {rows}.",
                "{name} names {n} labels, but its classifier has {rows}.",
                name=name,
                n=len(labels),
                rows=rows,
            ),
            Message("Put id2label in its config.json right."),
        )
    check_shape(weights, f"{layer}.weight", (rows, config[family.hidden]), name)
    check_shape(weights, f"{layer}.bias", (rows,), name)
    if head is Head.TOKEN_CLASSIFICATION:
        return head, labels, ProblemType.SINGLE_LABEL
    return head, labels, _problem(config, len(labels), name)


def _classifier(config: Mapping[str, Any], family: Family, weights: Weights) -> Head | None:
    """Whether a checkpoint's classifier is for texts or for tokens, None without one.

    The config's `architectures` decide; if they name neither, a layer over the first token (a pooler, or the
    classifier's own) means texts, as only those are classified by it.
    """
    architectures = config.get("architectures") or []
    if not isinstance(architectures, list) or any(str(a).endswith(CHOICE) for a in architectures):
        return None
    texts, tokens = (any(str(a).endswith(end) for a in architectures) for end in (TEXT, TOKEN))
    pooled = f"{family.classifier}.weight" in weights.tensors and _has_pooler(config, family, weights)
    if (pooled or takes_mean(config, weights)) and not tokens:
        return Head.CLASSIFICATION
    if not texts and f"{family.token_classifier}.weight" in weights.tensors:
        return Head.TOKEN_CLASSIFICATION
    return None


def takes_mean(config: Mapping[str, Any], weights: Weights) -> bool:
    """Whether a checkpoint's text classifier takes the mean of the tokens' last states, as a unit vector."""
    return config.get(MEAN_KEY) == "mean" and f"{MEAN_LAYER}.weight" in weights.tensors


def _has_pooler(config: Mapping[str, Any], family: Family, weights: Weights) -> bool:
    """Whether the layer over the first token is present, or the config says that there is none."""
    without = "pooler" in family.optional and config.get("classifier_activation") is False
    return without or f"{family.pooler}.weight" in weights.tensors


def _labels(config: Mapping[str, Any], name: str) -> tuple[str, ...]:
    names = config.get("id2label")
    if names is None:
        count = number({"num_labels": config.get("num_labels", 2)}, "num_labels", MOST_LABELS, name)
        return tuple(f"LABEL_{index}" for index in range(count))
    hint = Message("id2label in config.json maps 0, 1, 2 ... to the names of the classes.")
    if not isinstance(names, dict) or not 1 <= len(names) <= MOST_LABELS:
        raise SpanlightError(Message("The labels of {name} are malformed.", name=name), hint)
    labels = [names.get(str(index)) for index in range(len(names))]
    if not all(isinstance(label, str) and label.strip() for label in labels):
        raise SpanlightError(Message("The labels of {name} are malformed.", name=name), hint)
    if len(set(labels)) != len(labels):
        raise SpanlightError(Message("Two labels of {name} have the same name.", name=name), hint)
    return tuple(str(label) for label in labels)


def _problem(config: Mapping[str, Any], labels: int, name: str) -> ProblemType:
    """One label means a sigmoid unless the config says regression; several a softmax unless it says multi-label."""
    problem = config.get("problem_type")
    if problem is not None and problem not in list(ProblemType):
        raise SpanlightError(
            Message(
                "config.json of {name} names a problem_type that is not known: {problem!r}.",
                name=name,
                problem=str(problem)[:40],
            ),
            Message("It is one of {kinds}.", kinds=", ".join(ProblemType)),
        )
    if labels == 1 and problem != ProblemType.REGRESSION:
        return ProblemType.MULTI_LABEL
    return ProblemType(problem) if problem else ProblemType.SINGLE_LABEL


def tensor_shape(weights: Weights, tensor: str, name: str) -> tuple[int, ...] | None:
    """The shape of a weight, under its own name or the one that the first BERTs had; None if there is none.

    Raises SpanlightError if it holds integers.
    """
    old = tensor.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
    found = weights.tensors.get(tensor) or weights.tensors.get(old)
    if found is not None and found.dtype not in FLOATS:
        raise SpanlightError(
            Message("{name} holds the weights {weights} as whole numbers.", name=name, weights=tensor),
            DAMAGED,
        )
    return found.shape if found else None


def check_shape(weights: Weights, tensor: str, wanted: tuple[int, ...], name: str) -> None:
    """Raise SpanlightError if a tensor is missing or its shape is not the config's."""
    shape = tensor_shape(weights, tensor, name)
    if shape is None:
        raise SpanlightError(
            Message("{name} lacks the weights {weights}.", name=name, weights=tensor),
            Message("Fetch a whole copy of this model."),
        )
    if shape != wanted:
        raise SpanlightError(
            Message(
                "{name} holds in a wrong shape the weights {weights}: {found} where its config says {wanted}.",
                name=name,
                weights=tensor,
                found=_shape(shape),
                wanted=_shape(wanted),
            ),
            Message("Config and weights do not belong together."),
        )


def _shape(sizes: tuple[int, ...]) -> str:
    return " × ".join(map(str, sizes)) or Message("one number")


def number(config: Mapping[str, Any], key: str, most: int, name: str, least: int = 1) -> int:
    """An integer of a config. Raises SpanlightError if it is missing or out of range."""
    value = config.get(key)
    if type(value) is not int or not least <= value <= most:
        if value is None:
            raise SpanlightError(
                Message("config.json of {name} cannot be right: {key} is missing.", name=name, key=key),
                DAMAGED,
            )
        raise SpanlightError(
            Message(
                "config.json of {name} cannot be right: {key} is {value}.",
                name=name,
                key=key,
                value=str(value)[:40],
            ),
            DAMAGED,
        )
    return value
