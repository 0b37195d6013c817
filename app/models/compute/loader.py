"""Loads a checkpoint folder: its tokenizer and the forward pass of one head."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import DeviceChoice, Head, ModelCard
from app.models.compute.classes import model_class
from app.models.compute.faults import exhausted_device, is_device_lost, is_out_of_memory, out_of_memory
from app.models.compute.forward import Arrays, Forward, MaskedPositions, PreciseForward
from app.models.disk.checkpoint import Checkpoint, read_checkpoint, tensors
from app.models.disk.heads import MEAN_LAYER, masked_words, no_head, takes_mean
from app.models.disk.tokenizer import TOKENIZER
from app.models.disk.weights import read_file
from app.models.families import Family, WordsHead

_log = logging.getLogger(__name__)

ALBERT_LAYERS = "encoder.albert_layer_groups."


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model in memory: its card, its device, its tokenizer (no truncation, no padding) and its forward pass.

    `inside` is set for an opened model; `precise`, the forward pass in float32, for a model in a narrower dtype.
    """

    card: ModelCard
    device: DeviceChoice
    tokenizer: Tokenizer
    forward: Callable[[Arrays], Arrays]
    inside: Any = None
    precise: PreciseForward | None = None


def load(
    card: ModelCard,
    head: Head,
    device: DeviceChoice,
    check: Callable[[], None] = lambda: None,
    *,
    opened: bool = False,
) -> Loaded:
    """Load one head of a checkpoint onto a device.

    The weights take the device's dtype, whatever they are stored in; the head itself computes in float32, so that
    close logits stay apart. `forward` takes int64 arrays of batch × length and returns float32 arrays; it calls `check`
    before each layer, which may raise to cancel. Raises SpanlightError if the checkpoint does not have the head, is
    incomplete, or does not fit into the device's memory. An `opened` model is float32 with eager attention and can be
    inspected.
    """
    if head not in card.heads:
        raise no_head(card.name, card.heads, head)
    checkpoint = read_checkpoint(Path(card.folder))
    family = checkpoint.family
    if opened or not family.bfloat16:
        device = replace(device, dtype="float32")
    tokenizer = _load_tokenizer(card)
    own = None if opened else _load_own(card, checkpoint, head, device, check)
    if own is not None:
        forward = Forward(own, head, device.device, card.max_length)
        precise = _precise_forward(card, checkpoint, head, device, check, own)
        return Loaded(card, device, tokenizer, forward, precise=precise)
    words = masked_words(checkpoint) if head is Head.MASKED_WORDS else None
    model = _load_transformers(card, checkpoint, head, words, device, eager=opened or not family.sdpa)
    _check_in_layers(model.base_model, family, check)
    masked = MaskedPositions(_submodule(model, words.module)) if words else None
    forward = Forward(model, head, device.device, card.max_length, masked)
    if not opened:
        return Loaded(card, device, tokenizer, forward)
    from app.models.inside.opened import Inside

    inside = Inside(model, family, head, card, forward)
    return Loaded(card, device, tokenizer, forward, inside)


def _load_own(
    card: ModelCard,
    checkpoint: Checkpoint,
    head: Head,
    device: DeviceChoice,
    check: Callable[[], None],
    shared_with: Any = None,
) -> Any:
    """The model on Spanlight's own encoder, None if that does not support all of it."""
    from app.models.encoder.model import own_model

    with _loading(card, device):
        return own_model(checkpoint, head, device.dtype, device.device, check, shared_with=shared_with)


@contextmanager
def _loading(card: ModelCard, device: DeviceChoice) -> Iterator[None]:
    """Turn errors of loading weights into SpanlightErrors; those of a GPU that broke down are left to the caller."""
    try:
        yield
    except SpanlightError:
        raise
    except Exception as error:
        if is_out_of_memory(error):
            raise out_of_memory("cpu" if exhausted_device(error) == "cpu" else device.device) from error
        if is_device_lost(error):
            raise
        raise _unreadable(card, error) from error


