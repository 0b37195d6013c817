"""A server on this computer that speaks the Hugging Face Hub's HTTP interface over checkpoint folders.

Repository information, file resolve with redirects, ETags and ranges; large files come from a second address, as the
Hub's do from its content network. Every request is recorded, and any can be made to go wrong.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import ssl
import threading
import time
from dataclasses import dataclass, field
from fnmatch import fnmatch
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit


@dataclass
class Asked:
    """One request as the server saw it; `sent` counts the body's bytes, `at` is when it came (time.time())."""

    at: float
    method: str
    address: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    status: int = 0
    sent: int = 0

    @property
    def first_byte(self) -> int:
        """Where the range that was asked for begins, 0 without one."""
        found = re.match(r"bytes=(\d+)-", self.headers.get("range", ""))
        return int(found[1]) if found else 0


@dataclass
class Fault:
    """What goes wrong with requests whose path matches `path` (shell pattern), `times` times, -1 for always.

    `status` answers with it and no file (`code` is X-Error-Code); `cut` ends the connection after so many bytes of the
    body; `wrong` changes a byte; `rate` sends so many bytes a second; `hang` waits so many seconds before the answer;
    `stall` waits so many seconds after `cut` bytes instead of ending; `redirect` sends elsewhere; `whole` ignores
    ranges; `length` is a Content-Length that is not true; `token` wants this bearer token, else 401;
    `headers` are added to the answer.
    """

    path: str
    times: int = -1
    method: str = ""
    status: int = 0
    code: str = ""
    message: str = ""
    cut: int = -1
    wrong: bool = False
    rate: float = 0.0
    hang: float = 0.0
    stall: float = 0.0
    redirect: str = ""
    whole: bool = False
    length: int = -1
    token: str = ""
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Held:
    """A file of a repository at one commit."""

    name: str
    data: bytes
    large: bool

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    @property
    def blob(self) -> str:
        """Git's object id: of the pointer where the file is large, of the file itself otherwise."""
        data = self.data
        if self.large:
            sizes = f"oid sha256:{self.sha256}\nsize {len(data)}\n"
            data = f"version https://git-lfs.github.com/spec/v1\n{sizes}".encode()
        return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()

    @property
    def etag(self) -> str:
        return self.sha256 if self.large else self.blob

    def told(self) -> dict[str, Any]:
        """As the repository information lists it."""
        if not self.large:
            return {"rfilename": self.name, "size": len(self.data), "blobId": self.blob}
        large = {"sha256": self.sha256, "size": len(self.data), "pointerSize": 134}
        return {"rfilename": self.name, "size": len(self.data), "blobId": self.blob, "lfs": large}


@dataclass
class Repository:
    """All commits of a repository, oldest first, and what its information says beside its files."""

    name: str
    commits: dict[str, dict[str, Held]] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def main(self) -> str:
        return list(self.commits)[-1]


def files_of(folder: Path) -> dict[str, bytes]:
    """The files below a folder by their path with slashes."""
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
    }


LARGE = (".safetensors", ".bin", ".h5", ".onnx", ".pt", ".msgpack")
CHUNK = 16_384


