"""How much a document may take: the size of its file, and the memory of the process that reads it."""

from __future__ import annotations

from app.core.layout import Kind

MEMORY = 2_000_000_000

# A web page or a Markdown file needs a tree, and a block for each paragraph. Real ones of 20 MB take 0.4 to 0.9 GB,
# lists of five words an item 1.7 GB; a smaller one of only tags or cells may take more than there is. A Word file may
# be full of pictures: 200 MB of its text's XML take 1.6 GB. Of spreadsheets and CSV the cells count, too
# (sheets.rows.MOST_CELLS).
MOST_BYTES = {
    Kind.TEXT: 64_000_000,
    Kind.MARKDOWN: 20_000_000,
    Kind.HTML: 20_000_000,
    Kind.DOCX: 200_000_000,
    Kind.ODT: 200_000_000,
    Kind.RTF: 64_000_000,
    Kind.PPTX: 200_000_000,
    Kind.ODP: 200_000_000,
    Kind.XLSX: 200_000_000,
    Kind.XLS: 100_000_000,
    Kind.ODS: 200_000_000,
    Kind.CSV: 64_000_000,
    Kind.PDF: 1_000_000_000,
    Kind.IMAGE: 200_000_000,
    Kind.EPUB: 200_000_000,
    Kind.EML: 100_000_000,
    Kind.MBOX: 1_000_000_000,
    Kind.MSG: 100_000_000,
}
# A PDF or a mailbox up to this size is read into memory, so that it may change or be deleted while it is open.
LARGEST_IN_MEMORY = 64_000_000
# How many code points of a book or of mails are shown.
MOST_TEXT = 20_000_000
# Of mails: how many of one file are shown, how large one of them may be, and how many bytes and files of their
# attachments are read.
MOST_MAILS = 20_000
LONGEST_MAIL = 50_000_000
MOST_BYTES_ATTACHED = 100_000_000
MOST_FILES_ATTACHED = 500