def _precise_forward(
    card: ModelCard,
    checkpoint: Checkpoint,
    head: Head,
    device: DeviceChoice,
    check: Callable[[], None],
    narrow: Any,
) -> PreciseForward | None:
    """The forward pass in float32 beside the `narrow` model's, not loaded yet; None where there is no use for one."""
    if head is not Head.QUESTION_ANSWERING or device.dtype == "float32":
        return None

    def forward() -> Forward | None:
        own = _load_own(card, checkpoint, head, replace(device, dtype="float32"), check, narrow)
        return None if own is None else Forward(own, head, device.device, card.max_length)

    weights = card.parameters
    if device.device == "cpu":  # a layer at a time, and the word embeddings if they are not shared
        weights //= checkpoint.config.layers
        words = narrow.encoder.embeddings.words
        if str(words.dtype) != f"torch.{checkpoint.weights.dtype}":
            weights += words.numel()
    return PreciseForward(forward, weights, device.device)


def _load_tokenizer(card: ModelCard) -> Tokenizer:
    content = read_file(Path(card.folder) / TOKENIZER)
    try:
        tokenizer = Tokenizer.from_buffer(content)
        tokenizer.no_truncation()
        tokenizer.no_padding()
        tokenizer.encode("a", "a")  # some faults only show in use
    # The library raises plain Exception for a malformed file, and a BaseException where it panics.
    except BaseException as error:
        if isinstance(error, (KeyboardInterrupt, SystemExit)):
            raise
        _log.warning("tokenizer.json of %s: %s", card.name, error)
        raise SpanlightError(
            Message("tokenizer.json of {name} cannot be understood.", name=card.name),
            Message("Fetch it again."),
        ) from error
    return tokenizer


def _load_transformers(
    card: ModelCard,
    checkpoint: Checkpoint,
    head: Head,
    words: WordsHead | None,
    device: DeviceChoice,
    *,
    eager: bool,
) -> Any:
    import torch

    family = checkpoint.family
    mean = head is Head.EMBEDDINGS or (head is Head.CLASSIFICATION and takes_mean(checkpoint))
    transformers_class = model_class(family, Head.EMBEDDINGS if mean else head)
    values = checkpoint.config.for_transformers(head, card.labels)
    # DeBERTa's class has two forms of the head, and takes the wrong one if the config does not name one.
    if words and len(family.words) > 1:
        values["legacy"] = words is family.words[0]
    with _loading(card, device), ExitStack() as opened:
        # No folder is passed, so that transformers never reads anything there but the weights.
        model, loading_info = transformers_class.from_pretrained(
            None,
            config=transformers_class.config_class(**values),
            state_dict=tensors(checkpoint, opened),
            dtype=getattr(torch, device.dtype),
            attn_implementation="eager" if eager else "sdpa",
            local_files_only=True,
            output_loading_info=True,
            ignore_mismatched_sizes=True,
        )
        _refuse_missing(card, mean, loading_info)
        if mean:
            model = _over_mean(model, checkpoint, head)
        _refuse_non_finite(card, model)
        model = model.eval().requires_grad_(False).to(device.device)
        _head_in_float32(model, family)
        _zero_padding_embedding(model)
        _plain_outputs(model)
    return model


def _unreadable(card: ModelCard, error: BaseException) -> SpanlightError:
    _log.warning("the weights of %s cannot be loaded", card.name, exc_info=error)
    return SpanlightError(
        Message("The weights of {name} cannot be loaded.", name=card.name), Message("Fetch the model again.")
    )


def _refuse_non_finite(card: ModelCard, model: Any) -> None:
    """Refuse infinite or NaN weights: all that is computed with them would be NaN."""
    import torch

    for name, weight in model.named_parameters():
        # Testing their sum is nine times as fast, unless the sum overflows.
        total = weight.detach().sum(dtype=torch.float32)
        if not total.isfinite() and not weight.isfinite().all():
            raise SpanlightError(
                Message(
                    "The weights {weights} of {name} are not all finite numbers.",
                    weights=name,
                    name=card.name,
                ),
                Message("Fetch a whole copy of this model."),
            )


def _over_mean(base: Any, checkpoint: Checkpoint, head: Head) -> Any:
    """A model without a head, completed by mean pooling and, for classification, its classifier."""
    import torch

    from app.models.compute.mean import MeanModel

    if head is Head.EMBEDDINGS:
        return MeanModel(base)
    with ExitStack() as opened:
        stored = tensors(checkpoint, opened)
        weight, bias = (torch.as_tensor(stored[f"{MEAN_LAYER}.{part}"][:]) for part in ("weight", "bias"))
        classifier = torch.nn.Linear(weight.shape[1], weight.shape[0])
        classifier.load_state_dict({"weight": weight, "bias": bias})
    return MeanModel(base, classifier)


