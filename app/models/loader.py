"""A checkpoint folder made ready to compute: tokenizer and forward pass. The only door to its weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from app.core.errors import SpanlightError
from app.core.models import DeviceChoice, Head, ModelCard
from app.models.card import TOKENIZER, family_of
from app.models.families import Family
from app.models.heads import no_head
from app.models.inside.opened import Inside

Arrays = dict[str, np.ndarray]
ALBERT_LAYERS = "encoder.albert_layer_groups."
OUTPUTS = {Head.QUESTION_ANSWERING: ("start_logits", "end_logits"), Head.CLASSIFICATION: ("logits",)}


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model in memory: its card, where it runs, its tokenizer (no truncation, no padding) and its forward pass."""

    card: ModelCard
    device: DeviceChoice
    tokenizer: Tokenizer
    forward: Callable[[Arrays], Arrays]
    inside: Any = None


def load(
    card: ModelCard,
    head: Head,
    device: DeviceChoice,
    check: Callable[[], None] = lambda: None,
    *,
    opened: bool = False,
) -> Loaded:
    """Load one head of a checkpoint onto a device.

    The weights take the device's dtype, whatever they are stored in; the head itself computes in
    float32, so that close logits stay apart. `forward` takes int64 arrays of batch × length and
    returns float32 arrays; it calls `check` before each layer, which may raise to break off. Raises
    SpanlightError where the checkpoint does not hold the head, is
    not whole, or does not fit into the device's memory. An `opened` model is float32 with eager attention, and its
    inside can be looked at.
    """
    if head not in card.heads:
        raise no_head(card.name, card.heads, head)
    family = family_of(card)
    if opened or (device.dtype == "bfloat16" and not family.bfloat16):
        device = replace(device, dtype="float32")
    tokenizer = _tokenizer(card)
    model = _model(card, family, head, device, eager=opened or not family.sdpa)
    _check_in_layers(model, family, check)
    forward = Forward(model, head, device.device, card.max_length)
    inside = Inside(model, family, head, card, forward) if opened else None
    return Loaded(card, device, tokenizer, forward, inside)


class OutOfMemory(SpanlightError):
    """The device's memory, or the computer's, did not suffice."""


