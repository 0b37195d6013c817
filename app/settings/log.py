"""The log file: errors with their tracebacks, for developers."""

from __future__ import annotations

import logging
from contextlib import suppress
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

_FORMAT = "%(asctime)s %(levelname)s %(name)s (%(threadName)s): %(message)s"


class _Log(RotatingFileHandler):
    """The handler of the log file, which other users cannot read: it names files, and may quote their content.

    If the file cannot be written, nothing is logged and nothing is reported.
    """

    def _open(self) -> TextIOWrapper:
        stream = super()._open()
        with suppress(OSError):  # the file is another user's, who lets us write it
            Path(self.baseFilename).chmod(0o600)
        return stream

    def handleError(self, record: logging.LogRecord) -> None:
        """Do nothing; logging would print a traceback to standard error."""

    def close(self) -> None:
        """Close the file; what could not be written is lost."""
        with suppress(OSError):
            super().close()


def start_log(path: Path) -> None:
    """Log to a file of at most 1 MB, with two older ones next to it.

    A further call switches to another file. If the folder is not writable, there is no log.
    """
    logger = logging.getLogger("app")
    for old in [each for each in logger.handlers if isinstance(each, RotatingFileHandler)]:
        logger.removeHandler(old)
        old.close()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handler = _Log(path, maxBytes=1_000_000, backupCount=2, encoding="utf-8")
        handler.setFormatter(logging.Formatter(_FORMAT))
    except OSError:
        handler = None
    logger.setLevel(logging.INFO)
    logger.propagate = False
    logger.addHandler(handler or logging.NullHandler())


def log_bug(fault: BaseException) -> None:
    """Log an unexpected exception, with its traceback."""
    logging.getLogger("app.bug").error("uncaught %s", type(fault).__name__, exc_info=fault)
