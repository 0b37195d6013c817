"""Keeps to one window for each data folder: it listens for later starts, which hand it their files."""

from __future__ import annotations

import contextlib
import os

from PySide6.QtCore import QEvent, QObject, QTimer, Signal, Slot
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from app.flows.second_start import GREETING, MOST_BYTES, TAKEN, Claim, read_order

# How often a window that was opened beside a hung one checks whether that has ended.
_CLAIM_EVERY_MS = 2000


class OneWindow(QObject):
    """Listens for later starts while the claim on the data folder is held.

    `requested` carries the files of a later start, none where the window is only to come to the front, and the
    desktop's activation token for that, which may be empty.
    """

    requested = Signal(list, str)

    def __init__(self, claim: Claim, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._claim = claim
        self._received: dict[QLocalSocket, bytes] = {}
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._connected)
        self._claim_timer = QTimer(self, interval=_CLAIM_EVERY_MS)
        self._claim_timer.timeout.connect(self._listen)
        self._listen()

    @property
    def listening(self) -> bool:
        """Whether later starts find this window."""
        return self._server.isListening()

    def close(self) -> None:
        """Stop listening; the claim is kept until the window has saved its data."""
        self._claim_timer.stop()
        for socket in list(self._received):
            socket.abort()
        self._server.close()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stop listening as soon as the window that this filter is installed on is closed."""
        if event.type() == QEvent.Type.Close:
            self.close()
        return False

    @Slot()
    def _listen(self) -> None:
        with contextlib.suppress(OSError):
            self._claim.take()
        if self._claim.held:
            self._claim_timer.stop()
            # A killed window may have left its socket; as the claim is held here, nobody uses it.
            QLocalServer.removeServer(self._claim.name)
            self._server.listen(self._claim.name)
        elif not self._claim_timer.isActive():
            self._claim_timer.start()

    @Slot()
    def _connected(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            self._received[socket] = b""
            socket.readyRead.connect(self._read)
            socket.disconnected.connect(self._disconnected)
            socket.write(GREETING + b"%d\n" % os.getpid())
            socket.flush()
            self._take(socket)

    @Slot()
    def _read(self) -> None:
        socket = self.sender()
        if isinstance(socket, QLocalSocket):
            self._take(socket)

    def _take(self, socket: QLocalSocket) -> None:
        if socket not in self._received:
            return  # the other start has ended without waiting
        received = self._received[socket] + bytes(socket.readAll().data())
        self._received[socket] = received
        if len(received) > MOST_BYTES:
            socket.abort()
        elif received.endswith(b"\n"):
            self._received[socket] = b""
            try:
                files, token = read_order(received)
            except ValueError:
                socket.abort()
                return
            socket.write(TAKEN)
            socket.flush()
            self.requested.emit(files, token)

    @Slot()
    def _disconnected(self) -> None:
        socket = self.sender()
        if isinstance(socket, QLocalSocket):
            self._received.pop(socket, None)
            socket.deleteLater()
