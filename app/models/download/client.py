"""The HTTP client of the download process, which records every request in the ledger and refuses unsafe addresses."""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from http.cookiejar import DefaultCookiePolicy
from pathlib import Path
from urllib.parse import urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx2
import truststore

from app.core.about import NAME, VERSION
from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.network import endpoint_remark, without_password
from app.models.download.context import NoAnswer, RequestContext, TooManyRequests
from app.models.download.errors import cause_in_words
from app.models.download.ledger import Ledger
from app.models.download.repositories import shown

_PORTS = {"http": 80, "https": 443}


def make_client(context: RequestContext) -> httpx2.Client:
    """The client for one order. Raises SpanlightError for invalid network settings."""
    client = httpx2.Client(
        transport=GuardedTransport(context),
        follow_redirects=True,
        max_redirects=8,
        trust_env=False,
        timeout=None,
    )
    client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))  # no cookies are stored or sent
    return client


def check_endpoint(address: str) -> None:
    """Raise SpanlightError if the Hub's address is invalid."""
    if not address or endpoint_remark(address).bad:
        raise SpanlightError(
            Message("{address} is no address of a Hub.", address=shown(without_password(address))),
            Message("Write it as https://huggingface.co, or leave it empty."),
        )


class GuardedTransport(httpx2.BaseTransport):
    """Sends requests: recorded first, with Spanlight's own user agent, and never redirected to a less safe address."""

    def __init__(self, context: RequestContext) -> None:
        self._context = context
        self._ledger = Ledger(context.network.ledger)
        self._trust = _trust(context.network.certificates)
        self._own_proxy = _proxy_address(context.network.proxy)
        self._transports: dict[str, httpx2.HTTPTransport] = {}

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request. Raises NoAnswer, TooManyRequests, SpanlightError."""
        limits = self._context.limits
        if request.url.scheme not in _PORTS or not request.url.host:
            raise _unsafe_redirect(str(request.url), self._context.feed)
        request.headers["user-agent"] = f"{NAME}/{VERSION}"
        # No compression: ranges and sizes are those of the file itself.
        request.headers["accept-encoding"] = "identity"
        if not self._may_send_token(request.url):
            request.headers.pop("authorization", None)
        times = {"connect": limits.connect, "read": limits.read, "write": limits.read, "pool": limits.connect}
        request.extensions = {**request.extensions, "timeout": times}
        transport = self._transport_for(request.url)
        note = _Note(self._ledger, request, self._context.why)
        try:
            response = transport.handle_request(request)
        except httpx2.TransportError as error:
            note.end(cause_in_words(error))
            raise NoAnswer(error) from error
        except BaseException:
            note.end(Message("given up"))
            raise
        note.status = response.status_code
        response.stream = _Counted(response.stream, self._context, note)
        try:
            self._check(request, response)
        except BaseException as refusal:
            note.error = getattr(refusal, "message", "") or Message("refused")
            response.close()
            raise
        return response

    def close(self) -> None:
        """Close all connections."""
        for transport in self._transports.values():
            transport.close()

    def _check(self, request: httpx2.Request, response: httpx2.Response) -> None:
        target = response.headers.get("location", "") if 300 <= response.status_code < 400 else ""
        if target:
            target = urljoin(str(request.url), target)
            scheme = urlsplit(target).scheme
            safe = scheme == "https" or (scheme == "http" == request.url.scheme and not self._context.feed)
            if not safe:
                raise _unsafe_redirect(target, self._context.feed)
        if response.status_code == 429:
            raise TooManyRequests(retry_after(response.headers))

    def _may_send_token(self, url: httpx2.URL) -> bool:
        """Whether the user's token may be sent to a URL: only to the chosen Hub, and only encrypted or locally."""
        network = self._context.network
        safe = url.scheme == "https" or url.host in ("127.0.0.1", "localhost", "::1")
        return (
            network.use_token
            and not self._context.feed
            and safe
            and _origin(str(url)) == _origin(network.endpoint)
        )

    def _transport_for(self, url: httpx2.URL) -> httpx2.HTTPTransport:
        proxy = self._own_proxy
        if not proxy and not proxy_bypass(url.host):
            known = getproxies()
            proxy = _proxy_address(known.get(url.scheme) or known.get("all") or "")
        if proxy not in self._transports:
            self._transports[proxy] = httpx2.HTTPTransport(
                verify=self._trust, proxy=proxy or None, trust_env=False, http2=False
            )
        return self._transports[proxy]


