"""The text that was recognised in pictures of pages: one SQLite file, so that no page is recognised twice."""

from __future__ import annotations

import time
from pathlib import Path

from app.core.message import Message
from app.library.database import Database

_MIGRATIONS = (
    (
        """
        CREATE TABLE pages (
            sha256 TEXT NOT NULL, page INTEGER NOT NULL, text BLOB NOT NULL, PRIMARY KEY (sha256, page)
        ) WITHOUT ROWID
        """,
        "CREATE TABLE files (sha256 TEXT PRIMARY KEY, used REAL NOT NULL, size INTEGER NOT NULL) WITHOUT ROWID",
    ),
)
# Some 15,000 pages; beyond that the pages of the least recently opened files are deleted.
MOST_BYTES = 400_000_000


class RecognisedPages(Database):
    """The texts of pages by their file's SHA-256, which any thread and several processes may use.

    Every method raises SpanlightError on a disk error, and Damaged once if the file was broken.
    """

    def __init__(self, file: Path, most_bytes: int = MOST_BYTES) -> None:
        super().__init__(file, _MIGRATIONS, Message("The file of recognised pages"), durable=False)
        self._most = most_bytes

    def pages(self, sha256: str) -> dict[int, bytes]:
        """The texts of a file's pages by their number from 0, as documents.recognition writes them."""
        found = self.select("SELECT page, text FROM pages WHERE sha256 = ?", (sha256,))
        if found:
            self.change("UPDATE files SET used = ? WHERE sha256 = ?", (time.time(), sha256))
        return {int(page): bytes(text) for page, text in found}

    def put(self, sha256: str, page: int, text: bytes) -> None:
        """Store the text of a page in place of an earlier one."""
        with self.writing() as connection:
            connection.execute("INSERT OR REPLACE INTO pages VALUES (?, ?, ?)", (sha256, page, text))
            connection.execute(
                "INSERT OR REPLACE INTO files"
                " SELECT ?, ?, (SELECT sum(length(text)) FROM pages WHERE sha256 = ?)",
                (sha256, time.time(), sha256),
            )
            (size,) = connection.execute("SELECT sum(size) FROM files").fetchone()
            others = "SELECT sha256, size FROM files WHERE sha256 <> ? ORDER BY used"
            for other, freed in connection.execute(others, (sha256,)).fetchall():
                if size <= self._most:
                    break
                connection.execute("DELETE FROM pages WHERE sha256 = ?", (other,))
                connection.execute("DELETE FROM files WHERE sha256 = ?", (other,))
                size -= freed
