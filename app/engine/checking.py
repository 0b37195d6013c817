"""Checks that the model process has everything that it will ever need."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

from app.core.report import Progress, Report
from app.engine.orders import GetVersions, ImportModules, MakeModel
from app.models.compute.classes import model_class
from app.models.disk.card import CONFIG
from app.models.families import FAMILIES

WIDTH, LAYERS, HEADS, INNER = 32, 2, 4, 64
WEIGHTS = "model.safetensors"
_HALF = WIDTH // 2
_COMMON = {
    "hidden_size": WIDTH,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "intermediate_size": INNER,
}
_MPNET = {"bos_token_id": 0, "eos_token_id": 2}
_ROBERTA = _MPNET | {"type_vocab_size": 1}
_RELATIVE = {"relative_attention": True, "type_vocab_size": 0}
_OWN: dict[str, dict[str, Any]] = {
    "distilbert": {"dim": WIDTH, "n_layers": LAYERS, "n_heads": HEADS, "hidden_dim": INNER},
    "roberta": _COMMON | _ROBERTA,
    "xlm-roberta": _COMMON | _ROBERTA,
    "mpnet": _COMMON | _MPNET,
    "electra": _COMMON | {"embedding_size": _HALF},
    "albert": _COMMON | {"embedding_size": _HALF, "bos_token_id": 1, "eos_token_id": 2},
    "mobilebert": _COMMON
    | {
        "intermediate_size": WIDTH,
        "embedding_size": _HALF,
        "true_hidden_size": _HALF,
        "intra_bottleneck_size": _HALF,
        "num_feedforward_networks": 2,
    },
    "deberta": _COMMON | _RELATIVE | {"pos_att_type": ["c2p", "p2c"]},
    "deberta-v2": _COMMON
    | _RELATIVE
    | {
        "pos_att_type": ["p2c", "c2p"],
        "position_biased_input": False,
        "position_buckets": 64,
        "norm_rel_ebd": "layer_norm",
        "share_att_key": True,
    },
}


def small_values(family: str, tokens: int, padding: int, positions: int) -> dict[str, Any]:
    """Arguments for transformers' config class of a family: vocabulary size, padding id, longest input."""
    after = padding + 1 if FAMILIES[family].positions_after_padding else 0
    return _OWN.get(family, _COMMON) | {
        "vocab_size": tokens,
        "max_position_embeddings": positions + after,
        "pad_token_id": padding,
    }


def write_small(folder: Path, family: str, tokens: int, padding: int, *, seed: int = 7) -> None:
    """Run each of a family's heads once, and write one that answers questions: config.json and model.safetensors.

    All by transformers' own classes. Raises RuntimeError where a head's scores are not finite.
    """
    import torch
    from safetensors.torch import save_file

    known = FAMILIES[family]
    values = small_values(family, tokens, padding, 512)
    ids = torch.arange(8).remainder(tokens).unsqueeze(0)
    with torch.random.fork_rng(devices=[]), torch.inference_mode():
        torch.manual_seed(seed)
        for head in known.heads_known:
            kind = model_class(known, head)
            model = kind(kind.config_class(**values)).eval()
            for parameter in model.parameters():
                if parameter.dim() > 1:  # heads begin near zero
                    torch.nn.init.normal_(parameter, std=0.15)
            scores = next(iter(model(input_ids=ids).values()))
            if not scores.isfinite().all():
                raise RuntimeError(f"{known.class_name(head)} does not compute")
            if head is known.heads_known[0]:
                folder.mkdir(parents=True, exist_ok=True)
                weights = {name: one.clone() for name, one in model.state_dict().items()}
                save_file(weights, folder / WEIGHTS, metadata={"format": "pt"})
                config = values | {"model_type": family, "architectures": [known.class_name(head)]}
                (folder / CONFIG).write_text(json.dumps(config), encoding="utf-8")


def answer_check(order: ImportModules | MakeModel | GetVersions, report: Report) -> Any:
    """Answer one of these orders."""
    match order:
        case ImportModules():
            return _imported(order.names, report)
        case MakeModel():
            return write_small(Path(order.folder), order.family, order.tokens, order.padding)
        case GetVersions():
            return _versions()


def _imported(names: tuple[str, ...], report: Report) -> dict[str, str]:
    faults = {}
    for number, name in enumerate(names):
        report.check()
        report.progress(Progress(number, len(names), "modules"))
        try:
            importlib.import_module(name)
        except Exception as error:
            faults[name] = f"{type(error).__name__}: {error}"
    return faults


def _versions() -> dict[str, str]:
    import numpy
    import safetensors
    import tokenizers
    import torch
    import transformers

    libraries = (torch, transformers, tokenizers, safetensors, numpy)
    return {library.__name__: str(library.__version__) for library in libraries}
