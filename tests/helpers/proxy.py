"""A proxy on this computer that remembers what went through it."""

from __future__ import annotations

import socket
import threading
from urllib.parse import urlsplit


class Proxy:
    """A proxy for plain requests and for CONNECT; `asked` holds the first line of each."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._server = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._server.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._server.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._server.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, near: socket.socket) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            if not (part := near.recv(65_536)):
                return
            head += part
        line, _, rest = head.partition(b"\r\n")
        self.asked.append(line.decode())
        method, address, version = line.decode().split()
        tunnel = method == "CONNECT"
        parts = urlsplit(f"//{address}" if tunnel else address)
        far = socket.create_connection((parts.hostname, parts.port))
        if tunnel:
            near.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        else:
            # One request for one connection, so that each is seen.
            path = address.partition("://")[2].partition("/")[2]
            rest = rest.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1).replace(
                b"keep-alive", b"close"
            )
            far.sendall(f"{method} /{path} {version}\r\n".encode() + rest)
        back = threading.Thread(target=self._answer, args=(far, near, tunnel), daemon=True)
        back.start()
        self._pump(near, far)

    def _answer(self, far: socket.socket, near: socket.socket, tunnel: bool) -> None:
        try:
            head = b""
            # The client is told that this connection ends: it would send its next request into a closed one.
            while not tunnel and b"\r\n" not in head:
                if not (part := far.recv(65_536)):
                    return
                head += part
            near.sendall(head.replace(b"\r\n", b"\r\nConnection: close\r\n", 1))
        except OSError:
            return
        self._pump(far, near)

    def _pump(self, source: socket.socket, target: socket.socket) -> None:
        try:
            while part := source.recv(65_536):
                target.sendall(part)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass
