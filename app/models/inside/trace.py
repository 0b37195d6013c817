"""Records a run of a model: every module and function called, with its inputs and outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from app.core.inside import Shape


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """One call of a module, or of a function of torch outside of any leaf module.

    `path` is the module's name in the model, for a function that of the module whose forward calls it; `kind` is the
    module's class, or the function's name. `ins` and `outs` are the tensors (none are kept inside the encoder),
    `inputs` and `outputs` their shapes. `recompute` computes the same of another tensor.
    """

    path: str
    kind: str
    module: nn.Module | None
    ins: tuple[Tensor, ...]
    outs: tuple[Tensor, ...]
    inputs: tuple[Shape, ...]
    outputs: tuple[Shape, ...]
    recompute: Callable[[Tensor], Tensor] | None = None

    @property
    def leaf(self) -> bool:
        """Whether the call has no inner calls of its own: a function, or a module without modules."""
        return self.module is None or _is_leaf(self.module)


@dataclass(slots=True, eq=False)
class Trace:
    """The calls of one run, in the order in which they ended, and the outputs of the model and its parts.

    `encoder` is the base's child with the layers, `states` its output; `sequence` is the base's last hidden state,
    `result` the model's output.
    """

    model: nn.Module
    base: nn.Module
    encoder: nn.Module
    layers: tuple[nn.Module, ...]
    layers_path: str
    calls: list[Call] = field(default_factory=list)
    states: Any = None
    sequence: Tensor = field(default_factory=lambda: torch.empty(0))
    result: Any = None

    @property
    def logits(self) -> tuple[Tensor, ...]:
        """The model's logits."""
        return tuple(value for name, value in self.result.items() if name.endswith("logits"))

    @property
    def encoder_end(self) -> int:
        """The index in `calls` after the call that computed the last hidden state."""
        ended = (at for at, call in enumerate(self.calls) if any(one is self.sequence for one in call.outs))
        return next(ended, -1) + 1

    def path_to_logits(self) -> list[Call]:
        """The calls on the path from the base's last hidden state to the logits."""
        needed = {id(one) for one in self.logits}
        found: list[Call] = []
        for call in reversed(self.calls[self.encoder_end :]):
            if call.leaf and needed & set(map(id, call.outs)):
                found.append(call)
                needed |= set(map(id, call.ins))
        reached = {id(self.sequence)}
        path = []
        for call in reversed(found):
            parameters = any(isinstance(one, nn.Parameter) for one in call.ins)
            if parameters or reached & set(map(id, call.ins)):
                reached |= set(map(id, call.outs))
                path.append(call)
        return path


def recorded(model: nn.Module, run: Callable[[], Any]) -> Trace:
    """The trace of a model's run by `run`, whose exceptions propagate."""
    base = getattr(model, "base_model", model)
    encoder, path, layers = _layers(base)
    names = {id(module): name for name, module in model.named_modules()}
    found = Trace(model, base, encoder, layers, f"{names[id(encoder)]}.{path}" if path else "")
    recorder = _Recorder(found, names)
    with torch.inference_mode(), recorder.hooks(model), recorder:
        run()
    return found


def first_token(call: Call, sequence: Tensor) -> bool:
    """Whether a call takes the first token's state out of all tokens' states."""
    if call.module is not None or not call.outs or not any(one is sequence for one in call.ins):
        return False
    (out, *_), rows = call.outs, (sequence.shape[0], sequence.shape[2])
    return tuple(out.shape) == rows and out.storage_offset() == sequence.storage_offset()


def _layers(base: nn.Module) -> tuple[nn.Module, str, tuple[nn.Module, ...]]:
    """The base's child with the layers, the path of their list in it, and the layers, in ALBERT those of all groups."""
    for child in base.children():
        path, layers = next(
            ((name, list(one)) for name, one in child.named_modules() if isinstance(one, nn.ModuleList)),
            ("", []),
        )
        if not path:
            continue
        while layers and all(_is_group(list(one.children())) for one in layers):
            layers = [layer for one in layers for group in one.children() for layer in group.children()]
        return child, path, tuple(layers)
    return base, "", ()


def _is_leaf(module: nn.Module) -> bool:
    return next(module.children(), None) is None


def _is_group(children: list[nn.Module]) -> bool:
    return len(children) == 1 and isinstance(children[0], nn.ModuleList)


class _Recorder(TorchFunctionMode):
    def __init__(self, found: Trace, names: dict[int, str]) -> None:
        super().__init__()
        self._found, self._names = found, names
        self._stack: list[nn.Module] = []
        self._quiet = 0

    @contextmanager
    def hooks(self, model: nn.Module) -> Iterator[None]:
        handles = []
        for module in model.modules():
            handles.append(module.register_forward_pre_hook(self._enter, with_kwargs=True))
            handles.append(module.register_forward_hook(self._leave, with_kwargs=True))
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()

    def __torch_function__(
        self, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        out = function(*args, **kwargs)
        if self._quiet or not self._stack or _is_leaf(self._stack[-1]):
            return out
        ins, outs = _tensors((args, kwargs)), _tensors(out)
        # Returning the only input unchanged, as .float() does for float32, is no step.
        if outs and not (len(ins) == 1 and outs[0] is ins[0]):
            rest = args[1:]
            path = self._names[id(self._stack[-1])]
            name = getattr(function, "__name__", str(function))
            recompute = (lambda value: function(value, *rest, **kwargs)) if len(ins) == 1 else None
            self._found.calls.append(
                Call(path, name, None, ins, outs, _shapes(ins), _shapes(outs), recompute)
            )
        return out

    def _enter(self, module: nn.Module, args: Any, kwargs: Any) -> None:
        self._stack.append(module)
        self._quiet += module is self._found.encoder

    def _leave(self, module: nn.Module, args: Any, kwargs: Any, output: Any) -> None:
        self._stack.pop()
        self._quiet -= module is self._found.encoder
        found = self._found
        if module is found.encoder:
            found.states = output
        if module is found.base:
            found.sequence = output[0]
        if module is found.model:
            found.result = output
        ins, outs = _tensors((args, kwargs)), _tensors(output)
        shapes = _shapes(ins), _shapes(outs)
        path, kind = self._names[id(module)], type(module).__name__
        stored = ((), ()) if self._quiet else (ins, outs)
        found.calls.append(Call(path, kind, module, *stored, *shapes, module))


def _tensors(value: Any) -> tuple[Tensor, ...]:
    """The tensors in a value, also in nested lists, tuples and mappings."""
    if isinstance(value, Tensor):
        return (value,)
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return tuple(tensor for one in value for tensor in _tensors(one))
    return ()


def _shapes(tensors: tuple[Tensor, ...]) -> tuple[Shape, ...]:
    return tuple(tuple(one.shape) for one in tensors)
