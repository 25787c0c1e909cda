"""What all readers of text ask: is it text, and can it mean that many nodes?"""

from __future__ import annotations

FREE_NODES = 2**22
"""A text may always name this many nodes. Beyond it, at most 16 for each of its bytes: a few damaged characters
can claim billions of isolated nodes."""


def check_size(num_nodes: int, size: int) -> None:
    """Refuse to allocate for nodes that a text of this size hardly can mean."""
    if num_nodes > max(FREE_NODES, 16 * size):
        raise ValueError(f"{num_nodes} nodes in a text of {size} bytes: too many to be meant; is it damaged?")


def decoded(data: bytes) -> str:
    """UTF-8 with any line ends; ValueError with the number of the line that is none."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(f"line {line}: byte {data[error.start]:#x} is no UTF-8 text") from None
    if "\0" in text:
        raise ValueError(f"line {text[: text.index(chr(0))].count(chr(10)) + 1}: a zero byte; this is no text file")
    return text.replace("\r\n", "\n").replace("\r", "\n")
