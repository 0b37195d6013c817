"""The licences of all components: from the list that is written when Spanlight is bundled, else as installed."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from app.core.errors import SpanlightError
from app.core.licences import KINDS, LIBRARY, Component, LicenceText
from app.core.message import Message
from app.core.plain import json_of
from app.core.report import Report
from app.flows.workspace import Workspace

FILE = "licences.json"
_RULE = "=" * 80
# What a component may lack.
_OPTIONAL = ("version", "licence", "page", "note")

_log = logging.getLogger(__name__)


def licences(workspace: Workspace, report: Report) -> tuple[Component, ...]:
    """Spanlight itself, then its components, sorted by name; an unreadable list in the resources is ignored.

    Raises SpanlightError where the index of the parts that no package describes is missing too; Stopped when cancelled.
    """
    file = workspace.paths.resources / FILE
    try:
        return from_json(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        pass
    except (OSError, ValueError, KeyError, TypeError) as fault:
        _log.warning("%s not read: %r", FILE, fault)
    from app.flows.licences_installed import installed_components

    try:
        return installed_components(workspace.paths, report=report)
    except FileNotFoundError as fault:
        raise SpanlightError(
            Message("The list of licences is missing."), Message("Install Spanlight again.")
        ) from fault


def to_json(found: Iterable[Component]) -> str:
    """Serialise components to JSON; a text that several share is written once."""
    texts: dict[str, str] = {}
    rows = []
    for one in found:
        texts_of_one = []
        for text in one.texts:
            key = hashlib.sha256(text.text.encode("utf-8")).hexdigest()[:16]
            texts[key] = text.text
            texts_of_one.append({"names": list(text.names), "text": key})
        stated = {name: value for name in _OPTIONAL if (value := getattr(one, name))}
        rows.append({"name": one.name, **stated, "kind": one.kind, "texts": texts_of_one})
    return json_of({"components": rows, "texts": texts}, ensure_ascii=False, indent=1) + "\n"


def from_json(written: str) -> tuple[Component, ...]:
    """The inverse of `to_json`; raises ValueError, KeyError or TypeError for anything else."""
    values: Any = json.loads(written)
    texts = values["texts"]
    return tuple(
        Component(
            name=str(row["name"]),
            **{name: str(row.get(name, "")) for name in _OPTIONAL},
            kind=row["kind"] if row.get("kind") in KINDS else LIBRARY,
            texts=tuple(
                LicenceText(tuple(str(name) for name in text["names"]), str(texts[text["text"]]))
                for text in row["texts"]
            ),
        )
        for row in values["components"]
    )


def as_text(found: Iterable[Component]) -> str:
    """All components as one plain text, separated by rules."""
    return f"\n\n{_RULE}\n\n".join(one.whole_text() for one in found) + "\n"


def write_file(target: Path, words: str) -> None:
    """Write a file in UTF-8 with LF, creating its folder; raises OSError."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(words, encoding="utf-8", newline="\n")
