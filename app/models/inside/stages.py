"""Makes stages from recorded calls: each described in plain words and in the paper's terms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from torch import Tensor, nn

from app.core.inside import Shape, Stage
from app.core.message import Message
from app.models.inside.trace import Call

# Functions of torch that may compute a dense layer that is not a module.
DENSE = ("linear", "matmul", "addmm", "__matmul__")
SPLITS = ("split", "chunk")
_ACTIVATIONS = (
    ("tanh", "tanh", Message("Each number squeezed between −1 and 1")),
    ("gelu", "GELU", Message("Negative numbers pressed towards zero")),
    ("relu", "ReLU", Message("Negative numbers to zero")),
    ("silu", "SiLU", Message("Negative numbers pressed towards zero")),
    ("sigmoid", "sigmoid", Message("Each number squeezed between 0 and 1")),
    ("mish", "Mish", Message("Negative numbers pressed towards zero")),
)


class WeightCounter:
    """Counts every weight once, however many modules share it."""

    def __init__(self) -> None:
        self._seen: set[int] = set()

    def count(self, parameters: Iterable[Tensor]) -> int:
        """Count these parameters, and return the number of weights in those that were not counted before."""
        total = 0
        for one in parameters:
            if isinstance(one, nn.Parameter) and id(one) not in self._seen:
                self._seen.add(id(one))
                total += one.numel()
        return total


def activation(call: Call) -> str:
    """The name of an activation function ("tanh", "GELU"); empty if a call is none."""
    if call.module is not None and (not call.leaf or next(call.module.parameters(), None) is not None):
        return ""
    kind = call.kind.lower()
    return next((name for part, name, _ in _ACTIVATIONS if part in kind), "")


def is_dropout(call: Call) -> bool:
    """Whether a call is dropout, which does something only in training."""
    return isinstance(call.module, nn.Dropout) or call.kind.lower().endswith("dropout")


def size(*numbers: int) -> str:
    """Numbers with arrows between them: "384 → 2"."""
    sizes = Message("{size:,}", size=numbers[0])
    for number in numbers[1:]:
        sizes = Message("{sizes} → {size:,}", sizes=sizes, size=number)
    return sizes


def module_stage(call: Call, weights: WeightCounter, title: str = "", term: str = "") -> Stage:
    """The stage of a module's call; title and term default to those of the module's class."""
    module = call.module
    assert module is not None
    plain, known, detail = _kind(call, module)
    return Stage(
        title=title or plain,
        term=term or known,
        path=call.path,
        kind=call.kind,
        detail=detail,
        inputs=call.inputs,
        output=call.outputs[0] if call.outputs else (),
        parameters=weights.count(module.parameters()),
        training_only=is_dropout(call),
    )


def function_stage(
    calls: Sequence[Call], weights: WeightCounter, title: str, term: str, detail: str = ""
) -> Stage:
    """One stage for functions called one after another; its inputs are the tensors that none of them computed."""
    computed = {id(one) for call in calls for one in call.outs}
    inputs: list[Shape] = []
    for call in calls:
        inputs += [tuple(one.shape) for one in call.ins if id(one) not in computed]
    names = dict.fromkeys(call.kind for call in calls)
    return Stage(
        title=title,
        term=term,
        kind=", ".join(names),
        detail=detail,
        inputs=tuple(inputs),
        output=calls[-1].outputs[0],
        parameters=weights.count(one for call in calls for one in call.ins),
    )


def activation_words(name: str) -> tuple[str, str]:
    """Title and term of an activation function."""
    return next((title, term) for _, term, title in _ACTIVATIONS if term == name)


def plain_name(name: str) -> str:
    """An attribute's name as words: "token_type_embeddings" is "Token type embeddings"."""
    return name.replace("_", " ").strip().capitalize()


def rows_words(module: nn.Embedding) -> str:
    """The size of a table of embeddings: "30,522 rows of 384"."""
    return Message(
        "{n:,} row of {width:,}",
        "{n:,} rows of {width:,}",
        n=module.num_embeddings,
        width=module.embedding_dim,
    )


def _dropped(module: nn.Module) -> str:
    share = getattr(module, "p", getattr(module, "drop_prob", None))
    return Message("{percent:.0f}% of them", percent=100 * share) if isinstance(share, float) else ""


def _normed(module: nn.Module) -> str:
    """How many numbers a normalisation brings to one scale together."""
    weight = getattr(module, "weight", None)
    return (
        Message("{number:,} numbers at a time", number=weight.numel()) if isinstance(weight, Tensor) else ""
    )


def _kind(call: Call, module: nn.Module) -> tuple[str, str, str]:
    """Title, term and detail of a module by its class."""
    if isinstance(module, nn.Linear):
        return (
            Message("Weighted sums"),
            Message("linear layer"),
            size(module.in_features, module.out_features),
        )
    if isinstance(module, nn.Embedding):
        return plain_name(call.path.split(".")[-1]), Message("embedding"), rows_words(module)
    if is_dropout(call):
        return (
            Message("Some numbers set to zero, at training only"),
            Message("dropout"),
            _dropped(module),
        )
    if name := activation(call):
        return *activation_words(name), ""
    if "norm" in call.kind.lower():
        return Message("Brought to one scale"), Message("layer normalisation"), _normed(module)
    return plain_name(call.path.split(".")[-1]), call.kind, module.extra_repr()
