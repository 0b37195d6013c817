"""Looks up a repository's passport; only its list of files and the first bytes of some are fetched."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

from huggingface_hub import HfApi, ModelInfo, get_session, hf_hub_url
from huggingface_hub.utils import build_hf_headers, hf_raise_for_status

from app.core import wording
from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.models import ModelCard
from app.core.network import host_of
from app.core.offers import Passport, RemoteFile
from app.models.disk.card import TOKENIZER_CONFIG, card_from
from app.models.disk.config import CONFIG, LONGEST_CONFIG, parse_config
from app.models.disk.copying import LARGEST_MODEL, free_space, is_text, longest
from app.models.disk.tokenizer import TOKENIZER
from app.models.disk.vocabulary_files import can_make
from app.models.disk.weights import (
    INDEX,
    LONGEST_JSON,
    PICKLES,
    SINGLE,
    Tensor,
    Weights,
    header_length,
    merge_shards,
    parse_header,
    shard_names,
)
from app.models.download.cache import cache_folder, cached_file
from app.models.download.context import RequestContext
from app.models.download.errors import gated, no_hub, status_of
from app.models.download.orders import LookUp, NetworkFault
from app.models.download.repositories import (
    COMMIT,
    DIGEST,
    is_hostile,
    is_repository,
    may_be_fetched,
    needed,
    repository_of,
    shown,
)

MOST_FILES = 20_000
# Most models' headers fit; a second request fetches the rest of a longer one.
HEADER = 65_536
# To measure the speed, at most this many seconds and bytes are spent, and at least this many bytes needed.
SECONDS, MOST, LEAST = 1.0, 2 * 2**20, 2**18
_CHUNK = 32_768


def look_up(order: LookUp, context: RequestContext) -> Passport:
    """The passport of a repository; if Spanlight refuses the model, it has the reason in place of a card.

    Raises SpanlightError if nothing can be learned about it: no such name, no network, and so on. Raises Stopped.
    """
    wanted = repository_of(order.repository, order.network.endpoint)
    if order.commit and not COMMIT.fullmatch(order.commit):
        raise SpanlightError(
            Message("{commit} is no commit's id.", commit=shown(order.commit)),
            Message("Leave it out to take the newest."),
        )
    context.set_status(Message("Looking up {name}", name=wanted))
    context.begin(Message("Look up {name}", name=wanted))
    info = context.retried(lambda: _information(wanted, order.commit, context), wanted)
    passport = _without_card(info, order, context)
    remote = _Remote(context, passport.repository, passport.commit)
    try:
        _check(info, passport, context)
        listed = _listed(info, passport)
        context.set_status(Message("Looking into {name}", name=passport.repository))
        files, card = _inspected(listed, passport, remote)
    except NetworkFault as fault:
        if not passport.gated:
            raise
        return replace(passport, refused=fault.message, hint=fault.hint)
    except SpanlightError as refusal:
        return replace(passport, refused=refusal.message, hint=refusal.hint)
    return replace(passport, files=files, card=card, speed=remote.speed)


def _information(repository: str, commit: str, context: RequestContext) -> ModelInfo:
    """The Hub's information on a repository, with its files' sizes and checksums."""
    api = HfApi(endpoint=context.network.endpoint)
    try:
        info = api.model_info(repository, revision=commit or None, files_metadata=True, token=context.token)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        if status_of(error):  # some of huggingface_hub's own errors are ValueErrors
            raise
        raise no_hub(context.network) from error
    well_formed = isinstance(info.id, str) and isinstance(info.sha, str) and isinstance(info.siblings, list)
    if not well_formed or not is_repository(info.id) or not COMMIT.fullmatch(info.sha or ""):
        raise no_hub(context.network)
    if commit and info.sha != commit:
        raise no_hub(context.network)
    return info


def _without_card(info: ModelInfo, order: LookUp, context: RequestContext) -> Passport:
    facts: dict[str, Any] = {}
    card_data = info.card_data
    if card_data is not None and hasattr(card_data, "to_dict"):
        facts = card_data.to_dict()
    return Passport(
        repository=str(info.id),
        commit=str(info.sha),
        endpoint=order.network.endpoint,
        card=None,
        files=(),
        licence=_licence(facts),
        languages=_words(facts.get("language")),
        gated=bool(info.gated),
        free_disk=free_space(cache_folder(context.network)) or 0,
    )


def _check(info: ModelInfo, passport: Passport, context: RequestContext) -> None:
    """Raise SpanlightError for a repository that is not available, or whose list of files cannot be trusted."""
    name = passport.repository
    if info.disabled:
        raise SpanlightError(
            Message(
                "{host} has switched {repository} off.",
                host=host_of(context.network.endpoint),
                repository=name,
            ),
            Message("Choose another model."),
        )
    if passport.gated and not context.token:
        raise gated(context.network, name)
    names = [sibling.rfilename for sibling in info.siblings or ()]
    if len(names) > MOST_FILES:
        raise SpanlightError(
            Message("{name} has {n:,} files, which no model needs.", name=name, n=len(names)),
            Message("Choose another model."),
        )
    hostile = next((file for file in names if not isinstance(file, str) or is_hostile(file)), None)
    if hostile is not None:
        raise SpanlightError(
            Message(
                "{name} names a file that leads out of its folder: {file}.",
                name=name,
                file=ascii(hostile)[:80],
            ),
            Message("Do not use this model."),
        )


def _listed(info: ModelInfo, passport: Passport) -> dict[str, RemoteFile]:
    """The files of a repository that may be needed, with sizes and checksums, by name."""
    found: dict[str, RemoteFile] = {}
    for sibling in info.siblings or ():
        name, large = sibling.rfilename, sibling.lfs
        if not may_be_fetched(name):
            continue
        size = large.size if large is not None else sibling.size
        digest = large.sha256 if large is not None else sibling.blob_id
        if type(size) is not int or not 0 <= size < 2**50 or not DIGEST.fullmatch(str(digest)):
            raise SpanlightError(
                Message(
                    "The Hub tells no size and checksum of {name}, so it could not be checked.", name=name
                ),
                Message("Choose another model, or another address of the Hub."),
            )
        if size > longest(name):
            if is_text(name):
                continue
            raise SpanlightError(
                Message("{name} has {size}, more than any model's.", name=name, size=wording.size(size)),
                Message("Choose another model."),
            )
        if (len(str(digest)) == 64) != (large is not None):
            raise SpanlightError(
                Message("The Hub tells a checksum of {name} that is none.", name=name),
                Message("Choose another model."),
            )
        file = RemoteFile(name, size, *((digest, "") if large is not None else ("", digest)))
        found[name] = file
    names = [sibling.rfilename for sibling in info.siblings or ()]
    if SINGLE not in found and INDEX not in found:
        pickle = next((file for file in sorted(names) if file.endswith(PICKLES)), None)
        if pickle is not None:
            raise SpanlightError(
                Message(
                    "{name} holds its weights only as {file}, a format that can carry programs.",
                    name=passport.repository,
                    file=pickle[:80],
                ),
                Message("Look for a version with model.safetensors."),
            )
        raise _missing(passport.repository, SINGLE)
    return found


def _inspected(
    listed: dict[str, RemoteFile], passport: Passport, remote: _Remote
) -> tuple[tuple[RemoteFile, ...], ModelCard]:
    """The files to download, and the model's card, read from its config and its weights' headers."""
    name = passport.repository
    why = Message("Look into {name}", name=name)
    if CONFIG not in listed:
        raise _missing(name, CONFIG)
    config = remote.start(listed[CONFIG], LONGEST_CONFIG, why)
    parse_config(config, name.rpartition("/")[2])  # refuse it before fetching more
    lengths = remote.start(listed[TOKENIZER_CONFIG], LONGEST_JSON, why) if TOKENIZER_CONFIG in listed else b""
    chosen = list(needed(listed))
    if SINGLE in listed:
        weights = Weights(_header(listed[SINGLE], remote, why, measure=True))
    else:
        parts = shard_names(remote.start(listed[INDEX], LONGEST_JSON, why), name)
        missing_shard = next((shard for shard in parts if shard not in listed), None)
        if missing_shard is not None:
            raise _missing(name, missing_shard)
        largest = max(parts, key=lambda shard: listed[shard].size)
        headers = {shard: _header(listed[shard], remote, why, measure=shard == largest) for shard in parts}
        weights = merge_shards(parts, headers, name)
        chosen += parts
    card = card_from(name.rpartition("/")[2], config, weights, tokenizer_config=lengths)
    if TOKENIZER not in listed and not can_make(listed, card.family):
        raise SpanlightError(
            Message("{name} has no tokenizer.json, and no vocabulary that one can be made from.", name=name),
            Message("Look for a version of this model that has one."),
        )
    cache = cache_folder(remote.context.network)
    files = tuple(
        replace(file, cached=cached_file(cache, name, passport.commit, file) is not None)
        for file in (listed[each] for each in chosen)
    )
    size = sum(file.size for file in files)
    if size > LARGEST_MODEL:
        raise SpanlightError(
            Message("{name} is larger than any model that Spanlight reads.", name=name),
            Message("Choose a smaller one."),
        )
    return files, replace(card, size=size, licence=passport.licence, languages=passport.languages)


@dataclass(slots=True)
class _Remote:
    """Reads parts of a repository's files at a commit; `speed` is the last one measured, in bytes a second."""

    context: RequestContext
    repository: str
    commit: str
    speed: float = 0.0

    def start(self, file: RemoteFile, count: int, why: str, *, measure: bool = False) -> bytes:
        """A file's first `count` bytes, from the cache if it is there; to `measure` the speed more may be fetched.

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
        return self.context.retried(
            lambda: self._read(file, count, MOST if measure else 0), self.repository, file.name
        )

    def _read(self, file: RemoteFile, count: int, more: int) -> bytes:
        address = hf_hub_url(
            self.repository, file.name, revision=self.commit, endpoint=self.context.network.endpoint
        )
        headers = build_hf_headers(token=self.context.token)
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
            for chunk in response.iter_bytes(_CHUNK):
                self.context.report.check()
                if not data:
                    began, first = time.monotonic(), len(chunk)
                data += chunk
                passed = time.monotonic() - began
                # A server may ignore the range and send the whole file.
                if len(data) > last or (len(data) >= count and passed > SECONDS):
                    break
        if len(data) < count:
            raise OSError(f"only {len(data)} of {count} bytes came")
        if more and len(data) - first >= LEAST and passed > 0:
            self.speed = (len(data) - first) / passed
        return bytes(data[:count])


def _missing(repository: str, file: str) -> SpanlightError:
    """The error for a repository that lacks a file that a model needs."""
    return SpanlightError(
        Message("{repository} has no {file}.", repository=repository, file=file),
        Message("A model needs config.json, model.safetensors and tokenizer.json."),
    )


def _header(file: RemoteFile, remote: _Remote, why: str, *, measure: bool) -> dict[str, Tensor]:
    start = remote.start(file, HEADER, why, measure=measure)
    end = 8 + header_length(start, file.size, file.name)
    if end > len(start):
        start = remote.start(file, end, why)
    return parse_header(start, file.size, file.name)


def _licence(facts: dict[str, Any]) -> str:
    """The licence as the repository states it; one that the Hub does not list is given by its own name."""
    stated = _words(facts.get("license"))
    named = _words(facts.get("license_name")) if stated in ((), ("other",)) else ()
    return ", ".join(named or stated)


def _words(value: object) -> tuple[str, ...]:
    """The words of a value that a repository states as a word or a list of words; anything else is ignored."""
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list):
        return ()
    words = [shown(word) for word in value[:200] if isinstance(word, str) and word.strip()]
    return tuple(dict.fromkeys(words))
