"""Limits on what reading a document takes; those on the size of files are in core.kinds."""

from __future__ import annotations

# The memory of a process that reads documents, in bytes.
MEMORY = 2_000_000_000
# A PDF or a mailbox up to this size is read into memory, so that it may change or be deleted while it is open.
LARGEST_IN_MEMORY = 64_000_000
# How many code points of a book or of mails are shown.
MOST_TEXT = 20_000_000
