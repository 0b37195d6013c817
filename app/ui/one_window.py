"""One window for one person's data: a second start hands its files to the window that is open."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtNetwork import QLocalServer, QLocalSocket

# Milliseconds: to find out whether there is a window, and for it to take the files.
_CONNECT, _ANSWER = 300, 3000
_MOST_BYTES = 1 << 20
_TAKEN = b"taken\n"


def name_of(data: Path) -> str:
    """What the window that keeps its data in this folder is called on this computer."""
    return f"spanlight-{hashlib.sha256(str(data).encode('utf-8', 'surrogateescape')).hexdigest()[:20]}"


def hand_over(name: str, files: list[Path]) -> bool:
    """Hand files to the window of this name, which comes up; False where there is none, or none that answers."""
    socket = QLocalSocket()
    socket.connectToServer(name)
    if not socket.waitForConnected(_CONNECT):
        return False
    socket.write(json.dumps([str(file.absolute()) for file in files]).encode("ascii") + b"\n")
    answer = b""
    while _TAKEN not in answer and socket.waitForReadyRead(_ANSWER):
        answer += bytes(socket.readAll().data())
    return _TAKEN in answer


class OneWindow(QObject):
    """Listens for later starts; `asked` carries the files of one, none where the window is only to come up."""

    asked = Signal(list)

    def __init__(self, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._heard: dict[QLocalSocket, bytes] = {}
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._connected)
        if not self._server.listen(name):
            # What a window that was killed left behind.
            QLocalServer.removeServer(name)
            self._server.listen(name)

    def close(self) -> None:
        """Listen no longer."""
        self._server.close()

    @Slot()
    def _connected(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            self._heard[socket] = b""
            socket.readyRead.connect(self._read)
            socket.disconnected.connect(self._gone)
            self._take(socket)

    @Slot()
    def _read(self) -> None:
        socket = self.sender()
        if isinstance(socket, QLocalSocket):
            self._take(socket)

    def _take(self, socket: QLocalSocket) -> None:
        heard = self._heard.get(socket, b"") + bytes(socket.readAll().data())
        self._heard[socket] = heard
        if len(heard) > _MOST_BYTES:
            socket.abort()
        elif heard.endswith(b"\n"):
            self._heard[socket] = b""
            try:
                names = [str(name) for name in json.loads(heard)]
            except (ValueError, TypeError, RecursionError):
                socket.abort()
                return
            socket.write(_TAKEN)
            socket.flush()
            self.asked.emit([Path(name) for name in names])

    @Slot()
    def _gone(self) -> None:
        socket = self.sender()
        if isinstance(socket, QLocalSocket):
            self._heard.pop(socket, None)
            socket.deleteLater()
