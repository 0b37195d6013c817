"""Runs Tesseract as the program `tesseract` where the package tesserocr is missing.

A confined process may start no program. Before it is confined it therefore splits off a helper, which starts nothing
but `tesseract`, with a limit on memory and time, and gives it nothing but pixels: the helper itself writes what makes a
file of them, because the program would take other bytes for another format, or for a list of files to read.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from threading import Thread
from typing import IO

from selectolax.lexbor import LexborHTMLParser, LexborNode

from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.plain import json_of
from app.documents.orders import MEMORY
from app.documents.recognition.words import (
    MOST_PIXELS,
    SAUVOLA,
    SYSTEM_FOLDERS,
    Languages,
    Letter,
    PagePicture,
    RecognisedWord,
    Row,
    letters_of,
    require,
    word_of,
)

_MOST_SECONDS, _LOOKS_EVERY = 60, 0.2
_NAMES = re.compile(r"[A-Za-z_]+(?:\+[A-Za-z_]+)*")
_LINES = ".ocr_line, .ocr_header, .ocr_caption, .ocr_textfloat"
_VARIABLES = "tessedit_create_hocr=1", "hocr_char_boxes=1", f"thresholding_method={SAUVOLA}"
_OPTIONS = ["--psm", "3", "--oem", "1", *(word for each in _VARIABLES for word in ("-c", each))]

# A function that runs the program: it takes languages, dots per inch, pixels per row and grey pixels, and returns the
# program's answer (hOCR), empty where it fails.
Run = Callable[[Languages, int, int, bytes], bytes]


def runner(folder: str) -> Run | None:
    """A `Run` with the languages in `folder` and those of the system; None without the need for one, or a program.

    To be called before this process is confined, and before it has a second thread.
    """
    program = None if find_spec("tesserocr") else shutil.which("tesseract")
    if program is None:
        return None
    if sys.platform != "linux":  # there is no confinement
        return partial(_answer, program)
    ours, theirs = Pipe()
    if os.fork() == 0:
        _help(program, theirs, (folder, *SYSTEM_FOLDERS))
    theirs.close()

    def run(where: Languages, dpi: int, width: int, pixels: bytes) -> bytes:
        try:
            ours.send_bytes(json_of([*where, dpi, width]).encode())
            ours.send_bytes(pixels)
            return ours.recv_bytes()
        except (OSError, EOFError):  # the helper has ended
            return b""

    return run


def is_installed() -> bool:
    """Whether text in pictures can be recognised here, by the library or the program."""
    return find_spec("tesserocr") is not None or shutil.which("tesseract") is not None


def version() -> str:
    """The version of Tesseract, of the library or else of the program."""
    if find_spec("tesserocr"):
        import tesserocr

        return str(tesserocr.tesseract_version().split()[1])
    program = shutil.which("tesseract")
    if program is None:
        return "missing, so that no text in pictures is recognised"
    output = _output([program, "--version"]).decode("utf-8", "replace").split()
    return f"{output[1] if len(output) > 1 else 'broken'} ({program})"


class Program:
    """The engine that runs the program."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def slope(self, picture: PagePicture, where: Languages) -> float | None:
        """None: the program gives lines only with their words."""
        return None

    def words(self, picture: PagePicture, where: Languages) -> Iterator[RecognisedWord]:
        """The words of a picture, line by line.

        Raises SpanlightError where a language is missing, or the program fails or takes too long.
        """
        require(where)
        width, stride = picture.width, picture.stride
        rows = (picture.pixels[stride * row : stride * row + width] for row in range(picture.height))
        answer = self._run(where, picture.dpi, width, b"".join(rows))
        if not answer:
            raise SpanlightError(
                Message("Text in pictures cannot be recognised: the program tesseract breaks off."),
                Message("Install it again, or a newer one."),
            )
        yield from _words(answer)

    def close(self) -> None:
        """Do nothing: the helper ends with this process."""


def _help(program: str, asked: Connection, folders: tuple[str, ...]) -> None:
    """Answer requests until the other end is gone, then end this process.

    A file may have taken over the other end: a request that is not as `runner` sends it ends this process too.
    """
    try:
        os.closerange(3, asked.fileno())  # the connections to the parent among them
        os.closerange(asked.fileno() + 1, 65_536)
        while True:
            folder, names, dpi, width = json.loads(asked.recv_bytes(10_000))
            pixels = asked.recv_bytes(MOST_PIXELS)
            if folder not in folders or not _NAMES.fullmatch(names) or len(pixels) % width:
                return
            # The other end sends nothing before it has its answer: what can be read before that is its end.
            asked.send_bytes(_answer(program, Languages(folder, names), int(dpi), width, pixels, asked.poll))
    finally:
        os._exit(0)


