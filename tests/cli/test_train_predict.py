"""`wlt train` and `wlt predict`, from files to files."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold, cross_val_score

from test_imports import loaded_by
from wlt.cli import main
from wlt.data.folder import read_folder
from wlt.estimator.classifier import WLTClassifier

BY_ATOM = ["--node-labels", "atom"]
HERE = ["--workers", "1", "--force"]
QUICK = ["--structure", "grg", "--hidden", "4", "--epochs", "2", "--folds", "3", *HERE]
needs_rdkit = pytest.mark.skipif(
    not __import__("importlib.util").util.find_spec("rdkit"), reason="rdkit is not installed: pip install 'wlt[mol]'"
)


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Twelve rings and six chains with an attribute `atom`, in an order of their own."""
    place = tmp_path / "graphs"
    place.mkdir()
    rows = []
    for i in range(18):
        graph = nx.cycle_graph(3 + i) if i % 3 else nx.path_graph(3 + i)
        nx.set_node_attributes(graph, {node: "CN"[node % 2] for node in graph}, "atom")
        nx.write_graphml(graph, place / f"g{i}.graphml")
        rows.append(f"g{i},{'ring' if i % 3 else 'chain'}\n")
    order = np.random.default_rng(0).permutation(18)
    (place / "labels.csv").write_text("file,kind\n" + "".join(rows[i] for i in order))
    return place


