"""Puts network errors into one sentence for the user, with the next step."""

from __future__ import annotations

import errno
import socket
import ssl
from collections.abc import Iterator
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx2

from app.core.message import Message
from app.core.network import Network, host_of, without_password
from app.core.wording import duration
from app.models.disk.copying import refusal
from app.models.download.orders import Limits, NetworkFault
from app.models.download.repositories import shown

KEPT = Message("What was fetched is kept, and the download goes on from there.")
# Server errors and other transient ones.
TRANSIENT = (408, 500, 502, 503, 504)
_NO_NETWORK = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN)
_CHECK_CONNECTION = Message("Check the connection, then try again.")
_NOT_FOUND = (Message("{host} cannot be found: there seems to be no network."), _CHECK_CONNECTION)
_NOT_REACHED = (
    Message("{host} cannot be reached."), Message("Check the connection and the address, then try again."),
)  # fmt: skip
# By the cause in the words of the ledger: a sentence whose values are to be filled in, and a hint.
_UNANSWERED: dict[str, tuple[Message, Message]] = {
    "certificate not trusted": (
        Message("{host} shows a certificate that this computer does not trust."),
        Message("Where your network looks into traffic, give its certificate file under Models, Network."),
    ),
    "no secure connection": (
        Message("No secure connection to {host} could be made."), Message("Check the address and the proxy."),
    ),
    "name not found": _NOT_FOUND,
    "no network": _NOT_FOUND,
    "refused": _NOT_REACHED,
    "no connection": _NOT_REACHED,
    "no connection in time": (Message("{host} gave no connection in {time}."), _CHECK_CONNECTION),
    "no answer in time": (Message("{host} sent nothing for {time}."), Message("Try again.")),
}  # fmt: skip


def chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error, its cause, the cause of that, and so on."""
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        yield found
        found = found.__cause__ or found.__context__


def status_of(error: BaseException) -> int:
    """The HTTP status of the response that an error is about, 0 without one."""
    for each in chain(error):
        response = getattr(each, "response", None)
        if isinstance(response, httpx2.Response):
            return response.status_code
    return 0


def cause_in_words(error: BaseException) -> str:
    """Why no response came, in a few words for the ledger."""
    for each in chain(error):
        match each:
            case ssl.SSLCertVerificationError():
                return Message("certificate not trusted")
            case ssl.SSLError():
                return Message("no secure connection")
            case socket.gaierror():
                return Message("name not found")
            case ConnectionRefusedError():
                return Message("refused")
            case OSError() if each.errno in _NO_NETWORK:
                return Message("no network")
    for each in chain(error):
        match each:
            case httpx2.ProxyError():
                return Message("proxy refused")
            case httpx2.ConnectTimeout():
                return Message("no connection in time")
            case httpx2.TimeoutException():
                return Message("no answer in time")
            case httpx2.ConnectError():
                return Message("no connection")
    return Message("broken off")


def fault_of(
    error: Exception, network: Network, limits: Limits, repository: str, file: str = ""
) -> NetworkFault:
    """The NetworkFault for an error of huggingface_hub, httpx2 or the disk; `file` is the file concerned, if any.

    Any other error is raised again.
    """
    status = status_of(error)
    if status:
        return _of_status(error, status, network, repository, file)
    for each in chain(error):
        if isinstance(each, httpx2.TransportError):
            return unanswered(each, network, limits)
        if isinstance(each, (httpx2.TooManyRedirects, httpx2.DecodingError, httpx2.InvalidURL)):
            return no_hub(network)
    if isinstance(error, OSError) and error.errno is None:  # fewer bytes came than expected
        return _broken_off(network)
    if isinstance(error, OSError):
        disk_error = refusal(error, Message("{file} could not be downloaded", file=file or repository))
        return NetworkFault(disk_error.message, disk_error.hint, resumes=True)
    raise error


def no_hub(network: Network) -> NetworkFault:
    """The error if the responses are not those of a Hub."""
    return NetworkFault(
        Message("{host} does not answer as a Hub does.", host=host_of(network.endpoint)),
        Message(
            "Check the Hub's address under Models, Network; a login page of the network may stand in between."
        ),
    )


def gated(network: Network, repository: str) -> NetworkFault:
    """The error for a gated model, which is given only to registered users."""
    return NetworkFault(
        Message(
            "The owner of {repository} gives it only to people who have registered.", repository=repository
        ),
        Message(
            "Register at {address}, sign in with Hugging Face's own tool (hf auth login), and let Spanlight use it "
            "under Models, Network.",
            address=f"{network.endpoint}/{repository}",
        ),
    )


def too_many_requests(network: Network, seconds: float) -> NetworkFault:
    """The error if a server asks to wait longer than the limit."""
    host = host_of(network.endpoint)
    if seconds < 0:
        return NetworkFault(
            Message("{host} has too many requests from here.", host=host),
            Message("Try again in some minutes."),
        )
    return NetworkFault(
        Message(
            "{host} has too many requests from here and asks to wait {time}.",
            host=host,
            time=duration(max(1.0, seconds)),
        ),
        Message("Try again after that."),
        resumes=True,
    )


def _of_status(error: Exception, status: int, network: Network, repository: str, file: str) -> NetworkFault:
    host = host_of(network.endpoint)
    kinds = {type(each).__name__ for each in chain(error)}
    if "DisabledRepoError" in kinds:
        return NetworkFault(
            Message("{host} has switched {repository} off.", host=host, repository=repository),
            Message("Choose another model."),
        )
    if "GatedRepoError" in kinds or status == 403:
        return gated(network, repository)
    if "RevisionNotFoundError" in kinds:
        return NetworkFault(
            Message(
                "{host} does not have that version of {repository} any more.",
                host=host,
                repository=repository,
            ),
            Message("Look the model up again."),
        )
    if "RemoteEntryNotFoundError" in kinds or (file and status in (404, 410)):
        gone = Message("{repository} does not have that file any more.", repository=repository)
        if file:
            gone = Message("{repository} does not have {file} any more.", repository=repository, file=file)
        return NetworkFault(gone, Message("Look the model up again."))
    if "RepositoryNotFoundError" in kinds or status in (401, 404, 410):
        if network.use_token and status == 401:
            return NetworkFault(
                Message("{host} does not show {repository} to you.", host=host, repository=repository),
                Message(
                    "Check the name, or sign in with Hugging Face's own tool (hf auth login), and let Spanlight use it "
                    "under Models, Network."
                ),
            )
        return NetworkFault(
            Message(
                "{host} has no model {repository}, or shows it only to people who sign in.",
                host=host,
                repository=repository,
            ),
            Message(
                "Check the name. Where you have access: sign in with Hugging Face's own tool (hf auth login), and let "
                "Spanlight use it under Models, Network."
            ),
        )
    if status == 416:
        return NetworkFault(
            Message("{host} has less of {file} than it said.", host=host, file=file or repository),
            Message("Look the model up again."),
        )
    return of_any_status(status, network)


def of_any_status(status: int, network: Network) -> NetworkFault:
    """The error for a status that says nothing about the repository or file."""
    host = host_of(network.endpoint)
    if status == 407:
        return NetworkFault(
            Message("The proxy wants a name and a password."),
            Message("Write them as http://name:password@host:port."),
        )
    if status >= 500:
        return NetworkFault(
            Message(
                "{host} has a fault of its own at the moment (status {status}).", host=host, status=status
            ),
            Message("Try again later."),
            resumes=True,
        )
    return NetworkFault(
        Message("{host} answered with status {status}.", host=host, status=status),
        Message("Try again later."),
    )


def unanswered(error: httpx2.TransportError, network: Network, limits: Limits) -> NetworkFault:
    """The error if no response came."""
    words = cause_in_words(error)
    unreached = words in ("refused", "name not found", "no connection")
    if unreached and not network.proxy and (systems := systems_proxy(network)):
        return NetworkFault(
            Message(
                "The proxy {proxy}, which this computer's settings name, cannot be reached.",
                proxy=systems,
            ),
            Message("Check it in the system's settings, or name another one under Models, Network."),
        )
    if words == "proxy refused" or (unreached and network.proxy):
        proxy = shown(without_password(network.proxy).rpartition("://")[2])
        refused = Message("The proxy of this computer does not let the request through.")
        if proxy:
            refused = Message("The proxy {proxy} does not let the request through.", proxy=proxy)
        return NetworkFault(refused, Message("Check it under Models, Network."))
    if words not in _UNANSWERED:
        return _broken_off(network)
    sentence, hint = _UNANSWERED[words]
    time = duration(limits.connect if words == "no connection in time" else limits.read)
    sentence = sentence.filled(host=host_of(network.endpoint), time=time)
    return NetworkFault(sentence, hint, resumes=words == "no answer in time")


def systems_proxy(network: Network) -> str:
    """The proxy that the system's settings name for the Hub, without its password; empty for none."""
    parts = urlsplit(network.endpoint)
    found = getproxies()
    proxy = found.get(parts.scheme) or found.get("all") or ""
    if not proxy or proxy_bypass(parts.hostname or ""):
        return ""
    return shown(without_password(proxy).rpartition("://")[2])


def _broken_off(network: Network) -> NetworkFault:
    return NetworkFault(
        Message("The connection to {host} broke off again and again.", host=host_of(network.endpoint)),
        Message("Try again."),
        resumes=True,
    )
