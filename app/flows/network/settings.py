"""Checks the files and folders in the network settings before they are saved."""

from __future__ import annotations

import os
from pathlib import Path

from app.core.message import Message
from app.core.network import Network, Remark
from app.models.download.cache import cache_folder

_MOST = 16 * 2**20
_BEGIN = b"-----BEGIN "


def standard_cache() -> Path:
    """The default folder of the Hugging Face cache."""
    return cache_folder(Network())


def certificates_remark(typed: str) -> Remark:
    """The remark on a file of certificates; an empty path means the system's certificates."""
    if not typed.strip():
        return Remark()
    path = Path(typed.strip()).expanduser()
    try:
        if not path.is_file():
            return Remark(Message("There is no such file."), bad=True)
        if path.stat().st_size > _MOST:
            return Remark(Message("The file is too large to be one of certificates."), bad=True)
        data = path.read_bytes()
    except (OSError, ValueError) as fault:
        reason = getattr(fault, "strerror", None) or str(fault)
        return Remark(Message("The file cannot be read: {reason}.", reason=reason), bad=True)
    if _BEGIN + b"CERTIFICATE-----" in data or _BEGIN + b"TRUSTED CERTIFICATE-----" in data:
        return Remark(Message("Only the authorities in this file are trusted, not the system's own."))
    return Remark(Message("The file holds no certificates in the PEM form."), bad=True)


def cache_remark(typed: str) -> Remark:
    """The remark on a folder for the cache; an empty path means the default folder."""
    if not typed.strip():
        return Remark()
    path = Path(typed.strip()).expanduser()
    try:
        if not path.is_absolute():
            return Remark(Message("Write the folder's whole path."), bad=True)
        if path.is_dir():
            good = os.access(path, os.W_OK | os.X_OK)
            return Remark() if good else Remark(Message("Nothing can be written into this folder."), bad=True)
        if path.exists():
            return Remark(Message("This is a file, not a folder."), bad=True)
        above = next(folder for folder in path.parents if folder.exists())
        if not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
            return Remark(
                Message("The folder is not there and cannot be made in {folder}.", folder=str(above)),
                bad=True,
            )
    except (OSError, ValueError) as fault:
        reason = getattr(fault, "strerror", None) or str(fault)
        return Remark(Message("The folder cannot be used: {reason}.", reason=reason), bad=True)
    return Remark(Message("The folder is made with the first download."))