class HubServer:
    """The server: `with HubServer() as hub: commit = hub.add("org/name", folder)`; it answers at `hub.url`.

    `certificate` is a PEM file with a certificate and its key for "localhost", whereupon it speaks https.
    """

    def __init__(self, certificate: Path | None = None) -> None:
        self.repositories: dict[str, Repository] = {}
        self.faults: list[Fault] = []
        self.asked: list[Asked] = []
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._servers = [_Server(("127.0.0.1", 0), _Answer) for _ in range(2)]
        self._scheme, self._host = ("https", "localhost") if certificate else ("http", "127.0.0.1")
        for server in self._servers:
            server.hub = self
            if certificate:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(certificate)
                server.socket = context.wrap_socket(server.socket, server_side=True)
        self._threads = [threading.Thread(target=s.serve_forever, args=(0.02,)) for s in self._servers]

    @property
    def url(self) -> str:
        """The Hub's own address."""
        return f"{self._scheme}://{self._host}:{self._servers[0].server_port}"

    @property
    def cdn(self) -> str:
        """The address that large files come from."""
        return f"{self._scheme}://{self._host}:{self._servers[1].server_port}"

    def __enter__(self) -> HubServer:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        for server, thread in zip(self._servers, self._threads, strict=True):
            server.shutdown()
            thread.join()
            server.server_close()

    def add(self, name: str, folder: Path | str | dict[str, bytes], **facts: Any) -> str:
        """Add a repository, or a commit to one, that holds a folder's files; gives the commit's id.

        `facts` go into its information: licence, languages, gated, private, disabled, tags, or anything else.
        """
        files = folder if isinstance(folder, dict) else files_of(Path(folder))
        held = {path: Held(path, data, path.endswith(LARGE)) for path, data in sorted(files.items())}
        repository = self.repositories.setdefault(name, Repository(name))
        if "licence" in facts or "languages" in facts:
            card = {"license": facts.pop("licence", None), "language": facts.pop("languages", None)}
            facts["cardData"] = {key: value for key, value in card.items() if value}
        repository.facts |= facts
        what = name + str(len(repository.commits)) + "".join(file.etag for file in held.values())
        commit = hashlib.sha1(what.encode()).hexdigest()
        repository.commits[commit] = held
        return commit

    def fail(self, path: str, **fault: Any) -> Fault:
        """Have requests whose path matches go wrong as a Fault with these fields; large files are below /cdn/."""
        made = Fault(path, **fault)
        self.faults.append(made)
        return made

    def heal(self) -> None:
        """Let everything go right again."""
        self.faults.clear()

    def requests(self, path: str = "*", method: str = "") -> list[Asked]:
        """The requests so far whose path matches a shell pattern, in the order they came."""
        with self._lock:
            return [a for a in self.asked if fnmatch(a.path, path) and method in ("", a.method)]

    def sent(self, path: str = "*") -> int:
        """How many bytes of files were sent for GET requests whose path matches."""
        return sum(asked.sent for asked in self.requests(path, "GET"))

    def take_fault(self, asked: Asked) -> Fault:
        """What goes wrong with a request; one that says no fault where nothing does."""
        with self._lock:
            self.asked.append(asked)
            for fault in self.faults:
                if fault.times and fnmatch(asked.path, fault.path) and fault.method in ("", asked.method):
                    fault.times -= 1
                    return fault
        return Fault("")

    def wait(self, seconds: float) -> None:
        """Wait, but not longer than the server runs."""
        self._stopping.wait(seconds)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    hub: HubServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes in the middle is what many tests are about."""


class _Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """The requests are recorded instead."""

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        hub = self.server.hub
        address = urlsplit(self.path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        where = f"{hub._scheme}://{headers.get('host', '')}{self.path}"
        self.asked = Asked(
            time.time(), self.command, where, unquote(address.path), parse_qs(address.query), headers
        )
        self.fault = fault = hub.take_fault(self.asked)
        if fault.hang:
            hub.wait(fault.hang)
            self.close_connection = True
        if fault.redirect:
            return self.say(302, {"Location": fault.redirect})
        if fault.token and headers.get("authorization") != f"Bearer {fault.token}":
            return self.refuse(401, "", "Invalid username or password.")
        if fault.status:
            return self.refuse(fault.status, fault.code, fault.message)
        parts = self.asked.path.strip("/").split("/")
        if parts[:2] == ["api", "models"]:
            return self.information(parts[2:])
        if parts[0] == "cdn":
            return self.file("/".join(parts[1:3]), parts[3], "/".join(parts[4:]))
        if parts[:3] == ["api", "resolve-cache", "models"]:
            return self.file("/".join(parts[3:5]), parts[5], "/".join(parts[6:]))
        if "resolve" in parts:
            at = parts.index("resolve")
            return self.resolve("/".join(parts[:at]), parts[at + 1], "/".join(parts[at + 2 :]))
        self.refuse(404, "", "Not Found")

    def information(self, parts: list[str]) -> None:
        revision = parts[parts.index("revision") + 1] if "revision" in parts else "main"
        name = "/".join(parts[: parts.index("revision")] if "revision" in parts else parts)
        repository = self.server.hub.repositories.get(name)
        if repository is None:
            return self.refuse(401, "RepoNotFound", "Repository not found")
        commit = repository.main if revision == "main" else revision
        if commit not in repository.commits:
            return self.refuse(404, "RevisionNotFound", f"Invalid rev id: {revision}")
        held = repository.commits[commit].values()
        files = [f.told() if "blobs" in self.asked.query else {"rfilename": f.name} for f in held]
        facts = {"private": False, "gated": False, "disabled": False, "tags": ["transformers", "safetensors"]}
        told = {"_id": "0", "id": name, "modelId": name, "sha": commit, "siblings": files}
        body = json.dumps(facts | told | repository.facts).encode()
        self.say(200, {"Content-Type": "application/json", "ETag": f'W/"{len(body)}"'}, body)

    def resolve(self, name: str, revision: str, path: str) -> None:
        repository = self.server.hub.repositories.get(name)
        if repository is None:
            return self.refuse(401, "RepoNotFound", "Repository not found")
        commit = repository.main if revision == "main" else revision
        if commit not in repository.commits:
            return self.refuse(404, "RevisionNotFound", f"Invalid rev id: {revision}")
        file = repository.commits[commit].get(path)
        if file is None:
            return self.refuse(404, "EntryNotFound", "Entry not found", {"X-Repo-Commit": commit})
        place = quote(f"{name}/{commit}/{path}")
        headers = {"X-Repo-Commit": commit, "X-Linked-Size": str(len(file.data)), "Accept-Ranges": "bytes"}
        headers["X-Linked-Etag"] = f'"{file.etag}"'
        if file.large:
            headers["Location"] = f"{self.server.hub.cdn}/cdn/{place}?signature=secret"
            return self.say(302, headers)
        headers["Location"] = f"/api/resolve-cache/models/{place}?etag=secret"
        self.say(307, headers)

    def file(self, name: str, commit: str, path: str) -> None:
        """A file's bytes, or the range of them that was asked for."""
        file = self.server.hub.repositories[name].commits[commit][path]
        data, status = file.data, 200
        if self.fault.wrong:
            data = data[:-1] + bytes([data[-1] ^ 1])
        headers = {"X-Repo-Commit": commit, "ETag": f'"{file.etag}"', "Accept-Ranges": "bytes"}
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.asked.headers.get("range", ""))
        if not file.large and "gzip" in self.asked.headers.get("accept-encoding", ""):
            return self.say(200, headers | {"Content-Encoding": "gzip"}, gzip.compress(data))
        if asked and not self.fault.whole:
            first, last = int(asked[1]), min(int(asked[2] or len(data) - 1), len(data) - 1)
            if first > last:
                return self.say(416, headers | {"Content-Range": f"bytes */{len(data)}"})
            headers["Content-Range"] = f"bytes {first}-{last}/{len(data)}"
            data, status = data[first : last + 1], 206
        self.say(status, headers | {"Content-Type": "application/octet-stream"}, data)

    def refuse(self, status: int, code: str, message: str, headers: dict[str, str] | None = None) -> None:
        told = {"X-Error-Code": code, "X-Error-Message": message} if code or message else {}
        body = json.dumps({"error": message or f"status {status}"}).encode()
        self.say(status, (headers or {}) | told | {"Content-Type": "application/json"}, body)

    def say(self, status: int, headers: dict[str, str], body: bytes = b"") -> None:
        """Send an answer, as the fault has it."""
        fault = self.fault
        self.asked.status = status
        self.send_response(status)
        for name, value in (headers | fault.headers).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if fault.length < 0 else fault.length))
        self.end_headers()
        if self.command == "HEAD":
            return
        ends = len(body) if fault.cut < 0 else min(fault.cut, len(body))
        step = CHUNK if not fault.rate else max(1, min(CHUNK, int(fault.rate / 20)))
        for first in range(0, ends, step):
            part = body[first : min(first + step, ends)]
            self.wfile.write(part)
            self.asked.sent += len(part)
            if fault.rate:
                self.server.hub.wait(len(part) / fault.rate)
        if ends < len(body) or fault.length >= 0:
            self.server.hub.wait(fault.stall)
            self.close_connection = True
