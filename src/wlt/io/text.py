"""What all readers of text ask: is it text, and can it mean that many nodes?"""

from __future__ import annotations

import codecs

FREE_NODES = 2**22
"""A text may always name this many nodes. Beyond it, at most 16 for each of its bytes: a few damaged characters
can claim billions of isolated nodes."""


def check_size(num_nodes: int, size: int) -> None:
    """Refuse to allocate for nodes that a text of this size hardly can mean."""
    if num_nodes > max(FREE_NODES, 16 * size):
        raise ValueError(f"{num_nodes} nodes in a text of {size} bytes: too many to be meant; is it damaged?")


def decoded(data: bytes) -> str:
    """UTF-8, or UTF-16 that says so, with any line ends; ValueError with the number of the line that is none."""
    utf16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = data.decode("utf-16" if utf16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = "UTF-16, as the file begins" if utf16 else "UTF-8"
        raise ValueError(
            f"line {line}: byte {data[error.start]:#x} is no {what} text; save the file as UTF-8"
        ) from None
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        if len(text) > 3 and text.count("\0") > len(text) // 3:
            raise ValueError("every other byte is zero: this is UTF-16 that does not say so; save the file as UTF-8")
        raise ValueError(f"line {line}: a zero byte; this is no text file")
    return text.replace("\r\n", "\n").replace("\r", "\n")