def _refuse_missing(card: ModelCard, mean: bool, loading_info: dict[str, Any]) -> None:
    """Refuse missing weights or wrong shapes: transformers would initialize such weights at random.

    With `mean` pooling the pooler may be missing.
    """
    for what in ("missing_keys", "mismatched_keys"):
        names = sorted(
            str(name[0] if isinstance(name, (tuple, list)) else name) for name in loading_info.get(what) or ()
        )
        if mean:
            names = [name for name in names if not name.startswith("pooler.")]
        if names:
            raise SpanlightError(
                _missing_weights(what == "missing_keys", card.name, names[0], len(names) - 1),
                Message("Fetch a whole copy of this model."),
            )
    if loading_info.get("error_msgs"):
        raise _unreadable(card, RuntimeError(str(loading_info["error_msgs"][0])))


def _missing_weights(missing: bool, name: str, weights: str, more: int) -> str:
    if missing and more:
        return Message("{name} lacks the weights {weights} and {n} more.", name=name, weights=weights, n=more)
    if missing:
        return Message("{name} lacks the weights {weights}.", name=name, weights=weights)
    if more:
        return Message(
            "{name} holds in a wrong shape the weights {weights} and {n} more.",
            name=name,
            weights=weights,
            n=more,
        )
    return Message("{name} holds in a wrong shape the weights {weights}.", name=name, weights=weights)


def _check_in_layers(model: Any, family: Family, check: Callable[[], None]) -> None:
    """Have each layer call `check` first: on a slow computer a stop could not wait for a whole batch."""
    for layer in _submodule(model, (family.layer_pattern or ALBERT_LAYERS).rstrip(".")):
        layer.register_forward_pre_hook(lambda *_: check())


def _submodule(model: Any, path: str) -> Any:
    for name in path.split("."):
        model = getattr(model, name, None)
    return model


def _head_in_float32(model: Any, family: Family) -> None:
    """Have the head's modules compute in float32, and convert their inputs."""
    import torch

    wide: dict[Any, Any] = {}

    def widen(one: Any) -> Any:
        if isinstance(one, torch.nn.Module):  # DeBERTa hands its head the word embeddings
            if one not in wide:
                wide[one] = one if one.weight.dtype == torch.float32 else deepcopy(one).float()
            return wide[one]
        return one.float() if hasattr(one, "is_floating_point") and one.is_floating_point() else one

    for name in family.heads_in_float32:
        module = _submodule(model, name)
        if module is not None:
            _untie(module, model)
            module.float().register_forward_pre_hook(lambda _, inputs: tuple(widen(one) for one in inputs))


def _untie(head: Any, model: Any) -> None:
    """Give a head its own copy of tied word embeddings where these have another dtype or will be changed."""
    import torch

    embeddings = model.get_input_embeddings().weight
    if embeddings.dtype == torch.float32 and not _mixes_neighbours(model):
        return
    for module in head.modules():
        for name, weight in module.named_parameters(recurse=False):
            if weight is embeddings:
                setattr(module, name, torch.nn.Parameter(weight.detach().clone(), requires_grad=False))


def _mixes_neighbours(model: Any) -> bool:
    return bool(getattr(model.config, "trigram_input", False))


def _plain_outputs(model: Any) -> None:
    """Have the model return outputs by name and no hidden states, whatever its config says, and chunk no layers."""
    config = model.config
    config.return_dict, config.torchscript, config.output_hidden_states = True, False, False
    for module in model.modules():
        if hasattr(module, "chunk_size_feed_forward"):
            module.chunk_size_feed_forward = 0


def _zero_padding_embedding(model: Any) -> None:
    """Set padding's embedding to zero, so that it does not affect neighbouring tokens.

    MobileBERT's embeddings mix each token's with its neighbours' (Sun et al. 2020, section 3): a window's logits would
    otherwise depend on whether its batch has longer ones.
    """
    import torch

    if _mixes_neighbours(model):
        with torch.no_grad():
            model.get_input_embeddings().weight[model.config.pad_token_id or 0] = 0
