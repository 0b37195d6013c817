"""PDFs under a password: the standard security handler's first kind, RC4 with 40 bits (ISO 32000-1, 7.6.3)."""

from __future__ import annotations

import hashlib

from tests.helpers.small_pdfs import pdf_of

_PAD = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")
_MAY_DO_ALL = b"\xfc\xff\xff\xff"
_ID = b"0123456789abcdef"


def locked_pdf(words: str, password: str, owner: str = "owner", handler: str = "Standard") -> bytes:
    """A page that says `words` and opens with either password; any opens it where `password` is empty."""
    user = (password.encode() + _PAD)[:32]
    by_owner = _rc4(hashlib.md5((owner.encode() + _PAD)[:32]).digest()[:5], user)
    key = hashlib.md5(user + by_owner + _MAY_DO_ALL + _ID).digest()[:5]
    content = f"BT /F 14 Tf 72 700 Td ({words}) Tj ET".encode()
    # Each object has a key of its own, made with its number.
    content = _rc4(hashlib.md5(key + (4).to_bytes(3, "little") + b"\0\0").digest()[:10], content)
    bodies = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< /Filter /%s /V 1 /R 2 /P -4 /O <%s> /U <%s> >>"
        % (handler.encode(), by_owner.hex().encode(), _rc4(key, _PAD).hex().encode()),
    ]
    identity = _ID.hex().encode()
    return pdf_of(bodies, b"/Encrypt 6 0 R /ID [<%s> <%s>]" % (identity, identity))


def _rc4(key: bytes, data: bytes) -> bytes:
    state = list(range(256))
    other = 0
    for place in range(256):
        other = (other + state[place] + key[place % len(key)]) % 256
        state[place], state[other] = state[other], state[place]
    out, one, other = bytearray(), 0, 0
    for byte in data:
        one = (one + 1) % 256
        other = (other + state[one]) % 256
        state[one], state[other] = state[other], state[one]
        out.append(byte ^ state[(state[one] + state[other]) % 256])
    return bytes(out)
