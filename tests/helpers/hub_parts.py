"""What the server in hub_server.py holds and records: repositories, requests, and what is to go wrong."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


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
