"""Files of a repository read in part, without their going into the cache."""

from __future__ import annotations

import time
from dataclasses import dataclass

from huggingface_hub import get_session, get_token, hf_hub_url
from huggingface_hub.utils import build_hf_headers, hf_raise_for_status

from app.core.errors import SpanlightError
from app.core.offers import RemoteFile
from app.models.download.cache import cache_folder, held_at
from app.models.download.conversation import Conversation
from app.models.download.trying import keep_trying

# The first bytes of the weights: their header, and enough to tell how fast bytes come.
FIRST = 2 * 2**20
# Measuring takes no longer than so many seconds, and tells nothing of fewer bytes.
MEASURING, LEAST = 1.0, 2**18
_PIECE = 32_768


def token_of(talk: Conversation) -> str | bool:
    """The token to send: the one that Hugging Face's own tools saved where the person wants it sent, else none."""
    return (get_token() or False) if talk.network.use_token else False


@dataclass(slots=True)
class Remote:
    """A repository at a commit, whose files are read in part; `speed` is the last one measured, bytes a second."""

    talk: Conversation
    repository: str
    commit: str
    speed: float = 0.0

    def whole(self, file: RemoteFile, why: str) -> bytes:
        """All bytes of a small file. Raises SpanlightError and Stopped."""
        return self.start(file, file.size, why)

    def start(self, file: RemoteFile, count: int, why: str, *, measure: bool = False) -> bytes:
        """A file's first `count` bytes, from the cache where it is there; with `measure` a few more may come.

        Raises SpanlightError and Stopped.
        """
        count = min(count, file.size)
        held = held_at(cache_folder(self.talk.network), self.repository, self.commit, file)
        if held is not None:
            try:
                with held.open("rb") as cached:
                    return cached.read(count)
            except OSError:
                pass  # then from the Hub
        self.talk.begin(why, most=None)
        return keep_trying(
            lambda: self._read(file, count, FIRST if measure else 0), self.talk, self.repository, file.name
        )

    def _read(self, file: RemoteFile, count: int, more: int) -> bytes:
        address = hf_hub_url(
            self.repository, file.name, revision=self.commit, endpoint=self.talk.network.endpoint
        )
        headers = build_hf_headers(token=token_of(self.talk))
        last = min(file.size, max(count, more)) - 1
        if last < 0:
            return b""
        headers["Range"] = f"bytes=0-{last}"
        data = bytearray()
        with get_session().stream("GET", address, headers=headers) as response:
            if response.status_code >= 400:
                self.talk.most = 2**20
                response.read()
            hf_raise_for_status(response)
            began, first = time.monotonic(), 0
            for piece in response.iter_bytes(_PIECE):
                self.talk.report.check()
                if not data:
                    began, first = time.monotonic(), len(piece)
                data += piece
                passed = time.monotonic() - began
                # A server may ignore the range and send all of it.
                if len(data) > last or (len(data) >= count and passed > MEASURING):
                    break
        if len(data) < count:
            raise OSError(f"only {len(data)} of {count} bytes came")
        if more and len(data) - first >= LEAST and passed > 0:
            self.speed = (len(data) - first) / passed
        return bytes(data[:count])


def missing(repository: str, file: str) -> SpanlightError:
    """What a person is told where a repository lacks a file that a model needs."""
    return SpanlightError(
        f"{repository} has no {file}.", "A model needs config.json, model.safetensors and tokenizer.json."
    )
