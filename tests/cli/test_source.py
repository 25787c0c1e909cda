"""DATA on the command line: one function decides what it is, says what it took it for, and suggests near misses."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import threading
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from wlt.cli import COMPILING
from wlt.cli.source import recognize

MOLECULES = "smiles,y\nCCO,0\nCCC,1\nCO,0\n"


def wlt_command(*arguments: object, stdin: bytes = b"", **environment: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "wlt", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        env={**os.environ, **environment},
        timeout=120,
    )
    said = [line for line in done.stderr.decode().splitlines(keepends=True) if COMPILING not in line]
    return done.returncode, done.stdout.decode(), "".join(said)


def tu_folder(folder: Path, name: str = "RINGS") -> Path:
    folder.mkdir(parents=True)
    parts = {"A": "1, 2\n2, 1\n3, 4\n4, 3\n", "graph_indicator": "1\n1\n2\n2\n", "graph_labels": "0\n1\n"}
    for part, text in parts.items():
        (folder / f"{name}_{part}.txt").write_text(text)
    return folder


NEEDS_RDKIT = pytest.mark.skipif(not find_spec("rdkit"), reason="SMILES need rdkit")


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one of everything, which is where the user is; MUTAG is at hand by name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("WLT_DATA", str(tmp_path / "data"))
    tu_folder(tmp_path / "data" / "tu" / "MUTAG" / "raw", "MUTAG")
    raw = tu_folder(tmp_path / "rings")
    with zipfile.ZipFile(tmp_path / "rings.zip", "w") as archive:
        for file in raw.iterdir():
            archive.write(file, file.name)
    (tmp_path / "rings.dat").write_bytes((tmp_path / "rings.zip").read_bytes())
    (tmp_path / "graphs").mkdir()
    write(tmp_path / "graphs" / "a.edges", "0 1\n")
    write(tmp_path / "molecules.csv", MOLECULES)
    write(tmp_path / "molecules.csv.gz", gzip.compress(MOLECULES.encode()))
    write(tmp_path / "excel.csv", MOLECULES.encode("utf-16"))
    write(tmp_path / "list.smi", "CCO ethanol\nCCC\n")
    write(tmp_path / "smiles_alone", "CCO\nC1CC\nCCN\n")
    write(tmp_path / "smiles_and_names", "CCO ethanol\nCC(=O)O acid_1\n")
    write(tmp_path / "atoms_as_names", "C O\nO N\n")
    write(tmp_path / "edges.csv", "source,target\n0,1\n")
    write(tmp_path / "three.g6", "Bw\nA_\nBw\n")
    write(tmp_path / "no_suffix", "Bw\nA_\n")
    return tmp_path


@pytest.mark.parametrize(
    ("data", "kind", "why"),
    [
        ("MUTAG", "TU dataset", "a TU dataset by its name"),
        ("UNHEARD", "TU dataset", "the name of a TU dataset"),
        ("rings", "TU dataset", "for its file NAME_A.txt"),
        ("rings.zip", "TU dataset", "zip file"),
        ("rings.dat", "TU dataset", "by its content"),
        ("graphs", "folder of graph files", "a folder of graph files"),
        ("molecules.csv", "table of molecules", "by its name"),
        ("molecules.csv.gz", "table of molecules", "by its name"),
        ("excel.csv", "table of molecules", "by its name"),
        ("list.smi", "table of molecules", "a list of SMILES"),
        ("edges.csv", "file of graphs", "(.csv), by its name"),
        ("three.g6", "file of graphs", "(.g6), by its name"),
        ("no_suffix", "file of graphs", "(.g6), by its content"),
        ("ZINC", "set of molecules", "by its name"),
        ("bbbp", "set of molecules", "by its name"),
        ("EhEG", "graph6 text", "graph6 text"),
        (":Bc", "graph6 text", "graph6 text"),
        pytest.param("CCO", "SMILES", "a SMILES", marks=NEEDS_RDKIT),
        pytest.param("C[C@H](N)C(=O)O", "SMILES", "a SMILES", marks=NEEDS_RDKIT),
        pytest.param("smiles_alone", "table of molecules", "a list of SMILES, by its content", marks=NEEDS_RDKIT),
        pytest.param("smiles_and_names", "table of molecules", "a list of SMILES, by its content", marks=NEEDS_RDKIT),
        ("atoms_as_names", "file of graphs", "(.edges), by its content"),
    ],
)
def test_what_data_is(there: Path, data: str, kind: str, why: str) -> None:
    source = recognize(data)
    assert source.kind == kind
    assert why in source.why


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("", "an empty path"),
        ("  ", "an empty path"),
        ("molecule.csv", "there is no file or folder molecule.csv; do you mean molecules.csv"),
        ("three.s6", "do you mean three.g6"),
        ("two\nlines" + "x" * 5000, r"two\\nlinesx{91}\.\.\.: File name too long"),
        ("no/such/folder/x.csv", "there is no file or folder no/such/folder/x.csv"),
    ],
)
def test_what_is_not_there_is_said_to_be_not_there(there: Path, data: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        recognize(data)


@NEEDS_RDKIT
def test_text_that_is_a_molecule_and_graph6(there: Path) -> None:
    assert recognize("CC").kind == "SMILES"
    assert recognize("CC", unlabelled=True).kind == "graph6 text"


@NEEDS_RDKIT
@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("CC(C", "there is no file or folder CC\\(C; as SMILES: not readable as SMILES"),
        ("C(C)(C)(C)(C)C", "there is no file or folder .*; as SMILES: Explicit valence"),
    ],
)
def test_text_that_is_no_molecule(there: Path, data: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        recognize(data)


def test_no_known_dataset_is_graph6_text(there: Path) -> None:
    from wlt.data.tu import WELL_KNOWN

    assert {recognize(name).kind for name in WELL_KNOWN} == {"TU dataset"}


@pytest.mark.parametrize("name", ["mutag", "Mutag", "imdb_binary"])
def test_a_misspelled_dataset_is_asked_back_and_not_downloaded(
    there: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import wlt
    from wlt.data import tu

    monkeypatch.setattr(tu, "download", lambda *_: pytest.fail("a download was tried"))
    meant = "MUTAG" if "mutag" in name.lower() else "IMDB-BINARY"
    with pytest.raises(ValueError, match=rf"no dataset is called '{name}'; do you mean {meant}\?"):
        wlt.data.load(name)


def test_graphs_in_one_file_are_audited(there: Path) -> None:
    code, out, err = wlt_command("audit", "three.g6")
    assert code == 0
    assert "three.g6: 3 graphs" in out
    assert "no labels" in err


@pytest.mark.parametrize("data", ["-", "/dev/stdin"])
def test_standard_input(there: Path, data: str) -> None:
    code, out, err = wlt_command("audit", data, stdin=b"Bw\nA_\nBw\n")
    assert code == 0
    assert "3 graphs" in out
    assert "is taken for a file of graphs (.g6), by its content" in err
    code, out, _ = wlt_command("compare", data, "Bw", stdin=b"0 1\n1 2\n2 0\n")
    assert code == 0
    assert "Isomorphic, for certain" in out


@NEEDS_RDKIT
@pytest.mark.parametrize("name", ["molecules.csv", "molecules.csv.gz", "excel.csv", "-"])
def test_a_table_of_molecules_however_it_comes(there: Path, name: str) -> None:
    code, out, _ = wlt_command("audit", name, "--target", "y", "--folds", 2, stdin=MOLECULES.encode())
    assert code == 0
    assert "3 graphs" in out


@NEEDS_RDKIT
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("tabs.tsv", MOLECULES.replace(",", "\t")),
        ("tabs.tsv", MOLECULES.replace(",", "\t").encode("utf-16")),
        ("tabs.tsv.gz", gzip.compress(MOLECULES.replace(",", "\t").encode("utf-16"))),
        ("list.smi.gz", gzip.compress(b"CCO ethanol\nCCN\nCCC\n")),
        ("list.smi", "CCO ethanol\nCCN\nCCC\n".encode("utf-16")),
        ("-", b"CCO\nCCN\nCCC\n"),
        ("-", gzip.compress(b"CCO\nCCN\nCCC\n")),
        ("-", "CCO\nCCN\nCCC\n".encode("utf-16")),
    ],
    ids=["tsv", "tsv utf-16", "tsv gz", "smi gz", "smi utf-16", "piped", "piped gz", "piped utf-16"],
)
def test_molecules_in_any_wrapping(there: Path, name: str, content: str | bytes) -> None:
    if name != "-":
        write(there / name, content)
    code, out, _ = wlt_command("audit", name, stdin=content if isinstance(content, bytes) else b"")
    assert (code, "3 graphs" in out) == (0, True)


@NEEDS_RDKIT
def test_a_list_of_smiles(there: Path) -> None:
    code, out, _ = wlt_command("audit", "list.smi")
    assert code == 0
    assert "list.smi: 2 graphs" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["audit", ""], "an empty path"),
        (["train", "three.g6", "--out", "m", "--target", "y"], "three.g6 was taken for a file of graphs (.g6)"),
        (["audit", "three.g6", "--smiles", "s"], "--smiles is for CSV files, and three.g6 is none"),
        (["audit", "edges.csv", "--target", "y"], "which has no labels"),
    ],
    ids=lambda value: " ".join(value)[:30] if isinstance(value, list) else "",
)
def test_what_it_was_taken_for_is_part_of_the_diagnosis(there: Path, arguments: list[str], message: str) -> None:
    code, _, err = wlt_command(*arguments)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(("data", "message"), [("-", "nothing came through the pipe"), ("hollow", "hollow: the file")])
def test_nothing_to_read(there: Path, data: str, message: str) -> None:
    write(there / "hollow", "\n \n")
    for command in ("audit", "keys"):
        code, _, err = wlt_command(command, data)
        assert (code, err.count("\n")) == (2, 1)
        assert err.startswith(f"wlt: {message}")


def test_a_name_that_is_no_dataset_may_be_that_of_a_file(there: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from wlt.cli.source import read
    from wlt.data import tu

    def nothing(url: str, *_: object) -> None:
        raise tu.DataError(f"{url} could not be reached")

    monkeypatch.setattr(tu, "fetch", nothing)
    said = r"because there is no such file or folder; do you mean three\.g6\?"
    with pytest.raises(ValueError, match=said):
        read("three_g6", None, None, "auto", None)


def test_files_of_a_folder_without_a_table_are_called_by_their_names(
    there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(there / "graphs" / "odd.dat", "?")
    monkeypatch.chdir(there / "graphs")
    code, out, err = wlt_command("audit", ".")
    assert (code, "1 graph" in out) == (0, True)
    assert err.splitlines()[0].startswith("wlt: odd.dat: unknown suffix")
    assert "1 of 2 files cannot be used" in err
    assert "line" not in err


def test_errors_in_a_file_say_what_it_was_taken_for(there: Path) -> None:
    write(there / "odd.csv", "a,b\n1,2\n")
    code, _, err = wlt_command("audit", "odd.csv")
    assert code == 2
    assert "no column 'smiles'" in err
    assert "odd.csv was taken for a table of molecules, by its name" in err


def test_several_graphs_through_a_named_pipe(there: Path) -> None:
    os.mkfifo("pipe")
    writer = threading.Thread(target=Path("pipe").write_bytes, args=(b"Bw\nA_\n",))
    writer.start()
    from wlt.cli.source import read

    graphs = read("pipe", None, None, "auto", None)
    writer.join()
    assert len(graphs) == 2
    assert isinstance(graphs.name, str)


@NEEDS_RDKIT
def test_odd_molecules_are_used_and_said(there: Path) -> None:
    """Salts, wildcards, no atoms, and what rdkit asserts about: never fatal, and in their place in the table."""
    rows = ["CC", "[Na+].[Cl-]", "*CC", "[#999]", "[CH999]", "", "CCO", "C" * 10_000]
    write(there / "odd.csv", "smiles,y\n" + "".join(f"{each},{i}\n" for i, each in enumerate(rows)))
    code, out, err = wlt_command("audit", "odd.csv")
    assert (code, "odd.csv: 5 graphs" in out) == (0, True)
    for said in (
        "odd.csv, line 5: '[#999]': not readable as a molecule: no such element",
        "odd.csv, line 6: '[CH999]': not readable as a molecule: no such element, or an impossible number of hydrogens",
        "odd.csv, line 7: '': nothing in column 'smiles'",
        "3 of 8 rows cannot be used",
        "1 of 5 molecules have several parts, as salts and mixtures do; each is one graph, the first is odd.csv, line",
        "1 of 5 molecules have wildcard atoms (*), which count as an element of their own, the first is odd.csv, line",
    ):
        assert said in err


@NEEDS_RDKIT
def test_a_smiles_as_an_argument(there: Path) -> None:
    from wlt.cli.source import read

    graphs = read("C[C@H](N)C(=O)O", None, None, "auto", None)
    assert (len(graphs), graphs.table.rows, graphs.table.used) == (1, [["C[C@H](N)C(=O)O"]], (0,))
    with pytest.raises(ValueError, match="CCO was taken for a SMILES, which has no labels"):
        read("CCO", None, None, "auto", None, labelled=True)
    with pytest.raises(ValueError, match=r"there is no file or folder CCO\.csv"):
        read("CCO.csv", None, None, "auto", None)


@NEEDS_RDKIT
def test_a_set_of_molecules_by_name(there: Path) -> None:
    from wlt.cli.source import read

    (there / "data" / "molecules").mkdir()
    write(there / "data" / "molecules" / "bbbp.csv", "smiles,p_np\nCCO,1\nC1CC,0\nCCN,0\n")
    graphs = read("BBBP", None, None, "auto", None, labelled=True, atoms="element")
    assert (graphs.name, graphs.targets.tolist(), graphs.values) == ("BBBP", [1, 0], ("C", "N", "O"))
    with pytest.raises(ValueError, match="--target is for CSV files; BBBP has its own targets"):
        read("BBBP", "p_np", None, "auto", None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare", "a.edges", "b.g6", "--edge-labels", "bond"], "--edge-labels bond: no edge has such an attribute"),
        (["inspect", "a.edges", "--node-labels", "kind"], "files of this format have none"),
        (["audit", "MUTAG", "--node-labels", "kind"], "--node-labels kind: a TU dataset has no such attribute"),
        (["keys", "b.g6", "--node-labels", "kind"], "--node-labels kind: graph6 has no such attribute"),
        (["keys", "Bw", "--edge-labels", "bond"], "--edge-labels bond: graph6 has no such attribute"),
    ],
)
def test_the_command_line_does_not_speak_of_arguments_of_python(
    there: Path, arguments: list[str], message: str
) -> None:
    write(there / "a.edges", "0 1\n1 2\n")
    write(there / "b.g6", "Bw\n")
    code, out, told = wlt_command(*arguments)
    assert (code, out) == (2, "")
    assert message in told
    assert "_labels" not in told
    assert "Listing" not in told


def test_only_where_labels_can_be_named_it_is_said_how(there: Path) -> None:
    write(there / "b.g6", "Bw\n")
    assert wlt_command("audit", "b.g6")[2] == "wlt: no labels, and so no ceilings\n"