class Forward:
    """The forward pass of a model: arrays in, logits out.

    A batch that does not fit into the device's memory is computed in halves.
    """

    def __init__(self, model: Any, head: Head, device: str, max_length: int) -> None:
        self._model, self._outputs, self._device, self._max_length = model, OUTPUTS[head], device, max_length
        types = int(getattr(model.config, "type_vocab_size", 0) or 0)
        self._sizes = {"input_ids": int(model.config.vocab_size)}
        if types > 1:  # with one kind of token, or none, transformers adds what it needs by itself
            self._sizes["token_type_ids"] = types

    def __call__(self, arrays: Arrays) -> Arrays:
        """Logits of a batch, float32.

        Raises ValueError for an input longer than the model's, SpanlightError for a token or token type that it
        has no embedding of, as a tokenizer of another model would give.
        """
        length = arrays["input_ids"].shape[1]
        if length > self._max_length:
            raise ValueError(f"{length} tokens where the model reads {self._max_length}")
        if any(arrays[name].max(initial=0) >= size for name, size in self._sizes.items()):
            raise SpanlightError(
                "The tokenizer gave a token that the model does not know.",
                "Tokenizer and weights do not belong together: fetch a whole copy of this model.",
            )
        return self._halving(arrays)

    def _halving(self, arrays: Arrays) -> Arrays:
        rows = len(arrays["input_ids"])
        try:
            return self._compute(arrays)
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error):
                raise
            if rows <= 1:
                raise out_of_memory(self._device) from error
        self._free()
        half = rows // 2
        parts = [
            self._halving({n: a[part] for n, a in arrays.items()})
            for part in (slice(half), slice(half, None))
        ]
        return {name: np.concatenate([part[name] for part in parts]) for name in self._outputs}

    def _compute(self, arrays: Arrays) -> Arrays:
        import torch

        with torch.inference_mode():
            tensors = {
                name: torch.from_numpy(np.ascontiguousarray(arrays[name], dtype=np.int64)).to(self._device)
                for name in ("attention_mask", *self._sizes)
            }
            found = self._model(**tensors)
            return {name: getattr(found, name).float().cpu().numpy() for name in self._outputs}

    def _free(self) -> None:
        import torch

        if self._device.startswith("cuda"):
            torch.cuda.empty_cache()


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an exception says that the memory of the device, or of the computer, did not suffice."""
    import torch

    said = str(error).lower()
    words = ("out of memory", "can't allocate memory", "not enough memory", "failed to allocate")
    return isinstance(error, (MemoryError, torch.OutOfMemoryError)) or any(word in said for word in words)


def exhausted_device(error: BaseException) -> str:
    """Whose memory an out-of-memory exception speaks of: `cuda` or `mps`, else `cpu`."""
    import torch

    said = str(error).lower()
    if isinstance(error, torch.OutOfMemoryError) or "cuda" in said:
        return "cuda"
    return "mps" if "mps" in said else "cpu"


def out_of_memory(device: str) -> OutOfMemory:
    """What a person is told when the memory did not suffice, with the next step."""
    if device == "cpu":
        return OutOfMemory(
            "This computer has too little free memory for the model.", "Close other programs and try again."
        )
    return OutOfMemory(
        "The GPU has too little free memory for the model.",
        "Choose the device cpu, or close what uses the GPU.",
    )


def _tokenizer(card: ModelCard) -> Tokenizer:
    try:
        tokenizer = Tokenizer.from_file(str(Path(card.folder) / TOKENIZER))
    # The library raises plain Exception for a malformed file, and a BaseException where it panics.
    except BaseException as error:
        if isinstance(error, (KeyboardInterrupt, SystemExit)):
            raise
        said = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise SpanlightError(
            f"tokenizer.json of {card.name} cannot be understood: {said}.", "Fetch it again."
        ) from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _model(card: ModelCard, family: Family, head: Head, device: DeviceChoice, *, eager: bool) -> Any:
    import torch

    made = _model_class(family, head)
    try:
        model, told = made.from_pretrained(
            card.folder,
            local_files_only=True,
            use_safetensors=True,
            trust_remote_code=False,
            dtype=getattr(torch, device.dtype),
            attn_implementation="eager" if eager else "sdpa",
            output_loading_info=True,
            ignore_mismatched_sizes=True,
        )
    except (RuntimeError, MemoryError) as error:
        if is_out_of_memory(error):
            raise out_of_memory("cpu") from error
        raise _unreadable(card, error) from error
    except Exception as error:
        raise _unreadable(card, error) from error
    _refuse_holes(card, told)
    try:
        model = model.eval().requires_grad_(False).to(device.device)
        _head_in_float32(model, family)
        _silence_padding(model)
    except (RuntimeError, MemoryError) as error:
        if is_out_of_memory(error):
            raise out_of_memory(device.device) from error
        raise
    return model


def _model_class(family: Family, head: Head) -> Any:
    """The class of transformers that a family's head has.

    The family's own module is imported: the package's table of all models would be for nothing.
    """
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    match family.module:
        case "bert":
            from transformers.models.bert import modeling_bert as module
        case "distilbert":
            from transformers.models.distilbert import modeling_distilbert as module
        case "roberta":
            from transformers.models.roberta import modeling_roberta as module
        case "xlm_roberta":
            from transformers.models.xlm_roberta import modeling_xlm_roberta as module
        case "electra":
            from transformers.models.electra import modeling_electra as module
        case "albert":
            from transformers.models.albert import modeling_albert as module
        case "mobilebert":
            from transformers.models.mobilebert import modeling_mobilebert as module
        case "deberta":
            from transformers.models.deberta import modeling_deberta as module
        case "deberta_v2":
            from transformers.models.deberta_v2 import modeling_deberta_v2 as module
        case unknown:
            raise ValueError(f"no module for the family {unknown}")
    return getattr(
        module, family.qa_class if head is Head.QUESTION_ANSWERING else family.classification_class
    )


def _unreadable(card: ModelCard, error: BaseException) -> SpanlightError:
    said = (str(error).strip().splitlines() or [type(error).__name__])[0][:200].rstrip(".")
    return SpanlightError(f"The weights of {card.name} cannot be loaded: {said}.", "Fetch the model again.")


def _refuse_holes(card: ModelCard, told: dict[str, Any]) -> None:
    """Refuse weights that are missing or of another shape: transformers would set them at random."""
    for what, kind in (("missing_keys", "lacks"), ("mismatched_keys", "holds in a wrong shape")):
        names = sorted(
            str(name[0] if isinstance(name, (tuple, list)) else name) for name in told.get(what) or ()
        )
        if names:
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            raise SpanlightError(
                f"{card.name} {kind} the weights {names[0]}{more}.", "Fetch a whole copy of this model."
            )
    if told.get("error_msgs"):
        raise _unreadable(card, RuntimeError(str(told["error_msgs"][0])))


def _check_in_layers(model: Any, family: Family, check: Callable[[], None]) -> None:
    """Have each layer call `check` first: on a slow computer a whole batch takes longer than a stop may."""
    for layer in _part(model, f"{family.prefix}.{family.layer_pattern or ALBERT_LAYERS}".rstrip(".")):
        layer.register_forward_pre_hook(lambda *_: check())


def _part(model: Any, path: str) -> Any:
    for name in path.split("."):
        model = getattr(model, name, None)
    return model


def _head_in_float32(model: Any, family: Family) -> None:
    """Let the head's modules compute in float32 on what the encoder hands them."""

    def widen(_: Any, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(
            one.float() if hasattr(one, "is_floating_point") and one.is_floating_point() else one
            for one in inputs
        )

    for name in family.heads_in_float32:
        module = _part(model, name)
        if module is not None:
            module.float().register_forward_pre_hook(widen)


def _silence_padding(model: Any) -> None:
    """Let padding be nothing to a token beside it.

    MobileBERT's embeddings look at each token's neighbours (Sun et al. 2020, section 3): a window would
    otherwise read differently in a batch with longer ones.
    """
    import torch

    if getattr(model.config, "trigram_input", False):
        with torch.no_grad():
            model.get_input_embeddings().weight[model.config.pad_token_id or 0] = 0
