"""Checkpoints of a training run, from which a killed run continues bit by bit. safetensors and JSON only."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import asdict, dataclass, field
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import nn

from app.core.plain import json_of


@dataclass(slots=True)
class State:
    """The next step, the best dev figures so far with their step, and what the run was made from (`request`)."""

    request: str
    step: int = 0
    best_step: int = 0
    best: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0


def save(folder: Path, model: nn.Module, optimizer: torch.optim.Optimizer, state: State) -> None:
    """Writes weights, optimizer moments and state next to the last checkpoint, then replaces that."""
    fresh = folder / f"step-{state.step}.part"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    save_file({name: p.detach().contiguous() for name, p in learnt(model)}, fresh / "weights.safetensors")
    moments = optimizer.state_dict()["state"]
    save_file(
        {f"{i}.{k}": v.contiguous() for i, s in moments.items() for k, v in s.items()},
        fresh / "optimizer.safetensors",
    )
    (fresh / "state.json").write_text(json_of(asdict(state)), encoding="utf-8")
    for written in fresh.iterdir():
        flush(written)
    os.replace(fresh, folder / f"step-{state.step}")
    for old in folder.glob("step-*"):
        if old.name != f"step-{state.step}":
            shutil.rmtree(old, ignore_errors=True)


def resume(folder: Path, model: nn.Module, optimizer: torch.optim.Optimizer, request: str) -> State:
    """Restores model and optimizer from the last whole checkpoint of this request.

    Checkpoints of another request, or damaged ones, are removed. Without a checkpoint the State is a new one.
    """
    found = [p for p in folder.glob("step-*") if p.name.removeprefix("step-").isdigit()]
    for place in sorted(found, key=lambda p: -int(p.name.removeprefix("step-"))):
        checkpoint = _read(place)
        if checkpoint is None or checkpoint[0].request != request:
            shutil.rmtree(place, ignore_errors=True)
            continue
        state, weights, moments = checkpoint
        copy_weights(model, weights)
        optimizer.load_state_dict({**optimizer.state_dict(), "state": moments})
        return state
    shutil.rmtree(folder, ignore_errors=True)
    return State(request)


def _read(place: Path) -> tuple[State, dict[str, torch.Tensor], dict[int, dict[str, torch.Tensor]]] | None:
    """A checkpoint's state, weights and moments; None where it is damaged, for example after a power cut."""
    moments: dict[int, dict[str, torch.Tensor]] = {}
    try:
        state = State(**json.loads((place / "state.json").read_text(encoding="utf-8")))
        weights = load_file(place / "weights.safetensors")
        for name, tensor in load_file(place / "optimizer.safetensors").items():
            index, _, key = name.partition(".")
            moments.setdefault(int(index), {})[key] = tensor
    except (OSError, ValueError, TypeError, SafetensorError):
        return None
    return state, weights, moments


def flush(path: Path) -> None:
    """Waits until a file is on the disk, so that a rename after it never shows an empty one."""
    with path.open("r+b") as file:
        os.fsync(file.fileno())


def learnt(model: nn.Module) -> list[tuple[str, nn.Parameter]]:
    """The parameters that are learnt, with their names; frozen ones are those of the base."""
    return [(name, p) for name, p in model.named_parameters() if p.requires_grad]


def copied_weights(model: nn.Module) -> dict[str, torch.Tensor]:
    """A copy of the weights that are learnt."""
    return {name: p.detach().clone() for name, p in learnt(model)}


def copy_weights(model: nn.Module, weights: dict[str, torch.Tensor]) -> None:
    """Copies the weights that are learnt into the model's own tensors, which others may share."""
    with torch.no_grad():
        for name, parameter in learnt(model):
            parameter.copy_(weights[name])
