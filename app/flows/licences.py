"""The licences of all that Spanlight is made of: from the list written when it was bundled, else as installed."""

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

_log = logging.getLogger(__name__)


def licences(workspace: Workspace, report: Report) -> tuple[Component, ...]:
    """Spanlight itself, then everything that came with it, by name; a list in the resources is ignored if unreadable.

    Raises SpanlightError where the list of the parts that no package describes is missing as well, Stopped when
    cancelled.
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
    """Components as the file has them; a text that several share is written once."""
    texts: dict[str, str] = {}
    rows = []
    for one in found:
        texts_of_one = []
        for text in one.texts:
            key = hashlib.sha256(text.text.encode("utf-8")).hexdigest()[:16]
            texts[key] = text.text
            texts_of_one.append({"names": list(text.names), "text": key})
        row = {name: getattr(one, name) for name in ("name", "version", "licence", "page", "note", "kind")}
        rows.append(
            {name: value for name, value in row.items() if value or name == "name"} | {"texts": texts_of_one}
        )
    return json_of({"components": rows, "texts": texts}, ensure_ascii=False, indent=1) + "\n"


def from_json(written: str) -> tuple[Component, ...]:
    """What `to_json` wrote; raises ValueError, KeyError or TypeError for anything else."""
    values: Any = json.loads(written)
    texts = values["texts"]
    return tuple(
        Component(
            name=str(row["name"]),
            version=str(row.get("version", "")),
            licence=str(row.get("licence", "")),
            page=str(row.get("page", "")),
            note=str(row.get("note", "")),
            kind=row["kind"] if row.get("kind") in KINDS else LIBRARY,
            texts=tuple(
                LicenceText(tuple(str(name) for name in text["names"]), str(texts[text["text"]]))
                for text in row["texts"]
            ),
        )
        for row in values["components"]
    )


def as_text(found: Iterable[Component]) -> str:
    """All of them as one plain text, a line across between one and the next."""
    return f"\n\n{_RULE}\n\n".join(one.whole_text() for one in found) + "\n"


def write_file(target: Path, words: str) -> None:
    """Write a list or a text in UTF-8 with LF, making the folder; raises OSError."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(words, encoding="utf-8", newline="\n")
