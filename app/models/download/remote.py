"""Reads parts of a repository's files without putting them into the cache."""

from __future__ import annotations

import time
from dataclasses import dataclass

from huggingface_hub import get_session, get_token, hf_hub_url
from huggingface_hub.utils import build_hf_headers, hf_raise_for_status

from app.core.errors import SpanlightError
from app.core.offers import RemoteFile
from app.models.download.cache import cache_folder, cached_file
from app.models.download.conversation import RequestContext
from app.models.download.trying import with_retries

# The first bytes of the weights: their header, and enough to measure the speed.
FIRST = 2 * 2**20
# Measuring takes at most this many seconds, and needs at least this many bytes.
MEASURING, LEAST = 1.0, 2**18
_PIECE = 32_768


def token_of(context: RequestContext) -> str | bool:
    """The token to send: the one saved by Hugging Face's own tools if the user allows it, else False."""
    return (get_token() or False) if context.network.use_token else False


@dataclass(slots=True)
class Remote:
    """A repository at a commit, whose files are read in part; `speed` is the last measured, in bytes a second."""

    context: RequestContext
    repository: str
    commit: str
    speed: float = 0.0

    def whole(self, file: RemoteFile, why: str) -> bytes:
        """All bytes of a small file. Raises SpanlightError and Stopped."""
        return self.start(file, file.size, why)

    def start(self, file: RemoteFile, count: int, why: str, *, measure: bool = False) -> bytes:
        """A file's first `count` bytes, from the cache if it is there; `measure` may fetch more to measure the speed.

        Raises SpanlightError and Stopped.
        """
        count = min(count, file.size)
        path = cached_file(cache_folder(self.context.network), self.repository, self.commit, file)
        if path is not None:
            try:
                with path.open("rb") as cached:
                    return cached.read(count)
            except OSError:
                pass  # then from the Hub
        self.context.begin(why, most=None)
        return with_retries(
            lambda: self._read(file, count, FIRST if measure else 0), self.context, self.repository, file.name
        )

    def _read(self, file: RemoteFile, count: int, more: int) -> bytes:
        address = hf_hub_url(
            self.repository, file.name, revision=self.commit, endpoint=self.context.network.endpoint
        )
        headers = build_hf_headers(token=token_of(self.context))
        last = min(file.size, max(count, more)) - 1
        if last < 0:
            return b""
        headers["Range"] = f"bytes=0-{last}"
        data = bytearray()
        with get_session().stream("GET", address, headers=headers) as response:
            if response.status_code >= 400:
                self.context.most = 2**20
                response.read()
            hf_raise_for_status(response)
            began, first = time.monotonic(), 0
            for piece in response.iter_bytes(_PIECE):
                self.context.report.check()
                if not data:
                    began, first = time.monotonic(), len(piece)
                data += piece
                passed = time.monotonic() - began
                # A server may ignore the range and send the whole file.
                if len(data) > last or (len(data) >= count and passed > MEASURING):
                    break
        if len(data) < count:
            raise OSError(f"only {len(data)} of {count} bytes came")
        if more and len(data) - first >= LEAST and passed > 0:
            self.speed = (len(data) - first) / passed
        return bytes(data[:count])


def missing(repository: str, file: str) -> SpanlightError:
    """The error if a repository does not have a file that a model needs."""
    return SpanlightError(
        f"{repository} has no {file}.", "A model needs config.json, model.safetensors and tokenizer.json."
    )
