"""Finds the heads that a checkpoint's weights hold, by names and shapes, and its labels."""

from __future__ import annotations

from collections.abc import Sequence

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import Head, ProblemType
from app.models.disk.checkpoint import Checkpoint
from app.models.disk.config import Config
from app.models.families import WordsHead

MOST_LABELS = 100_000
# The config's key for a text classifier over the mean of the tokens' states (ModernBERT's), and the classifier's layer.
MEAN_KEY, MEAN_LAYER = "classifier_pooling", "classifier"
TEXT, TOKEN, CHOICE = "ForSequenceClassification", "ForTokenClassification", "ForMultipleChoice"
ABILITIES = {
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
        Message(
            "{name} cannot {does}: its weights hold no head for that.", name=card_name, does=ABILITIES[head]
        ),
        hint,
    )


def _abilities(heads: Sequence[Head]) -> str:
    """What the heads can do: "answer questions, fill in words and find names"."""
    *first, last = (ABILITIES[head] for head in heads)
    if not first:
        return last
    some = first[0]
    for another in first[1:]:
        some = Message("{some}, {another}", some=some, another=another)
    return Message("{some} and {last}", some=some, last=last)


def question_answering(checkpoint: Checkpoint) -> bool:
    """Whether the weights hold a question answering head. Raises SpanlightError for wrong shapes."""
    if not checkpoint.has("qa_outputs.weight"):
        return False
    checkpoint.require_linear("qa_outputs", 2, checkpoint.config.hidden)
    return True


def masked_words(checkpoint: Checkpoint) -> WordsHead | None:
    """The form of the masked-words head that the weights hold completely, None if there is none.

    Raises SpanlightError for wrong shapes.
    """
    config, forms = checkpoint.config, checkpoint.family.words
    # If both forms are present, `legacy` in DeBERTa's config selects one.
    forms = forms[::-1] if config.stated("legacy") is False else forms
    head = next((form for form in forms if _is_whole(form, checkpoint)), None)
    if head is None:
        return None
    hidden, width, vocabulary = config.hidden, config.width, config["vocab_size"]
    out = hidden if head.wide else width
    checkpoint.require_linear(head.dense, out, hidden)
    for which in ("weight", "bias"):
        checkpoint.require(_norm(head, which, checkpoint), (out,))
    checkpoint.require(_bias(head, checkpoint), (vocabulary,))
    if checkpoint.has(f"{head.decoder}.weight"):
        checkpoint.require(f"{head.decoder}.weight", (vocabulary, width))
    if head.rest:
        checkpoint.require(head.rest, (hidden - width, vocabulary))
    return head


def _is_whole(head: WordsHead, checkpoint: Checkpoint) -> bool:
    needed = [f"{head.dense}.weight", f"{head.dense}.bias", _bias(head, checkpoint)]
    needed += [_norm(head, "weight", checkpoint), _norm(head, "bias", checkpoint)]
    if head.decoder and checkpoint.config.stated("tie_word_embeddings") is False:
        needed += [f"{head.decoder}.weight", f"{head.decoder}.bias"]
    if head.rest:
        needed.append(head.rest)
    return all(map(checkpoint.has, needed))


def _norm(head: WordsHead, which: str, checkpoint: Checkpoint) -> str:
    """The name of the head's LayerNorm's weight or bias: the first BERTs called them gamma and beta."""
    old = f"{head.norm}.{'gamma' if which == 'weight' else 'beta'}"
    return old if head.norm.endswith("LayerNorm") and checkpoint.has(old) else f"{head.norm}.{which}"


def _bias(head: WordsHead, checkpoint: Checkpoint) -> str:
    """The name of the decoder's bias: tied weights store it once, under either of two names."""
    other = f"{head.decoder}.bias"
    return head.bias if checkpoint.has(head.bias) or not checkpoint.has(other) else other