def test_train_reports_and_stores_what_predict_uses(
    tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(capsys, "train", folder, "--target", "kind", *BY_ATOM, "--out", tmp_path / "m", *QUICK)
    assert code == 0
    words = " ".join(out.split())
    assert "graphs: 18 graphs; 'chain' 6, 'ring' 12" in words
    assert re.search(r"majority class 66\.7 % 50\.0 % 0\.500 [0-9. ]+ always 'ring'", words)
    assert "ceiling of any model 100.0 %" in words
    assert "ceiling of grg 100.0 %" in words
    assert f"Trained on all 18 graphs: {tmp_path / 'm'}." in words

    graphs = read_folder(folder, "kind", node_labels="atom")
    model = WLTClassifier("grg", hidden=4, epochs=2, audit=False, random_state=0)
    splits = StratifiedKFold(3, shuffle=True, random_state=0)
    scores = 100 * cross_val_score(model, graphs, graphs.targets, cv=splits)
    assert f"cross-validated {scores.mean():.1f} ± {scores.std():.1f} % " in words
    assert "mean ± standard deviation of 3 stratified folds (seed 0)" in words

    code, out, _ = run(capsys, "predict", tmp_path / "m", folder, "--proba")
    assert code == 0
    found = rows_of(out)
    assert list(found[0]) == ["file", "kind", "prediction", "p(chain)", "p(ring)"]
    assert [row["file"] for row in found] == [row[0] for row in graphs.table.rows]
    fitted = model.set_params(node_labels="atom").fit(graphs, graphs.targets)
    assert [row["prediction"] for row in found] == fitted.predict(graphs).tolist()
    shares = np.array([[float(row["p(chain)"]), float(row["p(ring)"])] for row in found])
    assert np.abs(shares - fitted.predict_proba(graphs)).max() < 1e-5


def test_predictions_go_to_a_file_and_replace_those_of_an_earlier_run(
    tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "train", folder, "--target", "kind", "--out", tmp_path / "m", *QUICK)
    code, out, err = run(capsys, "predict", tmp_path / "m", folder, "--out", tmp_path / "p.csv")
    assert (code, out) == (0, "")
    assert re.search(r"18 predictions in .*p\.csv: ", err)
    first = (tmp_path / "p.csv").read_text()
    (folder / "labels.csv").write_text(first)
    said = refusal(capsys, "predict", tmp_path / "m", folder, "--out", tmp_path / "p.csv")
    assert said.endswith("p.csv: it exists; --force replaces it")
    _, _, err = run(capsys, "predict", tmp_path / "m", folder, "--out", tmp_path / "p.csv", "--force")
    assert (tmp_path / "p.csv").read_text() == first
    assert "wlt: the table of graphs has a column 'prediction' of its own, which the prediction replaces" in err


def test_files_that_the_table_does_not_name_are_said(
    tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for i in (1, 2):
        nx.write_graphml(nx.cycle_graph(5), folder / f"more{i}.graphml")
    _, _, err = run(capsys, "train", folder, "--target", "kind", *BY_ATOM, "--out", tmp_path / "m", *QUICK)
    assert "wlt: 2 graph files are not in labels.csv: more1.graphml, more2.graphml" in err
    (folder / "more1.graphml").unlink()
    _, _, err = run(capsys, "predict", tmp_path / "m", folder)
    assert "wlt: 1 graph file is not in labels.csv: more2.graphml" in err


def test_ceilings_are_those_of_what_the_r_does(
    tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rings of ten, and pairs of rings of five: rg is too shallow for one node, and nothing is known of two."""
    for i in range(18):
        ring, two = nx.cycle_graph(10), nx.disjoint_union(nx.cycle_graph(5), nx.cycle_graph(5))
        nx.write_graphml(ring if i % 3 else two, folder / f"g{i}.graphml")
    shallow = ["--structure", "rg", "--hidden", "4", "--epochs", "1", "--folds", "2", "--target", "kind", *HERE]
    for recolor, ceiling in (
        ("1", "rg 66.7 %"),
        ("all", "rg, recolor all 66.7 %"),
        ("2", "rg, recolor 2 - not known"),
        ("canonical", "rg, recolor canonical - not known"),
    ):
        _, out, _ = run(capsys, "train", folder, *shallow, "--recolor", recolor, "--out", tmp_path / "m")
        words = " ".join(out.split())
        assert f"ceiling of {ceiling}" in words
        assert "ceiling of WL, 1 round 66.7 % of training accuracy" in words
        assert "18 graphs (100.0 %) leak: each has an isomorphic copy in another of the 2 folds" in words


def test_a_folder_without_a_table_can_be_predicted(
    tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "train", folder, "--target", "kind", "--out", tmp_path / "m", *QUICK)
    (folder / "labels.csv").rename(tmp_path / "labels.csv")
    (folder / "notes.md").write_text("x")
    code, out, err = run(capsys, "predict", tmp_path / "m", folder)
    found = {row["file"]: row["prediction"] for row in rows_of(out)}
    assert (code, len(found), found["notes.md"]) == (0, 19, "")
    assert found["g1.graphml"] in ("ring", "chain")
    assert "notes.md: unknown suffix '.md'" in err
    assert "1 of 19 files cannot be used" in err


def test_a_tu_folder_has_its_own_labels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "TOY"
    place.mkdir()
    edges, graph_of = [], []
    for i in range(12):
        n, first = 4 + i % 4, len(graph_of) + 1
        edges += [f"{first + j}, {first + j + 1}" for j in range(n - 1)] + (
            [f"{first}, {first + n - 1}"] if i % 2 else []
        )
        graph_of += [i + 1] * n
    (place / "TOY_A.txt").write_text("\n".join(edges))
    (place / "TOY_graph_indicator.txt").write_text("\n".join(map(str, graph_of)))
    (place / "TOY_graph_labels.txt").write_text("\n".join("-1" if i % 2 else "1" for i in range(12)))
    (place / "TOY_node_labels.txt").write_text("\n".join("0" for _ in graph_of))
    code, out, err = run(capsys, "train", place, "--out", tmp_path / "m", *QUICK)
    assert (code, "TOY: 12 graphs; -1 6, 1 6" in out) == (0, True)
    code, out, err = run(capsys, "predict", tmp_path / "m", place)
    assert [row["graph"] for row in rows_of(out)] == [str(i) for i in range(12)]
    assert {row["prediction"] for row in rows_of(out)} <= {"-1", "1"}
    code, out, err = run(capsys, "train", place, "--target", "y", "--out", tmp_path / "m", "--force")
    assert (code, "has its own labels" in err) == (2, True)

    (tmp_path / "data" / "tu" / "TOY").mkdir(parents=True)
    place.rename(tmp_path / "data" / "tu" / "TOY" / "raw")
    data = ["--data", tmp_path / "data"]
    assert run(capsys, "train", "TOY", *data, "--out", tmp_path / "m", *QUICK)[0] == 0
    assert len(rows_of(run(capsys, "predict", tmp_path / "m", "TOY", *data)[1])) == 12


def test_labels_in_one_fold_only_are_said_in_one_line(
    tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for i in (3, 7):
        graph = nx.cycle_graph(3 + i) if i % 3 else nx.path_graph(3 + i)
        nx.set_node_attributes(graph, {node: f"X{i}" if node == 0 else "C" for node in graph}, "atom")
        nx.write_graphml(graph, folder / f"g{i}.graphml")
    _, _, err = run(capsys, "train", folder, "--target", "kind", *BY_ATOM, "--out", tmp_path / "m", *QUICK)
    assert len(re.findall(r"in [12] of 3 folds the test graphs have labels that no training graph has", err)) == 1
    assert "was never seen" not in err


MOLECULES = ["CCO", "CCCO", "CCCCO", "CCCCCO", "CC(C)O", "OCCO", "CCN", "CCCN", "CCCCN", "CCCCCN", "CC(C)N", "NCCN"]


def write_molecules(path: Path, extra: str = "") -> None:
    rows = "".join(f"{i},{smiles},{int('N' in smiles)}\n" for i, smiles in enumerate(MOLECULES))
    path.write_text("id,SMILES,amine\n" + extra + rows)


@needs_rdkit
def test_unreadable_molecules_are_listed_counted_and_left_empty(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_molecules(tmp_path / "m.csv", "x,C1CC,1\ny,CC,\n")
    code, out, err = run(capsys, "train", tmp_path / "m.csv", "--target", "amine", "--out", tmp_path / "m", *QUICK)
    assert (code, "m.csv: 12 graphs; 0 6, 1 6" in out) == (0, True)
    assert "wlt: m.csv, line 2: 'C1CC': not readable as SMILES" in err
    assert "wlt: m.csv, line 3: 'CC': no label in column 'amine'" in err
    assert "wlt: 2 of 14 rows cannot be used" in err
    code, out, err = run(capsys, "predict", tmp_path / "m", tmp_path / "m.csv")
    found = rows_of(out)
    assert [row["id"] for row in found] == ["x", "y", *map(str, range(12))]
    assert [row["prediction"] == "" for row in found] == [True] + [False] * 13
    assert "wlt: 1 of 14 rows cannot be used" in err


@needs_rdkit
def test_unseen_atoms_are_refused_unless_they_are_to_be_ignored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_molecules(tmp_path / "m.csv")
    run(capsys, "train", tmp_path / "m.csv", "--target", "amine", "--out", tmp_path / "m", *QUICK)
    (tmp_path / "new.csv").write_text("smiles\nCCO\nCCBr\n")
    code, out, err = run(capsys, "predict", tmp_path / "m", tmp_path / "new.csv", "--unseen", "error")
    assert (code, out) == (2, "")
    said = "new.csv, line 3 (CCBr): element='Br' was never seen in training (known: 'C', 'N', 'O'); with --unseen"
    assert said in err
    code, out, err = run(capsys, "predict", tmp_path / "m", tmp_path / "new.csv")
    assert (code, len(rows_of(out))) == (0, 2)
    assert "wlt: element='Br', hydrogens=0 were never seen in training: 1 node sends a message without them" in err


@needs_rdkit
def test_a_model_of_elements_predicts_from_elements(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """predict reads molecules as training did: the model knows."""
    write_molecules(tmp_path / "m.csv")
    arguments = ["--target", "amine", "--out", tmp_path / "m", "--atoms", "element", *QUICK]
    assert run(capsys, "train", tmp_path / "m.csv", *arguments)[0] == 0
    model = WLTClassifier.load(tmp_path / "m")
    assert (model.table_.values, model.edge_table_.tokens) == (("C", "N", "O"), (("both", "single"),))
    code, out, err = run(capsys, "predict", tmp_path / "m", tmp_path / "m.csv")
    assert (code, len(rows_of(out)), err) == (0, 12, "")


@needs_rdkit
def test_degrees_instead_of_atoms(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The ceilings are of what the classifier sees: without their atoms alcohols are like amines."""
    write_molecules(tmp_path / "m.csv")
    arguments = ["train", tmp_path / "m.csv", "--target", "amine", "--out", tmp_path / "m", *QUICK]
    assert "ceiling of any model 100.0 %" in " ".join(run(capsys, *arguments)[1].split())
    code, out, _ = run(capsys, *arguments, "--node-labels", "degrees")
    assert (code, "ceiling of any model 50.0 %" in " ".join(out.split())) == (0, True)
    code, out, err = run(capsys, "predict", tmp_path / "m", tmp_path / "m.csv")
    assert (code, len(rows_of(out)), err) == (0, 12, "")


@needs_rdkit
def test_a_model_of_degrees_says_that_it_does_not_look_at_atoms(
    tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "train", folder, "--target", "kind", "--out", tmp_path / "m", *QUICK)
    write_molecules(tmp_path / "m.csv")
    code, _, err = run(capsys, "predict", tmp_path / "m", tmp_path / "m.csv")
    assert (code, "the model was trained with degrees: the node labels of m.csv are not used" in err) == (0, True)


# ---------------------------------------------------------------------------------------------------------------------
# Bad input: one line, exit code 2
# ---------------------------------------------------------------------------------------------------------------------


def refusal(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    lines = err.strip().splitlines()
    assert len(lines) == 1, lines
    return lines[0]


@pytest.mark.parametrize(
    ("table", "arguments", "message"),
    [
        pytest.param("", ["--target", "y"], "no CSV file of labels", id="empty table"),
        pytest.param("file,y\n", ["--target", "y"], "no rows below the names of the columns", id="no rows"),
        pytest.param(None, ["--target", "Kind"], "no column 'Kind'; there are: 'file', 'kind'", id="column"),
        pytest.param(
            None, [], "--target is needed: the column with the labels; there are: 'file', 'kind'", id="no target"
        ),
        pytest.param(None, ["--target", "kind", "--smiles", "x"], "--smiles is for CSV files", id="smiles"),
        pytest.param(
            "file,y\n" + "".join(f"g{i},a\n" for i in range(18)),
            ["--target", "y"],
            "all 18 graphs have the label 'a'",
            id="one class",
        ),
        pytest.param(
            "file,y\n" + "".join(f"g{i},{'b' if i == 4 else 'a'}\n" for i in range(18)),
            ["--target", "y"],
            "class 'b' has 1 graph, too few for 3",
            id="one member",
        ),
        pytest.param(
            "file,y\n" + "".join(f"g{i},0.{i}\n" for i in range(18)),
            ["--target", "y", "--task", "classification"],
            "--task classification: the values of 'y' are numbers such as 0.1, and no classes",
            id="numbers as classes",
        ),
        pytest.param(
            "file,y\n" + "".join(f"g{i},c{i}\n" for i in range(18)),
            ["--target", "y"],
            "18 different labels of 18 graphs: classes are needed, not values",
            id="names",
        ),
        pytest.param(
            "file,y\n" + "".join(f"g{i},{'>5' if i == 4 else i / 3}\n" for i in range(18)),
            ["--target", "y"],
            "labels.csv, line 6 (g4, >5): '>5' in column 'y' is no number (1 such cell); correct or empty it, or",
            id="text among numbers",
        ),
        pytest.param(
            None,
            ["--target", "kind", "--task", "regression"],
            "in column 'kind' is no number (18 such cells); correct or empty it",
            id="words as numbers",
        ),
        pytest.param(
            "file,y\n" + "".join(f"g{i},{'inf' if i == 4 else i / 3}\n" for i in range(18)),
            ["--target", "y"],
            "labels.csv, line 6 (g4, inf): inf in column 'y'; targets must be finite",
            id="infinite",
        ),
        pytest.param(
            "file,y\n" + "".join(f"g{i},NaN\n" for i in range(18)),
            ["--target", "y"],
            "no row can be used: line 2: 'g0': no label in column 'y', and 17 more",
            id="all gaps",
        ),
        pytest.param(
            "file,y,z\n" + "".join(f"g{i},{i / 3},\n" for i in range(18)),
            ["--target", "y", "--target", "z"],
            "the target 'z' has no values: all of its cells are empty",
            id="all gaps in one of two",
        ),
        pytest.param(
            "file,y,z\n" + "".join(f"g{i},{i / 3},{'x' if i == 2 else i}\n" for i in range(18)),
            ["--target", "y", "--target", "z"],
            "labels.csv, line 4: 'x' in column 'z' is no number; several targets are columns of numbers",
            id="text in one of two",
        ),
        pytest.param(
            "file,y\n" + "".join(f"g{i},2.5\n" for i in range(18)),
            ["--target", "y"],
            "the target 'y' is 2.5 wherever it has a value: there is nothing to learn",
            id="constant",
        ),
        pytest.param(None, ["--target", "kind", "--target", "kind"], "the target 'kind' is named twice", id="twice"),
        pytest.param(
            None, ["--target", "kind", "--split", "x"], "and no column; there are: 'file', 'kind'", id="split"
        ),
        pytest.param(
            None, ["--target", "kind", "--split", "file"], "18 different values for 18 graphs", id="split by names"
        ),
        pytest.param(
            None,
            ["--target", "kind", *BY_ATOM, "--split", "kind"],
            "fold 1 of 2 (2 folds, the values of column 'kind'): the label is ring for all training graphs",
            id="one class in a fold",
        ),
        pytest.param(
            None, ["--target", "kind", "--workers", "2", "--ray", "auto"], "use only one of them", id="ray and workers"
        ),
        pytest.param(
            None, ["--target", "kind", "--out", "x.xlsx"], "a model is written, and that is no .xlsx file", id="xlsx"
        ),
        pytest.param(None, ["--target", "kind", "--report", "x.pdf"], "call it report.html", id="report"),
        pytest.param(None, ["--target", "kind", "--structure", "gx"], "unknown layer 'x'", id="structure"),
        pytest.param(None, ["--target", "kind", "--recolor", "some"], "recolor must be a number", id="recolor"),
        pytest.param(None, ["--target", "kind", "--recolor", "1.0"], "write 1 for one node", id="recolor 1.0"),
        pytest.param(None, ["--target", "kind", "--dropout", "2"], "dropout must be", id="dropout"),
        pytest.param(None, ["--target", "kind", "--learning-rate", "0"], "learning_rate must be", id="rate"),
        pytest.param(
            None, ["--target", "kind", *BY_ATOM, "--learning-rate", "1e30"], "training diverged", id="divergence"
        ),
        pytest.param(None, ["--target", "kind", "--hidden", "0"], "--hidden", id="hidden"),
        pytest.param(None, ["--target", "kind", "--out", "no/such/folder/m"], "there is no folder", id="out"),
    ],
)
def test_train_refuses_in_one_line(
    tmp_path: Path,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    table: str | None,
    arguments: list[str],
    message: str,
) -> None:
    if table is not None:
        (folder / "labels.csv").write_text(table)
    out = [] if "--out" in arguments else ["--out", tmp_path / "m"]
    said = refusal(capsys, "train", folder, *QUICK, *out, *arguments)
    assert message in said
    assert not (tmp_path / "m").exists()


def test_too_few_graphs(tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for rows, message in (
        ("g1,2.5\n", "one graph is too few to learn from"),
        ("g1,2.5\ng2,3.5\n", "2 graphs, too few for 3 folds; --folds 2 at most"),
    ):
        (folder / "labels.csv").write_text(f"file,y\n{rows}")
        code, _, err = run(capsys, "train", folder, "--target", "y", "--out", tmp_path / "m", *QUICK)
        assert (code, message in err.splitlines()[-1]) == (2, True)


def test_train_refuses_other_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = ["--out", tmp_path / "m"]
    assert "there is no file or folder" in refusal(capsys, "train", tmp_path / "no.csv", "--target", "y", *out)
    (tmp_path / "empty.csv").write_text("")
    assert "the file is empty" in refusal(capsys, "train", tmp_path / "empty.csv", "--target", "y", *out)
    (tmp_path / "bad.zip").write_text("x")
    assert "not a sound zip file" in refusal(capsys, "train", tmp_path / "bad.zip", *out)
    assert "there is no file or folder" in refusal(capsys, "train", tmp_path / "no" / "where", *out)
    (tmp_path / "one.g6").write_text("Bw\n")
    assert "taken for a file of graphs (.g6), by its name, which has no labels" in refusal(
        capsys, "train", tmp_path / "one.g6", *out
    )
    assert "is a folder" in refusal(capsys, "train", tmp_path / "empty.csv", "--target", "y", "--out", tmp_path)


def test_what_is_read_is_not_written_over(tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "train", folder, "--target", "kind", "--out", tmp_path / "m", *QUICK)
    (tmp_path / "t.csv").write_text("smiles,y\nC,0\nN,1\n")
    files = [tmp_path / "m", tmp_path / "t.csv", *folder.iterdir()]
    before = [path.read_bytes() for path in files]
    for arguments in (
        ["train", tmp_path / "t.csv", "--target", "y", "--out", tmp_path / "t.csv"],
        ["train", folder, "--target", "kind", "--out", folder / "labels.csv"],
        ["predict", tmp_path / "m", folder, "--out", tmp_path / "m"],
        ["predict", tmp_path / "m", folder, "--out", folder / "labels.csv"],
    ):
        assert "it is read by this command and would be written over" in refusal(capsys, *arguments)
    assert [path.read_bytes() for path in files] == before


def test_a_mistyped_path_is_no_dataset(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = refusal(capsys, "train", "mistyped", "--target", "y", "--out", tmp_path / "m", "--data", tmp_path)
    assert "there is no file or folder mistyped" in said


def test_predict_refuses_what_is_no_model(tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m").write_bytes(b"\x80\x04K\x01.")
    assert "it is a pickle" in refusal(capsys, "predict", tmp_path / "m", folder)
    assert "No such file" in refusal(capsys, "predict", tmp_path / "none", folder)


def test_predict_refuses_graphs_without_the_attribute(
    tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "train", folder, "--target", "kind", *BY_ATOM, "--out", tmp_path / "m", *QUICK)
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "a.g6").write_text("Bw\n")
    said = refusal(capsys, "predict", tmp_path / "m", tmp_path / "plain")
    assert "no file can be used" in said
    assert "has no named node attributes" in said


def test_unused_attributes_are_said_once(tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "train", folder, "--target", "kind", "--out", tmp_path / "m", *QUICK)
    assert code == 0
    assert err.count("node attributes ('atom') are not used") == 1
    assert err.index("are not used") < err.index("fit")  # before the work, not after it
    code, _, err = run(capsys, "predict", tmp_path / "m", folder)
    assert (code, "are not used" in err) == (0, False)  # which could not be changed any more


@pytest.mark.parametrize("error", [ValueError, TypeError])
def test_a_bug_in_the_training_is_not_called_a_users_mistake(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise error("a bug")

    arguments = [str(folder), "--target", "kind", "--out", str(tmp_path / "m"), *QUICK]
    with pytest.raises(SystemExit):
        main(["train", *arguments])
    monkeypatch.setattr(WLTClassifier, "_fit", broken)
    monkeypatch.setattr(WLTClassifier, "predict_proba", broken)
    with pytest.raises(error, match="a bug"):
        main(["train", *arguments])
    with pytest.raises(error, match="a bug"):
        main(["predict", str(tmp_path / "m"), str(folder)])


def test_the_commands_are_known_before_torch_is() -> None:
    assert loaded_by("import wlt.cli.train, wlt.cli.predict") <= {"typer", "rich"}


def test_help_names_the_options(capsys: pytest.CaptureFixture[str]) -> None:
    for command, options in (
        ("train", ["--target", "--out", "--folds", "--task", "--split", "--report", "--ray", "--ensemble"]),
        ("predict", ["--out", "--proba", "--unseen", "--ray", "--std"]),
    ):
        code, out, _ = run(capsys, command, "--help")
        assert code == 0
        assert all(option in out for option in options)


# ---------------------------------------------------------------------------------------------------------------------
# What edges carry
# ---------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def bonded(tmp_path: Path) -> Path:
    """Chains of single bonds or of double bonds, alike in all else."""
    place = tmp_path / "bonded"
    place.mkdir()
    for i in range(18):
        graph = nx.path_graph(3 + i // 2)
        nx.set_edge_attributes(graph, ["single", "double"][i % 2], "bond")
        nx.write_graphml(graph, place / f"g{i}.graphml")
    rows = "".join(f"g{i},{['one', 'two'][i % 2]}\n" for i in range(18))
    (place / "labels.csv").write_text("file,kind\n" + rows)
    return place


def test_edge_labels_of_files_are_used_where_they_are_named(
    tmp_path: Path, bonded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["train", bonded, "--target", "kind", "--out", tmp_path / "m", *QUICK]
    code, out, _ = run(capsys, *arguments)
    assert (code, "ceiling of any model 50.0 %" in " ".join(out.split())) == (0, True)
    assert "All this is about the graphs without the edge attribute 'bond'." in " ".join(out.split())
    code, out, _ = run(capsys, *arguments, "--edge-labels", "bond")
    assert (code, "ceiling of any model 100.0 %" in " ".join(out.split())) == (0, True)
    assert "without" not in out
    model = WLTClassifier.load(tmp_path / "m")
    assert (model.edge_labels, model.edge_table_.kind) == ("bond", "labels")
    code, out, err = run(capsys, "predict", tmp_path / "m", bonded)
    expected = model.predict(read_folder(bonded, edge_labels="bond"))
    assert (code, [row["prediction"] for row in rows_of(out)]) == (0, expected.tolist())
    graph = nx.path_graph(4)
    nx.set_edge_attributes(graph, "triple", "bond")
    nx.write_graphml(graph, bonded / "g3.graphml")
    code, _, err = run(capsys, "predict", tmp_path / "m", bonded)
    assert (code, "the edge label 'triple' was never seen in training: 3 edges are taken as edges" in err) == (0, True)
    code, _, err = run(capsys, "predict", tmp_path / "m", bonded, "--unseen", "error")
    assert code == 2
    assert "the edge label 'triple' was never seen in training (known: 'double', 'single'); with --unseen ignore" in err
    nx.write_graphml(nx.path_graph(4), bonded / "g3.graphml")
    code, out, err = run(capsys, "predict", tmp_path / "m", bonded)
    assert (code, rows_of(out)[3]["prediction"]) == (0, "")
    assert "--edge-labels bond: no edge has such an attribute" in err


@needs_rdkit
def test_bonds_are_used_unless_they_are_to_be_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    smiles = ["CC", "CCC", "CCCC", "CCCCC", "CCCCCC", "C=C", "CC=C", "CC=CC", "CCC=CC", "CCC=CCC"]
    rows = "".join(f"{each},{int('=' in each)}\n" for each in smiles)
    (tmp_path / "m.csv").write_text("smiles,alkene\n" + rows)
    arguments = ["train", tmp_path / "m.csv", "--target", "alkene", "--out", tmp_path / "m", *QUICK]
    code, out, err = run(capsys, *arguments)
    assert (code, "ceiling of any model 100.0 %" in " ".join(out.split())) == (0, True)
    assert "not used" not in err
    code, out, err = run(capsys, *arguments, "--edge-labels", "none")
    assert "m.csv: what its edges carry is not used; isomorphic copies may differ in it" in err
    assert "All this is about the graphs without the labels of edges" in " ".join(out.split())
    code, out, err = run(capsys, "predict", tmp_path / "m", tmp_path / "m.csv")
    assert (code, err) == (0, "")
    assert "molecules have no such attribute" in refusal(capsys, *arguments, "--edge-labels", "order")


def test_edge_labels_of_a_dataset(tmp_path: Path, data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["train", "MUTAG", "--data", data_dir, "--out", tmp_path / "m", *QUICK]
    code, out, _ = run(capsys, *arguments)
    assert (code, "without" in out) == (0, False)
    assert len(WLTClassifier.load(tmp_path / "m").edge_table_.tokens) == 4
    assert "a TU dataset has no such attribute" in refusal(capsys, *arguments, "--edge-labels", "bond")
    code, out, err = run(capsys, "predict", tmp_path / "m", "MUTAG", "--data", data_dir)
    assert (code, len(rows_of(out)), err) == (0, 188, "")