class _Note:
    """A request in the ledger, whose second line is written only once."""

    def __init__(self, ledger: Ledger, request: httpx2.Request, why: str) -> None:
        parts = request.url.copy_with(query=None, fragment=None, username=None, password=None)
        self._ledger, self._began = ledger, time.monotonic()
        self.status, self.received, self.error = 0, 0, ""
        self._name: str | None = ledger.sending(request.method, str(parts), why)

    def end(self, error: str = "") -> None:
        name, self._name = self._name, None
        if name is not None:
            passed = time.monotonic() - self._began
            self._ledger.ended(name, self.status, self.received, passed, error or self.error)


class _Counted(httpx2.SyncByteStream):
    """A response's body: counted, limited in size, and recorded in the ledger when it ends."""

    def __init__(self, body: object, context: RequestContext, note: _Note) -> None:
        assert isinstance(body, httpx2.SyncByteStream)
        self._body, self._context, self._note = body, context, note

    def __iter__(self) -> Iterator[bytes]:
        try:
            for chunk in self._body:
                self._note.received += len(chunk)
                if self._context.most is not None and self._note.received > self._context.most:
                    raise _too_large(self._context.feed)
                yield chunk
        except httpx2.TransportError as error:
            self._note.error = cause_in_words(error)
            raise NoAnswer(error) from error

    def close(self) -> None:
        try:
            self._body.close()
        finally:
            self._note.end()


def retry_after(headers: httpx2.Headers) -> float:
    """The seconds that a response asks to wait, -1 if it does not say.

    Retry-After in seconds or as a date (RFC 9110, section 10.2.3), or `t` of the Hub's RateLimit header.
    """
    value = headers.get("retry-after", "").strip()
    if value.isdecimal() and len(value) < 12:
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        pass
    for part in headers.get("ratelimit", "").split(";"):
        name, _, number = part.strip().partition("=")
        if name == "t" and number.isdecimal() and len(number) < 12:
            return float(number)
    return -1.0


def _origin(address: str) -> tuple[str, str, int]:
    try:
        parts = urlsplit(address)
        return parts.scheme, (parts.hostname or "").lower(), parts.port or _PORTS.get(parts.scheme, 0)
    except ValueError:
        return "", address, 0


def _too_large(feed: bool) -> SpanlightError:
    if feed:
        return SpanlightError(
            Message("The answer is larger than any announcement of new versions."),
            Message("Check the address."),
        )
    return SpanlightError(
        Message("The answer is larger than any that a Hub gives."),
        Message("Check the Hub's address under Models, Network."),
    )


def _unsafe_redirect(target: str, feed: bool) -> SpanlightError:
    if feed:
        return SpanlightError(
            Message("The address sends on to {target}, which is not safe to follow.", target=shown(target)),
            Message("Check the address; what it sends on to should begin with https."),
        )
    return SpanlightError(
        Message(
            "The Hub sends the download on to {target}, which is not safe to follow.", target=shown(target)
        ),
        Message("Check the Hub's address under Models, Network; it should begin with https."),
    )


def _trust(file: str) -> ssl.SSLContext:
    """The certificate authorities to trust: those of a PEM file, else the system's."""
    if not file:
        return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        return ssl.create_default_context(cafile=Path(file).expanduser())
    except (OSError, ValueError) as fault:
        raise SpanlightError(
            Message("{file} holds no certificates that can be read.", file=shown(file)),
            Message("Choose a PEM file under Models, Network, or leave it empty."),
        ) from fault


def _proxy_address(typed: str) -> str:
    """A proxy's address with its scheme, empty for none. Raises SpanlightError for an invalid one."""
    if not typed:
        return ""
    address = typed if "://" in typed else f"http://{typed}"
    try:
        parts = urlsplit(address)
        good = parts.scheme in _PORTS and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        good = False
    if not good:
        raise SpanlightError(
            Message("{address} is no proxy that can be used.", address=shown(without_password(address))),
            Message("Write it as http://name:port under Models, Network."),
        )
    return address
