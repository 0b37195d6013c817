"""Checkpoints of a training run, from which a killed run continues bit for bit. safetensors and JSON only."""

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

from app.core.atomic import flush
from app.core.plain import json_of


@dataclass(slots=True)
class State:
    """How far a run is: its next step, the best dev figures so far with their step, and the seconds spent.

    `request` is the fingerprint of what the run was started from.
    """

    request: str
    step: int = 0
    best_step: int = 0
    best: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0


def save(folder: Path, model: nn.Module, optimizer: torch.optim.Optimizer, state: State) -> None:
    """Write weights, optimizer moments and state beside the last checkpoint, then delete that."""
    fresh = folder / f"step-{state.step}.part"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    save_file(
        {name: p.detach().contiguous() for name, p in trained_parameters(model)},
        fresh / "weights.safetensors",
    )
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
    """Restore model and optimizer from the last whole checkpoint of a request, and return its State.

    Checkpoints of another request, and damaged ones, are removed. Without a checkpoint the State is a new one.
    """
    found = [p for p in folder.glob("step-*") if p.name.removeprefix("step-").isdigit()]
    for step_folder in sorted(found, key=lambda p: -int(p.name.removeprefix("step-"))):
        checkpoint = _read(step_folder)
        if checkpoint is None or checkpoint[0].request != request:
            shutil.rmtree(step_folder, ignore_errors=True)
            continue
        state, weights, moments = checkpoint
        restore_weights(model, weights)
        optimizer.load_state_dict({**optimizer.state_dict(), "state": moments})
        return state
    shutil.rmtree(folder, ignore_errors=True)
    return State(request)


def _read(folder: Path) -> tuple[State, dict[str, torch.Tensor], dict[int, dict[str, torch.Tensor]]] | None:
    """A checkpoint's state, weights and moments; None where it is damaged, for example after a power cut."""
    moments: dict[int, dict[str, torch.Tensor]] = {}
    try:
        state = State(**json.loads((folder / "state.json").read_text(encoding="utf-8")))
        weights = load_file(folder / "weights.safetensors")
        for name, tensor in load_file(folder / "optimizer.safetensors").items():
            index, _, key = name.partition(".")
            moments.setdefault(int(index), {})[key] = tensor
    except (OSError, ValueError, TypeError, SafetensorError):
        return None
    return state, weights, moments


def trained_parameters(model: nn.Module) -> list[tuple[str, nn.Parameter]]:
    """The parameters that are trained, with their names; frozen ones stay those of the base."""
    return [(name, p) for name, p in model.named_parameters() if p.requires_grad]


def trained_weights(model: nn.Module) -> dict[str, torch.Tensor]:
    """A copy of the trained weights by name."""
    return {name: p.detach().clone() for name, p in trained_parameters(model)}


def restore_weights(model: nn.Module, weights: dict[str, torch.Tensor]) -> None:
    """Overwrite the trained weights in place, as other models may share their tensors."""
    with torch.no_grad():
        for name, parameter in trained_parameters(model):
            parameter.copy_(weights[name])