def _limit() -> None:
    """Limit the memory and time of a program that is about to begin, and keep it from writing to files."""
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (2 * _MOST_SECONDS, 2 * _MOST_SECONDS))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def _never() -> bool:
    return False


def _answer(
    program: str,
    where: Languages,
    dpi: int,
    width: int,
    pixels: bytes,
    is_stopped: Callable[[], bool] = _never,
) -> bytes:
    languages = ["--tessdata-dir", where.folder, "-l", where.names]
    picture = b"P5 %d %d 255\n" % (width, len(pixels) // width) + pixels  # a PGM file
    command = [program, "stdin", "stdout", *languages, "--dpi", str(dpi), *_OPTIONS]
    return _output(command, picture, _limit if sys.platform == "linux" else None, is_stopped)


def _output(
    command: list[str],
    given: bytes = b"",
    before: Callable[[], None] | None = None,
    is_stopped: Callable[[], bool] = _never,
) -> bytes:
    """A program's output; empty if it fails, takes too long or is stopped. Its process calls `before` first."""
    # A bundle's libraries must not get into the system's programs, and threads that share a line only wait.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LD_")}
    try:
        running = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment | {"OMP_THREAD_LIMIT": "1"},
            preexec_fn=before,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except (OSError, subprocess.SubprocessError):
        return b""
    with running:
        giving, running.stdin = running.stdin, None
        assert giving is not None
        giver = Thread(target=_give, args=(giving, given))
        giver.start()
        try:
            return _written_by(running, is_stopped)
        finally:
            running.kill()
            giver.join()


def _give(to: IO[bytes], given: bytes) -> None:
    with suppress(OSError), to:  # it may end before
        to.write(given)


def _written_by(running: subprocess.Popen[bytes], is_stopped: Callable[[], bool]) -> bytes:
    """A program's output once it has ended; empty if it fails, takes too long, or is stopped."""
    until = time.monotonic() + _MOST_SECONDS
    while time.monotonic() < until and not is_stopped():
        try:
            written, _ = running.communicate(timeout=_LOOKS_EVERY)
        except subprocess.TimeoutExpired:
            continue
        return written if running.returncode == 0 else b""
    return b""


def _words(hocr: bytes) -> Iterator[RecognisedWord]:
    """The words of hOCR, HTML that has positions in its titles (http://kba.github.io/hocr-spec/1.2)."""
    for line in LexborHTMLParser(hocr.decode("utf-8", "replace")).css(_LINES):
        row, begins_line = _row(line), True
        for each in line.css(".ocrx_word") if row is not None else ():
            sure = next(iter(_numbers(each, "x_wconf")), 0.0)
            letters: list[Letter] = []
            for symbol in each.css(".ocrx_cinfo"):
                box = _numbers(symbol, "x_bboxes")
                if len(box) == 4:
                    letters += letters_of(symbol.text().strip(), round(box[0]), round(box[2]))
            assert row is not None
            if (word := word_of(letters, row, sure, begins_line)) is not None:
                begins_line = False
                yield word


def _row(line: LexborNode) -> Row | None:
    """The position of a line; None for one that runs up or down."""
    box, base = _numbers(line, "bbox"), _numbers(line, "baseline")
    height, low = _numbers(line, "x_size"), _numbers(line, "x_descenders")
    if len(box) != 4 or len(base) != 2 or not height or _numbers(line, "textangle"):
        return None
    left, _, right, bottom = box
    slope, above = base
    return Row(
        (left, bottom + above),
        (right, bottom + above + slope * (right - left)),
        height[0],
        abs(low[0]) if low else 0.0,
    )


def _numbers(part: LexborNode, name: str) -> list[float]:
    """The numbers of a property in an element's title; none without it, or where they are no numbers."""
    for found in (part.attributes.get("title") or "").split(";"):
        words = found.split()
        if words and words[0] == name:
            try:
                numbers = [float(word) for word in words[1:]]
            except ValueError:
                return []
            return numbers if all(abs(number) <= MOST_PIXELS for number in numbers) else []
    return []