def next_sentence(checkpoint: Checkpoint) -> bool:
    """Whether there is a next sentence head, with the pooler that it needs.

    ALBERT's sentence order head is not one. Raises SpanlightError for wrong shapes.
    """
    layer = checkpoint.family.next_sentence
    if not layer or not checkpoint.has(f"{layer}.weight") or not _has_pooler(checkpoint):
        return False
    checkpoint.require_linear(layer, 2, checkpoint.config.hidden)
    return True


def classification(checkpoint: Checkpoint) -> tuple[Head | None, tuple[str, ...], ProblemType]:
    """The head that classifies texts or tokens, its labels in order of their index, and its problem type.

    None and no labels if there is no such head. Raises SpanlightError if config and classifier do not match.
    """
    head = _classifier(checkpoint)
    if head is None:
        return None, (), ProblemType.SINGLE_LABEL
    layer = checkpoint.family.token_classifier
    if head is Head.CLASSIFICATION:
        layer = MEAN_LAYER if takes_mean(checkpoint) else checkpoint.family.classifier
    labels = _labels(checkpoint.config)
    rows = (checkpoint.weights.shape(f"{layer}.weight") or (0,))[0]
    if rows != len(labels):
        raise SpanlightError(
            Message(
                "{name} names {n} label, but its classifier has {rows}.",
                "{name} names {n} labels, but its classifier has {rows}.",
                name=checkpoint.name,
                n=len(labels),
                rows=rows,
            ),
            Message("Put id2label in its config.json right."),
        )
    checkpoint.require_linear(layer, rows, checkpoint.config.hidden)
    if head is Head.TOKEN_CLASSIFICATION:
        return head, labels, ProblemType.SINGLE_LABEL
    return head, labels, _problem(checkpoint.config, len(labels))


def _classifier(checkpoint: Checkpoint) -> Head | None:
    """The head of a checkpoint's classifier: for texts or for tokens; None without one.

    The config's `architectures` decide; if they name neither, a layer over the first token (a pooler, or the
    classifier's own) means texts, as only text classifiers have one.
    """
    family, architectures = checkpoint.family, checkpoint.config.stated("architectures") or []
    if not isinstance(architectures, list) or any(str(a).endswith(CHOICE) for a in architectures):
        return None
    texts, tokens = (any(str(a).endswith(end) for a in architectures) for end in (TEXT, TOKEN))
    pooled = checkpoint.has(f"{family.classifier}.weight") and _has_pooler(checkpoint)
    if (pooled or takes_mean(checkpoint)) and not tokens:
        return Head.CLASSIFICATION
    if not texts and checkpoint.has(f"{family.token_classifier}.weight"):
        return Head.TOKEN_CLASSIFICATION
    return None


def takes_mean(checkpoint: Checkpoint) -> bool:
    """Whether a checkpoint's text classifier takes the mean of the tokens' last states, as a unit vector."""
    return checkpoint.config.stated(MEAN_KEY) == "mean" and checkpoint.has(f"{MEAN_LAYER}.weight")


def _has_pooler(checkpoint: Checkpoint) -> bool:
    """Whether the weights hold the layer over the first token, or the config says that the model has none."""
    family = checkpoint.family
    without = "pooler" in family.optional and checkpoint.config.stated("classifier_activation") is False
    return without or checkpoint.has(f"{family.pooler}.weight")


def _labels(config: Config) -> tuple[str, ...]:
    name, names = config.name, config.stated("id2label")
    if names is None:
        count = 2 if config.stated("num_labels") is None else config.number("num_labels", MOST_LABELS)
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


def _problem(config: Config, labels: int) -> ProblemType:
    """The problem type: one label means a sigmoid, several a softmax, unless the config says otherwise."""
    problem = config.stated("problem_type")
    if problem is not None and problem not in list(ProblemType):
        raise SpanlightError(
            Message(
                "config.json of {name} names a problem_type that is not known: {problem!r}.",
                name=config.name,
                problem=str(problem)[:40],
            ),
            Message("It is one of {kinds}.", kinds=", ".join(ProblemType)),
        )
    if labels == 1 and problem != ProblemType.REGRESSION:
        return ProblemType.MULTI_LABEL
    return ProblemType(problem) if problem else ProblemType.SINGLE_LABEL
