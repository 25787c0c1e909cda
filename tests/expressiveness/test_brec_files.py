"""BREC's graphs from our files, from the original part files and from brec_v3.npy; nothing is ever unpickled."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wlt.expressiveness.brec_files import PARTS, read_brec
from wlt.graphs import DataError

PAIRS = [("E`ow", "EhEG"), ("C~", "CF")]


def part_arrays() -> dict[str, Any]:
    """Arrays of the shapes and kinds of the originals: strings or bytes, in one column or in two."""
    flat = np.array([text for pair in PAIRS for text in pair])
    shapes = {"regular": np.array(PAIRS).astype("S"), "extension": np.array(PAIRS), "cfi": np.array(PAIRS).astype("S")}
    return {part: shapes.get(part, flat.astype("S") if part == "dr" else flat) for part in PARTS}


def write_parts(folder: Path) -> None:
    for part, array in part_arrays().items():
        np.save(folder / f"{part}.npy", array)


def whole_array() -> Any:
    """As brec_v3.npy: pair i in places 64 i and 64 i + 1, copies behind it, and then as many controls."""
    pairs = [text for i in range(400) for text in PAIRS[i % 2] * 32]
    return np.array(pairs + pairs).astype("S")


def test_part_files(tmp_path: Path) -> None:
    write_parts(tmp_path)
    pairs = read_brec(tmp_path)
    assert [part for part, _ in pairs] == [part for part in PARTS for _ in PAIRS]
    assert [(g.num_nodes, h.num_edges) for _, (g, h) in pairs[:2]] == [(6, 6), (4, 3)]


def test_our_files_and_theirs_may_stand_side_by_side(tmp_path: Path) -> None:
    write_parts(tmp_path)
    (tmp_path / "basic.npy").unlink()
    (tmp_path / "basic.g6").write_text("E`ow\nEhEG\n")
    assert len(read_brec(tmp_path)) == 2 * len(PARTS) - 1


def test_the_whole_file(tmp_path: Path) -> None:
    np.save(tmp_path / "brec_v3.npy", whole_array())
    pairs = read_brec(tmp_path)
    assert [part for part, _ in pairs] == [part for part, number in PARTS.items() for _ in range(number)]
    assert pairs[0][1][0].num_nodes == 6
    assert pairs[1][1][1].num_edges == 3


def test_the_local_data_as_original_files(data_dir: Path, tmp_path: Path) -> None:
    """The same 400 pairs whichever kind of file they come from."""
    ours = read_brec(data_dir / "expressiveness" / "brec")
    assert [part for part, _ in ours] == [part for part, number in PARTS.items() for _ in range(number)]
    for part in PARTS:
        lines = (data_dir / "expressiveness" / "brec" / f"{part}.g6").read_text().split()
        np.save(tmp_path / f"{part}.npy", np.array(lines))
    theirs = read_brec(tmp_path)
    assert all(a.same_edges(b) for (_, p), (_, q) in zip(ours, theirs, strict=True) for a, b in zip(p, q, strict=True))


class Trap:
    def __reduce__(self) -> Any:
        return os.mkdir, ("the-trap-was-sprung",)


def test_a_pickle_is_refused_and_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_parts(tmp_path)
    np.save(tmp_path / "cfi.npy", np.array([Trap()], dtype=object), allow_pickle=True)
    with pytest.raises(DataError, match=r"cfi\.npy: it holds a pickle, which wlt does not open"):
        read_brec(tmp_path)
    (tmp_path / "cfi.npy").write_bytes(pickle.dumps(Trap()))
    with pytest.raises(DataError, match=r"cfi\.npy: it is no array of numpy"):
        read_brec(tmp_path)
    assert not (tmp_path / "the-trap-was-sprung").exists()


@pytest.mark.parametrize(
    ("array", "said"),
    [
        (np.arange(4), "an array of int64"),
        (np.array(["E`ow", "EhEG", "C~"]), "3 graphs; every two are a pair"),
        (np.array(["E`ow", "E hEG"]), "entry 1: graph6 text: illegal character"),
    ],
)
def test_files_that_are_something_else(tmp_path: Path, array: Any, said: str) -> None:
    write_parts(tmp_path)
    np.save(tmp_path / "4vtx.npy", array)
    with pytest.raises(DataError, match=f"4vtx.npy: .*{said}|4vtx.npy: {said}"):
        read_brec(tmp_path)


def array_file(shape: object, content: bytes, kind: str = "<U8") -> bytes:
    """As numpy writes it, but for the shape."""
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117).encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + content


@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param(b"", "it is no array of numpy", id="empty"),
        pytest.param(bytes(range(256)) * 9, "it is no array of numpy", id="anything"),
        pytest.param(b"PK\x03\x04" + bytes(40), "it is no array of numpy", id="npz"),
        pytest.param(b"\x93NUMPY\x09\x00" + bytes(200), "its header is no numpy's", id="version"),
        pytest.param(array_file((-5,), b"abc"), "its header is no numpy's", id="negative"),
        pytest.param(array_file((10**15,), b"abc"), "its header is no numpy's", id="too large"),
        pytest.param(array_file("__import__('os')", b"abc"), "its header is no numpy's", id="code"),
        pytest.param(array_file((4,), b"\xff\xff\xff\x7f" * 4, "<U1"), "letters that are not ASCII", id="no letters"),
        pytest.param(array_file((0,), b"", "<S4"), "0 graphs; every two are a pair", id="no graphs"),
    ],
)
def test_files_that_are_broken(tmp_path: Path, content: bytes, said: str) -> None:
    write_parts(tmp_path)
    (tmp_path / "4vtx.npy").write_bytes(content)
    with pytest.raises(DataError, match=f"4vtx.npy: {said}") as error:
        read_brec(tmp_path)
    assert len(str(error.value).splitlines()) == 1


def test_a_whole_file_that_is_cut_off(tmp_path: Path) -> None:
    np.save(tmp_path / "brec_v3.npy", whole_array()[:-64])
    with pytest.raises(DataError, match=r"\[51136\] strings; BREC has 51200"):
        read_brec(tmp_path)


def test_missing_data_says_where_the_original_is_and_what_to_put_where(tmp_path: Path) -> None:
    with pytest.raises(DataError) as error:
        read_brec(tmp_path)
    for words in ("github.com/GraphPKU/BREC", "brec_v3.npy", "basic.npy", str(tmp_path), "WLT_DATA"):
        assert words in str(error.value)
    write_parts(tmp_path)
    (tmp_path / "dr.npy").unlink()
    with pytest.raises(DataError, match="dr not there"):
        read_brec(tmp_path)
