"""Mutated inputs: every one is decided by its number, so a failure is found again by the number alone."""

from __future__ import annotations

import numpy as np

WORDS = [
    *(b"", b"\n", b"\r\n", b"\0", b" ", b",", b";", b"\t", b"#", b"%", b"0", b"-1", b"1e999", b"nan", b"-nan", b"inf"),
    *(b"2147483648", b"4294967296", b"9223372036854775808", b"1" + b"0" * 30, b"1" + b"0" * 400, b"9" * 5000),
    *(b"\xff\xfe", b"\xef\xbb\xbf", b"\xff", b"\xc3\x28", b"\xed\xa0\x80", b"\\ud800", b"\\u0000", b"\xf0\x9f\x98\x80"),
    *(b"[" * 3000, b"{" * 3000, b'{"a":' * 2000, b"(" * 3000, b"<a>" * 2000, b"]", b"}", b'"', b"'", b"<", b">", b"&"),
    *(
        b"~~~~~~~~",
        b"~~??????",
        b":",
        b"&",
        b">>graph6<<",
        b"../../x",
        b"/etc/passwd",
        b"=1+1",
        b"%s%n",
        b"$(x)",
        b"null",
    ),
    *(
        b"true",
        b"[]",
        b"{}",
        b"x" * 5000,
        b"a b" * 2000,
        b"\x1f\x8b\x08",
        b"PK\x03\x04",
        b"<!DOCTYPE a [",
        b"<!ENTITY b '",
    ),
]
LONGEST = 200_000
"""Bytes of an input."""


def mutated(seeds: list[bytes], number: int, salt: int) -> bytes:
    """One of the seeds with one to eight changes; every fiftieth is a seed as it is."""
    random = np.random.default_rng([salt, number])
    data = bytearray(seeds[int(random.integers(len(seeds)))])
    if number % 50 == 0:
        return bytes(data)
    for _ in range(int(random.integers(1, 9))):
        place, size = int(random.integers(len(data) + 1)), int(random.integers(1, 2 ** int(random.integers(1, 8))))
        kind = int(random.integers(8))
        if kind == 0 and data:
            data[place % len(data)] ^= 1 << int(random.integers(8))
        elif kind == 1 and data:
            data[place % len(data)] = int(random.integers(256))
        elif kind == 2:
            del data[place : place + size]
        elif kind == 3:
            data[place:place] = data[place : place + size]
        elif kind == 4:
            data[place:place] = WORDS[int(random.integers(len(WORDS)))]
        elif kind == 5:
            data[place : place + size] = WORDS[int(random.integers(len(WORDS)))]
        elif kind == 6:
            other = seeds[int(random.integers(len(seeds)))]
            begin = int(random.integers(len(other) + 1))
            data[place : place + size] = other[begin : begin + size]
        else:
            data[place:place] = random.bytes(size % 16 + 1)
    return bytes(data[:LONGEST])
