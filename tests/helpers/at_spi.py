"""What a screen reader on Linux does: it asks windows over the accessibility bus what stands in them."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from jeepney import DBusAddress, MatchRule, Properties, new_method_call
from jeepney.io.blocking import DBusConnection, open_dbus_connection
from jeepney.low_level import MessageType

_SPI = "org.a11y.atspi"
_REGISTRY = DBusAddress(f"/{_SPI.replace('.', '/')}/registry", f"{_SPI}.Registry", f"{_SPI}.Registry")
_DESKTOP = (f"{_SPI}.Registry", "/org/a11y/atspi/accessible/root")
# Numbers of AT-SPI's state bits.
STATES = {
    "checked": 4,
    "editable": 7,
    "enabled": 8,
    "focusable": 11,
    "focused": 12,
    "selected": 23,
    "showing": 25,
}


class Bus:
    """The accessibility bus of a session; `heard` are the words that were announced on it."""

    def __init__(self, session: str) -> None:
        with open_dbus_connection(session) as first:
            launcher = DBusAddress("/org/a11y/bus", "org.a11y.Bus", "org.a11y.Bus")
            reply = first.send_and_get_reply(new_method_call(launcher, "GetAddress"), timeout=20)
        self._connection: DBusConnection = open_dbus_connection(str(reply.body[0]))
        self.heard: list[str] = []
        rule = MatchRule(type="signal", interface=f"{_SPI}.Event.Object", member="Announcement")
        bus = DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")
        self._ask(new_method_call(bus, "AddMatch", "s", (rule.serialise(),)))
        self._ask(new_method_call(_REGISTRY, "RegisterEvent", "sass", ("object:announcement", [], "")))

    def close(self) -> None:
        """Leave the bus."""
        self._connection.close()

    def call(self, place: tuple[str, str], interface: str, method: str, kinds: str = "", *values: Any) -> Any:
        """The first value that a method of a thing on the bus returns."""
        address = DBusAddress(place[1], place[0], f"{_SPI}.{interface}")
        body = self._ask(new_method_call(address, method, kinds or None, values))
        return body[0] if body else None

    def get(self, place: tuple[str, str], interface: str, name: str) -> Any:
        """A property of a thing on the bus."""
        address = DBusAddress(place[1], place[0], f"{_SPI}.{interface}")
        return self._ask(Properties(address).get(name))[0][1]

    def windows(self) -> list[Thing]:
        """The windows of all programs."""
        programs = self.call(_DESKTOP, "Accessible", "GetChildren")
        return [window for program in programs for window in Thing(self, tuple(program)).children()]

    def _ask(self, message: Any) -> Any:
        """The body of the reply; announcements that come in before it are noted."""
        with self._connection.filter(MatchRule(type="signal"), bufsize=500) as signals:
            reply = self._connection.send_and_get_reply(message, timeout=20)
            while signals:
                self._note(signals.popleft())
        if reply.header.message_type is MessageType.error:
            raise RuntimeError(str(reply.body))
        return reply.body

    def listen(self, seconds: float) -> None:
        """Note what is announced for a while."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            try:
                self._note(self._connection.receive(timeout=left))
            except TimeoutError:
                return

    def _note(self, message: Any) -> None:
        if (
            message.header.message_type is MessageType.signal
            and "Announcement" in message.header.fields.values()
        ):
            self.heard.append(str(message.body[3][1]))


@dataclass(frozen=True)
class Thing:
    """One thing of a window, by its program and its path on the bus."""

    bus: Bus
    place: tuple[str, str]

    @property
    def name(self) -> str:
        return str(self.bus.get(self.place, "Accessible", "Name"))

    @property
    def description(self) -> str:
        return str(self.bus.get(self.place, "Accessible", "Description"))

    @property
    def role(self) -> str:
        return str(self.bus.call(self.place, "Accessible", "GetRoleName"))

    def has(self, state: str) -> bool:
        """Whether it is in one of STATES."""
        low, high = self.bus.call(self.place, "Accessible", "GetState")
        return bool((low | high << 32) >> STATES[state] & 1)

    def children(self) -> list[Thing]:
        return [Thing(self.bus, tuple(one)) for one in self.bus.call(self.place, "Accessible", "GetChildren")]

    def everything(self, most: int = 40) -> Iterator[Thing]:
        """It and all below it that is showing, at most so many children of each."""
        yield self
        for child in self.children()[:most]:
            if child.has("showing"):
                yield from child.everything(most)

    def find(self, role: str, name: str = "") -> Thing:
        """The first thing below it of a role whose name begins so."""
        return next(one for one in self.everything() if one.role == role and one.name.startswith(name))

    def labels(self) -> list[str]:
        """The names of what labels it."""
        relations = self.bus.call(self.place, "Accessible", "GetRelationSet")
        return [Thing(self.bus, tuple(one)).name for kind, others in relations if kind == 2 for one in others]

    def text(self) -> str:
        """The text in it."""
        return str(self.bus.call(self.place, "Text", "GetText", "ii", 0, -1))

    def caret(self) -> int:
        """The position of the caret in its text."""
        return int(self.bus.get(self.place, "Text", "CaretOffset"))

    def type(self, text: str) -> None:
        """Put a text into it."""
        self.bus.call(self.place, "EditableText", "SetTextContents", "s", text)

    def act(self) -> None:
        """Do the first thing that can be done with it."""
        self.bus.call(self.place, "Action", "DoAction", "i", 0)

    def focus(self) -> None:
        """Put the keyboard focus on it."""
        self.bus.call(self.place, "Component", "GrabFocus")


@contextmanager
def session_bus() -> Iterator[str]:
    """The address of a message bus of its own, as long as this lasts."""
    process = subprocess.Popen(
        ["dbus-run-session", "--", "sh", "-c", "echo $DBUS_SESSION_BUS_ADDRESS; cat >/dev/null"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.stdin.close()
        process.wait(10)


def until(what: Callable[[], Any], seconds: float = 60) -> Any:
    """What comes to be, asked for again until it is there."""
    end = time.monotonic() + seconds
    while True:
        try:
            if found := what():
                return found
        except (RuntimeError, StopIteration):  # the window is still being filled
            pass
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.1)
