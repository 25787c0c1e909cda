"""CSV files as tables: what is read, and what is refused."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wlt.data import DataError
from wlt.data.table import read_table, usable_rows

CELLS = st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]), max_size=6)


@given(st.lists(st.lists(CELLS.map(str.strip), min_size=2, max_size=2), min_size=1, max_size=5))
def test_what_the_csv_module_writes_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]]
) -> None:
    path = tmp_path_factory.mktemp("table") / "t.csv"
    text = io.StringIO()
    csv.writer(text).writerows([["a", "b"], *rows])
    path.write_bytes(text.getvalue().encode())
    filled = [row for row in rows if any(cell.strip() for cell in row)]
    if not filled:
        with pytest.raises(DataError, match="no rows"):
            read_table(path)
        return
    table = read_table(path)
    assert table.columns == ["a", "b"]
    assert table.rows == filled


@pytest.mark.parametrize("separator", [",", ";", "\t"], ids=["comma", "semicolon", "tab"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["unix", "windows"])
def test_separators_and_line_ends(tmp_path: Path, separator: str, newline: str) -> None:
    lines = [separator.join(cells) for cells in (["\ufeffsmiles", "y"], ["CC", "1"], [], ["CO", " 2 "])]
    (tmp_path / "t.csv").write_bytes(newline.join(lines).encode())
    table = read_table(tmp_path / "t.csv")
    assert (table.columns, table.rows, table.lines) == (["smiles", "y"], [["CC", "1"], ["CO", "2"]], [2, 4])


def test_lines_are_those_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('a,b\n"one\ntwo",1\n\nx,2\n')
    assert read_table(tmp_path / "t.csv").lines == [2, 5]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b"", "the file is empty", id="empty"),
        pytest.param(b" \n\n", "the file is empty", id="blank"),
        pytest.param(b"smiles,y\n", r"no rows below the names of the columns \(smiles, y\)", id="header only"),
        pytest.param(b",,,\n", "nothing but empty cells", id="commas"),
        pytest.param(b"a,b,a\n1,2,3\n", "two columns are named 'a'", id="repeated"),
        pytest.param(b"a,b\n\xff\xfe,1\n", "line 2: byte 0xff is no UTF-8 text", id="no text"),
        pytest.param(b"a,b\n\0,1\n", "a zero byte", id="zero byte"),
        pytest.param(b'a,b\n"x" y,1\n', "line 2: not readable as CSV", id="quotes"),
        pytest.param(b"a,b\n" + b"x" * 200_000 + b",1\n", "not readable as CSV: field larger", id="huge cell"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(DataError, match=message) as caught:
        read_table(tmp_path / "t.csv")
    assert str(tmp_path / "t.csv") in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="No such file"):
        read_table(tmp_path / "t.csv")
    with pytest.raises(DataError, match="directory"):
        read_table(tmp_path)


def test_a_wrong_column_is_answered_with_those_there_are(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("smiles,Active,name\nC,1,x\n")
    table = read_table(tmp_path / "t.csv")
    with pytest.raises(DataError, match="no column 'active'; there are: 'smiles', 'Active', 'name'"):
        usable_rows(table, 0, "active")
    with pytest.raises(DataError, match="column 'smiles' holds the graphs"):
        usable_rows(table, 0, "smiles")


@pytest.mark.parametrize(
    ("cells", "labels"),
    [
        pytest.param(["1", "0", "-12"], [1, 0, -12], id="whole numbers"),
        pytest.param(["1", "a"], ["1", "a"], id="mixed"),
        pytest.param(["01", "1"], ["01", "1"], id="leading zero"),
        pytest.param(["1.0", "0.0"], [1.0, 0.0], id="decimals"),
        pytest.param(["1", "-2.5e-3", "inf"], [1.0, -0.0025, float("inf")], id="numbers"),
        pytest.param(["9" * 30, "1"], ["9" * 30, "1"], id="too large"),
        pytest.param(["yes", "no"], ["yes", "no"], id="words"),
    ],
)
def test_labels_are_whole_numbers_other_numbers_or_text(tmp_path: Path, cells: list[str], labels: list[Any]) -> None:
    (tmp_path / "t.csv").write_text("g,y\n" + "".join(f"x,{cell}\n" for cell in cells))
    assert usable_rows(read_table(tmp_path / "t.csv"), 0, "y").labels.tolist() == labels  # type: ignore[union-attr]


def test_several_targets_are_columns_of_numbers_with_gaps(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("g,a,b,c\nx,1,,u\ny,,2.5,v\nz,,NA,w\n")
    table = read_table(tmp_path / "t.csv")
    numbers, keys, labels, names, unreadable = usable_rows(table, 0, ["a", "b"])
    assert (numbers, keys, names) == ([0, 1], ["x", "y"], ("a", "b"))
    assert labels is not None
    assert str(labels.tolist()) == "[[1.0, nan], [nan, 2.5]]"
    assert [str(row) for row in unreadable] == ["line 4: 'z': no value in any of the target columns"]
    with pytest.raises(DataError, match=r"t\.csv, line 2: 'u' in column 'c' is no number; several targets are columns"):
        usable_rows(table, 0, ["a", "c"])
    with pytest.raises(DataError, match="the target 'a' is named twice"):
        usable_rows(table, 0, ["a", "a"])


def test_rows_without_graph_label_or_shape_are_listed(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("g,y\nx,1\n,1\ny,\nz\nw,0,0\nv,0\nu,NaN\nt,NA\n")
    rows, _, labels, _, unreadable = usable_rows(read_table(tmp_path / "t.csv"), 0, "y")
    assert labels is not None
    assert (rows, labels.tolist()) == ([0, 5], [1, 0])
    assert [str(row) for row in unreadable] == [
        "line 3: '': nothing in column 'g'",
        "line 4: 'y': no label in column 'y'",
        "line 5: 'z': 1 cell, but there are 2 columns",
        "line 6: 'w,0,0': 3 cells, but there are 2 columns",
        "line 8: 'u': no label in column 'y'",
        "line 9: 't': no label in column 'y'",
    ]
