"""One window for one person's data: it listens for later starts, which hand it their files."""

from __future__ import annotations

import contextlib
import os

from PySide6.QtCore import QEvent, QObject, QTimer, Signal, Slot
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from app.flows.second_start import GREETING, MOST_BYTES, TAKEN, Claim, read_order

# How often a window that was opened beside a stuck one looks whether that has gone.
_AGAIN_MS = 2000


class OneWindow(QObject):
    """Listens for later starts while its claim is held.

    `asked` carries the files of one, none where the window is only to come up, and the desktop's token to come to the
    front with, which may be empty.
    """

    asked = Signal(list, str)

    def __init__(self, claim: Claim, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._claim = claim
        self._heard: dict[QLocalSocket, bytes] = {}
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._connected)
        self._again = QTimer(self)
        self._again.setInterval(_AGAIN_MS)
        self._again.timeout.connect(self._listen)
        self._listen()

    @property
    def listening(self) -> bool:
        """Whether later starts find this window."""
        return self._server.isListening()

    def close(self) -> None:
        """Listen no longer; the claim stays, as long as the window has something to keep."""
        self._again.stop()
        for socket in list(self._heard):
            socket.abort()
        self._server.close()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Listen no longer as soon as the window that this is installed on is closed."""
        if event.type() == QEvent.Type.Close:
            self.close()
        return False

    @Slot()
    def _listen(self) -> None:
        with contextlib.suppress(OSError):
            self._claim.take()
        if self._claim.held:
            self._again.stop()
            # What a window that was killed left behind: nobody else can have it, as the claim is held.
            QLocalServer.removeServer(self._claim.name)
            self._server.listen(self._claim.name)
        elif not self._again.isActive():
            self._again.start()

    @Slot()
    def _connected(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            self._heard[socket] = b""
            socket.readyRead.connect(self._read)
            socket.disconnected.connect(self._gone)
            socket.write(GREETING + b"%d\n" % os.getpid())
            socket.flush()
            self._take(socket)

    @Slot()
    def _read(self) -> None:
        socket = self.sender()
        if isinstance(socket, QLocalSocket):
            self._take(socket)

    def _take(self, socket: QLocalSocket) -> None:
        if socket not in self._heard:
            return  # whoever came has gone: the window was not to be waited for
        heard = self._heard[socket] + bytes(socket.readAll().data())
        self._heard[socket] = heard
        if len(heard) > MOST_BYTES:
            socket.abort()
        elif heard.endswith(b"\n"):
            self._heard[socket] = b""
            try:
                files, token = read_order(heard)
            except ValueError:
                socket.abort()
                return
            socket.write(TAKEN)
            socket.flush()
            self.asked.emit(files, token)

    @Slot()
    def _gone(self) -> None:
        socket = self.sender()
        if isinstance(socket, QLocalSocket):
            self._heard.pop(socket, None)
            socket.deleteLater()
