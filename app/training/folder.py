"""Reads and writes checkpoint folders for training, in Hugging Face's layout."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import nn
from transformers import BertForPreTraining, PreTrainedModel
from transformers.utils import logging

from app.core.atomic import flush
from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import Head
from app.core.plain import json_of
from app.models.compute.classes import model_class
from app.models.disk.config import read_config

_DROPOUTS = (
    "hidden_dropout_prob",
    "dropout",
    "pooler_dropout",
    "classifier_dropout",
    "classifier_dropout_prob",
    "seq_classif_dropout",
    "qa_dropout",
)
_ATTENTION_DROPOUTS = ("attention_probs_dropout_prob", "attention_dropout")
# The head by a request's task; pretraining's two are those of one class.
_HEADS = {
    "qa": Head.QUESTION_ANSWERING,
    "classification": Head.CLASSIFICATION,
    "tokens": Head.TOKEN_CLASSIFICATION,
    "pretraining": Head.MASKED_WORDS,
    "encoder": Head.EMBEDDINGS,
}
_NOTES = "spanlight.json"
_WEIGHTS, _INDEX = "model.safetensors", "model.safetensors.index.json"


def load_base(folder: Path, task: str, labels: Sequence[str], dropout: float, seed: int) -> PreTrainedModel:
    """The base model in float32 with the task's head, initialised from `seed` where the base has none.

    Attention dropout is 0, all other dropout `dropout`. Raises SpanlightError for what cannot be loaded.
    """
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        stated = read_config(folder, folder.name)
        kind: Any = BertForPreTraining
        if task != "pretraining":
            kind = model_class(stated.family, _HEADS[task])
        elif stated.kind != "bert":
            raise SpanlightError(
                Message("{name} cannot be loaded to train on.", name=folder.name),
                Message("Only a BERT has both heads of pretraining."),
            )
        config = kind.config_class(**stated.for_transformers(_HEADS[task], labels))
        for names, value in ((_DROPOUTS, dropout), (_ATTENTION_DROPOUTS, 0.0)):
            for name in names:
                if getattr(config, name, None) is not None:
                    setattr(config, name, value)
        if task == "classification":
            config.problem_type = "single_label_classification"
        if labels:
            config.id2label = dict(enumerate(labels))
            config.label2id = {label: i for i, label in enumerate(labels)}
        torch.manual_seed(seed)
        model: PreTrainedModel = kind.from_pretrained(
            None,  # nothing in the folder but the weights is read
            config=config,
            state_dict={k: v for path in weight_files(folder) for k, v in load_file(path).items()},
            dtype=torch.float32,
            local_files_only=True,
            ignore_mismatched_sizes=True,
        )
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as fault:
        raise SpanlightError(
            Message("{name} cannot be loaded to train on.", name=folder.name),
            Message("Fetch a whole copy of it, or choose another base."),
        ) from fault
    return model


def weight_files(folder: Path) -> list[Path]:
    """The files of a checkpoint's weights: one, or its shards."""
    return (
        sorted(folder.glob("model-*-of-*.safetensors"))
        if (folder / _INDEX).is_file()
        else [folder / _WEIGHTS]
    )


def weight_names(folder: Path) -> set[str]:
    """The names of a checkpoint's weights."""
    names: set[str] = set()
    for path in weight_files(folder):
        with safe_open(path, "pt") as file:
            names.update(file.keys())
    return names


def checkpoint_files(folder: Path) -> list[Path]:
    """The files that a checkpoint needs: config, weights and tokenizer."""
    return [folder / "config.json", *weight_files(folder), folder / "tokenizer.json"]


def require_checkpoint(folder: Path, *, is_teacher: bool = False) -> None:
    """Raise SpanlightError where a folder lacks a file that a checkpoint needs."""
    for path in checkpoint_files(folder):
        if not path.is_file():
            hint = (
                Message("The teacher must be a Hugging Face checkpoint folder.")
                if is_teacher
                else Message("The base must be a Hugging Face checkpoint folder.")
            )
            raise SpanlightError(Message("{name} has no {file}.", name=folder.name, file=path.name), hint)


def load_tokenizer(folder: Path) -> Tokenizer:
    """The folder's tokenizer, without truncation and padding. Raises SpanlightError for one that cannot be read."""
    try:
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    except Exception as fault:  # tokenizers raises bare Exceptions
        raise SpanlightError(
            Message("The tokenizer of {name} cannot be read.", name=folder.name), str(fault).split("\n")[0]
        ) from fault
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def write_folder(
    folder: Path,
    base: Path,
    model: nn.Module,
    tokenizer: Tokenizer,
    half: bool = False,
    shard: float = 0.0,
    *,
    settings: Mapping[str, Any] | None = None,
    head: Mapping[str, torch.Tensor] | None = None,
) -> None:
    """Write config, tokenizer and weights (float16 if `half`): all to new files, which then replace the earlier ones.

    With a `shard`, weights of more megabytes are written in files of at most that. The config keeps the base's own
    dropout, and gets `settings` in addition. A `head` that the model's class lacks is written with its weights, in
    place of the pooler. Notes on earlier weights in the folder are removed with these.
    """
    assert isinstance(model, PreTrainedModel)
    config = model.config.to_dict()
    original = json.loads((base / "config.json").read_text(encoding="utf-8"))
    for name in (*_DROPOUTS, *_ATTENTION_DROPOUTS):
        if name in original:
            config[name] = original[name]
        elif name in config:
            config[name] = None if config[name] is None else getattr(type(model.config)(), name, config[name])
    dtype = torch.float16 if half else torch.float32
    config.update(architectures=[type(model).__name__], dtype=str(dtype).removeprefix("torch."))
    config.update(settings or {})
    config.pop("_name_or_path", None)
    tensors = _unshared(model)
    if head is not None:
        tensors = {name: one for name, one in tensors.items() if not name.startswith("pooler.")} | dict(head)
    weights = {name: one.detach().to("cpu", dtype).contiguous() for name, one in tensors.items()}
    shards = _shards(weights, int(shard * 1e6))
    names = [_WEIGHTS]
    if len(shards) > 1:
        names = [f"model-{number:05}-of-{len(shards):05}.safetensors" for number in range(1, len(shards) + 1)]
    fresh = folder / ".part"
    shutil.rmtree(fresh, ignore_errors=True)  # a killed run's
    fresh.mkdir(parents=True)
    try:
        _write_json(fresh / "config.json", config, sort_keys=True)
        tokenizer.save(str(fresh / "tokenizer.json"), pretty=False)
        tokenizing = base / "tokenizer_config.json"
        if tokenizing.is_file():
            tokenizer_config = json.loads(tokenizing.read_text(encoding="utf-8"))
            tokenizer_config.pop("name_or_path", None)
            _write_json(fresh / "tokenizer_config.json", tokenizer_config)
        for name, keys in zip(names, shards, strict=True):
            save_file({key: weights[key] for key in keys}, fresh / name, metadata={"format": "pt"})
            # safetensors makes files readable by their owner only; a model is as readable as its other files.
            (fresh / name).chmod((fresh / "config.json").stat().st_mode & 0o777)
        if len(shards) > 1:
            size = sum(tensor.nbytes for tensor in weights.values())
            files = {key: name for name, keys in zip(names, shards, strict=True) for key in keys}
            _write_json(fresh / _INDEX, {"metadata": {"total_size": size}, "weight_map": files})
            names.append(_INDEX)
        written = [path.name for path in fresh.iterdir() if path.name not in names] + names
        for name in written:
            flush(fresh / name)
        # The calibration and the figures in them are those of the earlier weights.
        (folder / _NOTES).unlink(missing_ok=True)
        for name in written:
            os.replace(fresh / name, folder / name)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    for old in (folder / _INDEX, *folder.glob("model*.safetensors")):
        if old.name not in names:
            old.unlink(missing_ok=True)


def _shards(weights: dict[str, torch.Tensor], most: int) -> list[list[str]]:
    """The names of the weights in each file of at most `most` bytes (a larger weight has its own); 0: one file."""
    shards: list[list[str]] = [[]]
    size = 0
    for name, tensor in weights.items():
        if most and shards[-1] and size + tensor.nbytes > most:
            shards.append([])
            size = 0
        shards[-1].append(name)
        size += tensor.nbytes
    return shards


def _unshared(model: nn.Module) -> dict[str, torch.Tensor]:
    """The weights as transformers saves them: parameters and persistent buffers, tied tensors once."""
    seen: set[int] = set()
    unshared = {}
    for name, tensor in model.state_dict().items():
        if tensor.data_ptr() not in seen or tensor.numel() == 0:
            seen.add(tensor.data_ptr())
            unshared[name] = tensor
    return unshared


def _write_json(path: Path, values: Mapping[str, Any], *, sort_keys: bool = False) -> None:
    path.write_text(json_of(values, indent=2, sort_keys=sort_keys) + "\n", encoding="utf-8")
