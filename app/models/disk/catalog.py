"""resources/models.json: the models offered for download."""

from __future__ import annotations

import json
import logging
from pathlib import Path

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import Head
from app.core.offers import OfferedModel
from app.core.plain import from_plain

_log = logging.getLogger(__name__)


def read_catalogue(path: Path) -> tuple[OfferedModel, ...]:
    """The catalogue's models, by head and then by size. Raises SpanlightError if the file is missing or malformed."""
    try:
        models = from_plain(tuple[OfferedModel, ...], json.loads(path.read_bytes())["models"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as fault:
        _log.warning("catalogue not read: %s", fault)
        raise SpanlightError(
            Message("The catalogue {file} cannot be read.", file=path.name),
            Message("Install Spanlight again, or type a model's name."),
        ) from fault
    return tuple(sorted(models, key=_order))


def _order(model: OfferedModel) -> tuple[int, int, str]:
    return list(Head).index(model.heads[0]), model.size, model.repository
