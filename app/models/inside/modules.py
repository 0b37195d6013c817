"""The module tree of a model, as rows."""

from __future__ import annotations

from typing import Any

from app.core.inside import ModuleRow


def modules(model: Any) -> tuple[tuple[ModuleRow, ...], str]:
    """Every module in the order of `print(model)`, and that text; a row counts all weights at and below it."""
    rows = []
    for path, module in model.named_modules(remove_duplicate=False):
        parts = path.split(".") if path else []
        count = sum(one.numel() for one in module.parameters())
        name = parts[-1] if parts else ""
        rows.append(ModuleRow(len(parts), path, name, type(module).__name__, module.extra_repr(), count))
    return tuple(rows), str(model)
