"""How much a document may take; how large its file may be is in core.kinds."""

from __future__ import annotations

# Bytes of memory of the process that reads it.
MEMORY = 2_000_000_000
# A PDF or a mailbox up to this size is read into memory, so that it may change or be deleted while it is open.
LARGEST_IN_MEMORY = 64_000_000
# How many code points of a book or of mails are shown.
MOST_TEXT = 20_000_000
