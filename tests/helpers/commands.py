"""What the tests of the command line share: a document, and what running a command gives."""

from __future__ import annotations

from collections.abc import Callable

TEXT = "\ufeffThe King sat.\r\nThe Knave of Hearts 👩‍👩‍👧 stole the tarts. Nobody saw it.\r\n"
DECODED = TEXT[1:].replace("\r\n", "\n")
# Runs a command in this process: exit code, standard output, standard error.
Command = Callable[..., tuple[int, str, str]]
