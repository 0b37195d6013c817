"""The first bytes of pictures' files that are read."""

from __future__ import annotations

PNG, JPEG, TIFFS = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", (b"II*\x00", b"MM\x00*")


def is_picture_file(head: bytes) -> bool:
    """Whether a file begins as a picture that can be read."""
    return head.startswith((PNG, JPEG, *TIFFS))
