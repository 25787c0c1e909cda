"""Model files: everything comes back bit by bit, and nothing but a sound file is taken."""

from __future__ import annotations

import json
import pickle
import re
import struct
import tempfile
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import safetensors
import safetensors.torch
import torch
from hypothesis import given
from hypothesis import strategies as st

from wlt import Recolor
from wlt.estimator import modelfile
from wlt.estimator.classifier import WLTClassifier
from wlt.estimator.modelfile import ModelFileError
from wlt.graph import Graph
from wlt.graphs import Graphs

SMALL: dict[str, Any] = {
    "structure": "grg",
    "hidden": 4,
    "epochs": 1,
    "calibrate": False,
    "audit": False,
    "random_state": 0,
}
_FOLDER = tempfile.TemporaryDirectory()
PLACE = Path(_FOLDER.name)
GRAPHS = [nx.path_graph(n) for n in range(3, 9)] + [nx.cycle_graph(n) for n in range(3, 9)]


def with_labels(labels: Any) -> Graphs:
    """GRAPHS, their nodes labelled by these, in turn."""
    union = Graph.union([Graph.from_edges(len(graph), list(graph.edges)) for graph in GRAPHS])
    return Graphs(union, np.arange(union.num_nodes, dtype=np.int32) % len(labels), labels, "labels")


@cache
def model() -> WLTClassifier:
    return WLTClassifier(**SMALL).fit(with_labels(["C", "N"]), [0] * 6 + [1] * 6)


@cache
def sound_file() -> bytes:
    model().save(PLACE / "sound")
    return (PLACE / "sound").read_bytes()


def load_bytes(data: bytes) -> WLTClassifier:
    (PLACE / "changed").write_bytes(data)
    return WLTClassifier.load(PLACE / "changed")


def error_of(data: bytes) -> str:
    with pytest.raises(ModelFileError) as caught:
        load_bytes(data)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(str(PLACE / "changed"))
    return message


# ---------------------------------------------------------------------------------------------------------------------
# Sound files
# ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "graphs"),
    [
        pytest.param({}, with_labels(["C", "N", "Cl"]), id="strings"),
        pytest.param({"recolor": 0.5}, with_labels([1, 2**40, -3]), id="integers"),
        pytest.param({"recolor": "all"}, with_labels([True, False]), id="booleans"),
        pytest.param({"recolor": "canonical"}, with_labels([("C", 1), ("C", 2), (("x",), 0.5)]), id="tuples"),
        pytest.param({"structure": "rg2"}, with_labels(["ü", "\n", "\ud800", ""]), id="odd strings"),
        pytest.param({"structure": "gg"}, GRAPHS, id="degrees"),
        pytest.param({"residual": True}, with_labels(["C", "N", "Cl"]), id="residual"),
        pytest.param({"residual": True, "views": 2}, with_labels(["C", "N", "Cl"]), id="views"),
        pytest.param({"recolor": "draws:2", "dropout": 0.0}, with_labels([0.1, 1e300, 5e-324]), id="floats"),
    ],
)
def test_predictions_survive_save_and_load_bit_for_bit(tmp_path: Path, parameters: dict[str, Any], graphs: Any) -> None:
    fitted = WLTClassifier(**{**SMALL, **parameters}).fit(graphs, ["a"] * 6 + ["b"] * 6)
    fitted.save(tmp_path / "model")
    again = WLTClassifier.load(tmp_path / "model")
    assert np.array_equal(again.predict_proba(graphs), fitted.predict_proba(graphs))
    assert again.table_ == fitted.table_
    assert [type(value) for value in again.table_.values] == [type(value) for value in fitted.table_.values]
    assert again.get_params() == fitted.get_params()
    assert [type(value) for value in again.get_params().values()] == [type(v) for v in fitted.get_params().values()]


def test_features_survive_too(tmp_path: Path) -> None:
    rows = np.random.default_rng(0).normal(size=(5, 3))
    labelled = with_labels(["x"] * 5)
    graphs = Graphs(labelled.union, labelled.codes, rows, "features")
    fitted = WLTClassifier(**SMALL).fit(graphs, [0] * 6 + [1] * 6)
    fitted.save(tmp_path / "model")
    again = WLTClassifier.load(tmp_path / "model")
    assert again.table_ == fitted.table_
    assert np.array_equal(again.predict_proba(graphs), fitted.predict_proba(graphs))


@pytest.mark.parametrize(
    "labels",
    [
        pytest.param(np.array(["no", "yes"]), id="strings"),
        pytest.param(np.array(["no", "yes"], object), id="string objects"),
        pytest.param(np.array([3, -1]), id="integers"),
        pytest.param(np.array([3, 1], np.uint8), id="small integers"),
        pytest.param(np.array([True, False]), id="booleans"),
        pytest.param(np.array([0.0, 1.0]), id="floats"),
        pytest.param(np.array([0.0, 1.0], np.float32), id="single floats"),
    ],
)
def test_class_labels_keep_their_type(tmp_path: Path, labels: Any) -> None:
    fitted = WLTClassifier(**SMALL).fit(GRAPHS, np.repeat(labels, 6))
    fitted.save(tmp_path / "model")
    again = WLTClassifier.load(tmp_path / "model")
    assert again.classes_.dtype == fitted.classes_.dtype
    assert again.classes_.tolist() == fitted.classes_.tolist()
    assert [type(label) for label in again.classes_.tolist()] == [type(label) for label in fitted.classes_.tolist()]
    assert np.array_equal(again.predict(GRAPHS), fitted.predict(GRAPHS))


def test_a_model_file_is_a_safetensors_file_with_its_story_in_the_metadata() -> None:
    sound_file()
    with safetensors.safe_open(PLACE / "sound", framework="np") as file:
        information = file.metadata()
        assert "layers.0.weight1" in file.keys()  # noqa: SIM118
    contents = json.loads(information["contents"])
    assert (contents["parameters"]["structure"], contents["colors"]["values"]) == ("grg", ["C", "N"])
    assert (contents["target"]["values"], set(contents["versions"])) == ([0, 1], {"wlt", "torch", "numpy"})


def test_parameters_that_are_numpys_or_generators_can_be_stored(tmp_path: Path) -> None:
    odd = {"hidden": np.int64(4), "recolor": np.float32(0.7), "random_state": np.random.RandomState(0)}
    odd |= {"dropout": np.float32(0.5)}
    fitted = WLTClassifier(**{**SMALL, **odd}).fit(GRAPHS, [0] * 6 + [1] * 6)
    fitted.save(tmp_path / "model")
    again = WLTClassifier.load(tmp_path / "model")
    assert (again.hidden, again.recolor, again.dropout, again.random_state) == (4, float(np.float32(0.7)), 0.5, None)
    assert np.array_equal(again.predict_proba(GRAPHS), fitted.predict_proba(GRAPHS))


def test_a_parsed_recoloring_is_stored_as_its_text(tmp_path: Path) -> None:
    fitted = WLTClassifier(**SMALL, recolor=Recolor("50%,draws:2")).fit(GRAPHS, [0] * 6 + [1] * 6)
    fitted.save(tmp_path / "model")
    again = WLTClassifier.load(tmp_path / "model")
    assert again.recolor == "half,draws:2"
    assert np.array_equal(again.predict_proba(GRAPHS), fitted.predict_proba(GRAPHS))


def test_a_file_that_wlt_0_1_wrote() -> None:
    """Written with recolor=1.0 and draws=2; the probabilities are those that wlt 0.1 printed."""
    old = WLTClassifier.load(Path(__file__).with_name("version_1.safetensors"))
    assert old.recolor == "100%,draws:2"
    expected = [[0.11449076305386488, 0.885509236946135], [0.30874249381821595, 0.6912575061817842]]
    assert old.classes_.tolist() == ["chain", "ring"]
    np.testing.assert_allclose(old.predict_proba([nx.cycle_graph(4), nx.path_graph(4)]), expected, rtol=1e-9)


def bonded_ring(size: int, atoms: str, double: int) -> nx.Graph[int]:
    ring = nx.cycle_graph(size)
    nx.set_node_attributes(ring, {v: atoms[v % len(atoms)] for v in ring}, "atom")
    bonds = {(u, v): "single" if (u + v) % double else "double" for u, v in ring.edges}
    nx.set_edge_attributes(ring, bonds, "bond")
    return ring


def test_a_file_of_version_2_does_not_see_edges() -> None:
    """Written before models saw what edges carry, and trained on such; the probabilities are those of then."""
    old = WLTClassifier.load(Path(__file__).with_name("version_2.safetensors"))
    assert (old.edge_labels, old.edge_table_.kind, old.classes_.tolist()) == (None, "none", ["n", "o"])
    rings = [bonded_ring(9, "CN", 2), bonded_ring(8, "CO", 2)]
    expected = [[0.6447471118332062, 0.35525288816679385], [2.6523995972327143e-05, 0.9999734760040278]]
    np.testing.assert_allclose(old.predict_proba(rings), expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("recolor", "draws", "now"),
    [
        (1, 1, "one"),
        (0.5, 1, "half"),
        (1.0, 1, "100%"),
        ("all", 1, "all"),
        ("canonical", 1, "canonical"),
        (3, 8, "3,draws:8"),
        (0.25, 2, "0.25,draws:2"),
    ],
)
def test_recolorings_of_version_1(recolor: float | str, draws: int, now: str) -> None:
    def as_version_1(contents: dict[str, Any], tensors: dict[str, torch.Tensor]) -> None:
        contents["parameters"] |= {"recolor": recolor, "draws": draws}

    assert Recolor(load_bytes(rewritten(as_version_1, version="1")).recolor) == Recolor(now)


@pytest.mark.parametrize(
    ("draws", "message"),
    [(2.5, "draws must be a whole number, not 2.5"), (10**12, "from 1 to 4096"), ("3", "a whole number, not '3'")],
)
def test_impossible_draws_in_version_1_are_refused(draws: Any, message: str) -> None:
    change = set_in("parameters", "draws", to=draws)
    assert message in error_of(rewritten(change, version="1"))


def test_version_1_needs_its_draws() -> None:
    assert "lacks 'draws'" in error_of(rewritten(lambda contents, tensors: None, version="1"))


def test_what_belongs_to_a_session_is_not_in_the_file(tmp_path: Path) -> None:
    fitted = WLTClassifier(**SMALL, n_jobs=2, verbose=1).fit(GRAPHS, [0] * 6 + [1] * 6)
    fitted.save(tmp_path / "model")
    again = WLTClassifier.load(tmp_path / "model")
    assert (again.n_jobs, again.verbose) == (None, 0)
    assert not {b"n_jobs", b"verbose"} & set(re.findall(rb"\w+", (tmp_path / "model").read_bytes()))


@pytest.mark.parametrize("value", [2, "x", [1]])
def test_files_of_earlier_versions_have_it_and_are_read(value: Any) -> None:
    def with_session(contents: dict[str, Any], tensors: dict[str, torch.Tensor]) -> None:
        contents["parameters"] |= {"n_jobs": value, "verbose": value}

    again = load_bytes(rewritten(with_session))
    assert (again.n_jobs, again.verbose) == (None, 0)


def test_what_json_does_not_know_is_refused_when_it_is_stored(tmp_path: Path) -> None:
    fitted = WLTClassifier(**SMALL).fit(with_labels([frozenset("C"), "N"]), np.repeat([0, 1], 6))
    with pytest.raises(ModelFileError, match="node label frozenset"):
        fitted.save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ModelFileError, match="cannot be written"):
        model().save(tmp_path / "file" / "model")


# ---------------------------------------------------------------------------------------------------------------------
# Foreign and damaged files
# ---------------------------------------------------------------------------------------------------------------------


class Trap:
    """Unpickling it makes a file."""

    def __init__(self, path: Path):
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


def test_a_pickle_is_refused_and_not_run(tmp_path: Path) -> None:
    trap = tmp_path / "ran"
    assert error_of(pickle.dumps(Trap(trap))).endswith("it is a pickle")
    torch.save(Trap(trap), tmp_path / "model.pt")
    assert error_of((tmp_path / "model.pt").read_bytes()).endswith("it is a zip archive")
    assert not trap.exists()
    pickle.loads(pickle.dumps(Trap(trap)))
    assert trap.exists()  # the trap works


def test_other_files_are_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a", "b")
    assert error_of((tmp_path / "a.zip").read_bytes()).endswith("it is a zip archive")
    assert error_of(b"").endswith("it is empty")
    assert "no model file" in error_of(b"smiles,target\nCCO,1\n" * 100)
    assert "no model of wlt" in error_of(safetensors.torch.save({"x": torch.ones(2)}))
    assert "no model of wlt" in error_of(safetensors.torch.save({"x": torch.ones(2)}, {"format": "pt"}))
    with pytest.raises(ModelFileError, match="No such file"):
        WLTClassifier.load(tmp_path / "nothing")
    with pytest.raises(ModelFileError, match="directory"):
        WLTClassifier.load(tmp_path)


@given(st.binary(max_size=400))
def test_random_bytes_are_refused(data: bytes) -> None:
    error_of(data)


@given(st.integers(0, 200), st.binary(max_size=60))
def test_a_header_of_random_bytes_is_refused(size: int, header: bytes) -> None:
    error_of(struct.pack("<Q", size) + header)


@given(st.data())
def test_a_truncated_or_prolonged_file_is_refused(data: st.DataObject) -> None:
    whole = sound_file()
    error_of(whole[: data.draw(st.integers(0, len(whole) - 1))])
    error_of(whole + data.draw(st.binary(min_size=1, max_size=20)))


@given(st.data())
def test_a_changed_byte_is_refused_or_changes_nothing(data: st.DataObject) -> None:
    whole = bytearray(sound_file())
    header = 8 + struct.unpack("<Q", whole[:8])[0]
    place = data.draw(st.integers(0, len(whole) - 1) | st.integers(0, header))
    value = data.draw(st.integers(0, 255))
    whole[place] = value
    if bytes(whole) == sound_file():
        return
    try:
        again = load_bytes(bytes(whole))
    except ModelFileError:
        return
    graphs = with_labels(["C", "N"])
    assert np.array_equal(again.predict_proba(graphs), model().predict_proba(graphs))  # white space in the header


def test_every_byte_of_the_weights_counts() -> None:
    whole = bytearray(sound_file())
    whole[-3] ^= 1
    assert error_of(bytes(whole)).endswith("is damaged: its checksum is wrong")


# ---------------------------------------------------------------------------------------------------------------------
# Files that were changed on purpose, checksum and all
# ---------------------------------------------------------------------------------------------------------------------


def rewritten(change: Callable[[dict[str, Any], dict[str, torch.Tensor]], None], **information: str) -> bytes:
    """The sound file with contents and tensors changed, and a right checksum."""
    sound_file()
    tensors = safetensors.torch.load(sound_file())
    with safetensors.safe_open(PLACE / "sound", framework="pt") as file:
        metadata = dict(file.metadata())
    contents = json.loads(metadata["contents"])
    if information.get("version") == "1":
        contents["classes"] = contents.pop("target")
        parameters = contents["parameters"]
        parameters["node_colors"] = parameters.pop("node_labels")
        for name in ("edge_labels", "ensemble", "calibrate", "warm_start", "class_weight"):
            del parameters[name]
    change(contents, tensors)
    text = information.get("contents", json.dumps(contents))
    metadata |= {"contents": text, "sha256": modelfile.checksum(text, tensors), **information}
    return safetensors.torch.save(tensors, metadata)


def set_in(*path: str, to: Any) -> Callable[[dict[str, Any], dict[str, torch.Tensor]], None]:
    def change(contents: dict[str, Any], tensors: dict[str, torch.Tensor]) -> None:
        for key in path[:-1]:
            contents = contents[key]
        contents[path[-1]] = to

    return change


def tensor_to(name: str, tensor: torch.Tensor | None) -> Callable[[dict[str, Any], dict[str, torch.Tensor]], None]:
    def change(contents: dict[str, Any], tensors: dict[str, torch.Tensor]) -> None:
        if tensor is None:
            del tensors[name]
        else:
            tensors[name] = tensor

    return change


def test_rewriting_alone_does_no_harm() -> None:
    again = load_bytes(rewritten(lambda contents, tensors: None))
    graphs = with_labels(["C", "N"])
    assert np.array_equal(again.predict_proba(graphs), model().predict_proba(graphs))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(set_in("parameters", "hidden", to=200_000), "weights are fewer", id="absurd hidden"),
        pytest.param(set_in("parameters", "hidden", to=10**30), "weights are fewer", id="more than absurd hidden"),
        pytest.param(set_in("parameters", "hidden", to=2), "instead of", id="smaller hidden"),
        pytest.param(set_in("parameters", "hidden", to="4"), "hidden is '4'", id="hidden text"),
        pytest.param(set_in("parameters", "structure", to="g1000"), "weights are fewer", id="deep structure"),
        pytest.param(set_in("parameters", "structure", to="g9r"), "weights are fewer", id="deeper structure"),
        pytest.param(set_in("parameters", "structure", to="grr"), "instead of", id="other structure"),
        pytest.param(set_in("parameters", "structure", to="xyz"), "unknown layer 'x'", id="no structure"),
        pytest.param(set_in("parameters", "structure", to=None), "a structure is a string", id="structure null"),
        pytest.param(set_in("parameters", "recolor", to=-1), "recolor must be", id="recolor"),
        pytest.param(set_in("parameters", "recolor", to="draws:2.5"), "draws must be a whole", id="half a draw"),
        pytest.param(set_in("parameters", "recolor", to="draws:9999"), "from 1 to 4096", id="endless draws"),
        pytest.param(set_in("parameters", "draws", to=1), "unexpected keyword argument 'draws'", id="draws apart"),
        pytest.param(set_in("parameters", "prediction_draws", to=10**12), "must be at most", id="endless prediction"),
        pytest.param(set_in("parameters", "random_state", to=[1]), "cannot be used to seed", id="random state"),
        pytest.param(set_in("parameters", "early_stopping", to={"a": 1}), "early_stopping must be", id="stopping"),
        pytest.param(set_in("parameters", "unseen", to="x"), "unseen must be", id="unseen"),
        pytest.param(set_in("parameters", "views", to=10**9), "weights are fewer", id="endless views"),
        pytest.param(set_in("parameters", "views", to=-1), "views is '-1'", id="views"),
        pytest.param(set_in("parameters", "news", to=1), "unexpected keyword argument 'news'", id="parameter"),
        pytest.param(set_in("parameters", to=[]), "wrong type", id="parameters"),
        pytest.param(lambda contents, tensors: contents.pop("target"), "lacks 'target'", id="no classes"),
        pytest.param(
            lambda contents, tensors: contents["parameters"].pop("recolor"), "lacks 'recolor'", id="no recolor"
        ),
        pytest.param(set_in("target", "values", to=[0]), "fewer than two different classes", id="one class"),
        pytest.param(set_in("target", "values", to=[0, 0]), "fewer than two different classes", id="equal classes"),
        pytest.param(set_in("target", "values", to=[0, "a"]), "class 'a' is not of the type int64", id="mixed"),
        pytest.param(set_in("target", "values", to=[0, 10**30]), "wrong", id="large class"),
        pytest.param(set_in("target", "values", to=list(range(10**5))), "weights are fewer", id="many classes"),
        pytest.param(set_in("target", "values", to=[0, [1]]), "class", id="nested class"),
        pytest.param(set_in("target", "values", to=[0, {}]), "the label", id="class that is a dict"),
        pytest.param(set_in("target", "type", to="U1000000000"), "classes of the type", id="endless strings"),
        pytest.param(set_in("target", "type", to="V8"), "classes of the type", id="void"),
        pytest.param(
            set_in("target", to={"kind": "classes", "type": "float16", "values": [1.0, 1.0001]}),
            "classes that are the same number as float16",
            id="classes that collapse",
        ),
        pytest.param(
            set_in("colors", to={"kind": "degrees", "values": [1, 10**30], "scale": []}),
            "more than a graph can have",
            id="endless degree",
        ),
        pytest.param(set_in("colors", "kind", to="code"), "unknown kind", id="kind"),
        pytest.param(set_in("colors", "kind", to="degrees"), "degrees that are not ascending", id="no degrees"),
        pytest.param(set_in("colors", "kind", to="features"), "with nothing, or with something else", id="no scale"),
        pytest.param(set_in("colors", "values", to=["C", "C"]), "repetitions", id="repeated label"),
        pytest.param(set_in("colors", "values", to=[]), "with nothing", id="no labels"),
        pytest.param(set_in("colors", "values", to=["C"]), "instead of", id="fewer labels"),
        pytest.param(set_in("colors", "values", to=7), "wrong", id="labels that are a number"),
        pytest.param(set_in("colors", "scale", to=[-1.0]), "impossible scale", id="scale"),
        pytest.param(set_in("estimator", to="WLTRegressor"), "the estimator 'WLTRegressor'", id="estimator"),
        pytest.param(set_in("networks", to=2), "weights are fewer|missing", id="networks"),
        pytest.param(set_in("networks", to=10**9), "1000000000 networks", id="endless networks"),
        pytest.param(set_in("calibration", "temperature", to=0.0), "impossible calibration", id="temperature"),
        pytest.param(set_in("calibration", "held_out", to=-1), "impossible calibration", id="held out"),
        pytest.param(set_in("calibration", "doubt", to=1.0), "impossible doubt", id="doubt"),
        pytest.param(set_in("noise", to=[1.0]), "impossible error", id="noise"),
        pytest.param(set_in("target", to={"kind": "binaries", "columns": []}), "no columns", id="no columns"),
        pytest.param(
            set_in("target", to={"kind": "numbers", "columns": [], "loss": "huber", "shift": [0.0], "scale": [0.0]}),
            "impossible scale",
            id="scale of numbers",
        ),
        pytest.param(set_in("edges", "kind", to="bonds"), "unknown kind", id="kind of edges"),
        pytest.param(set_in("edges", "kind", to="labels"), "with nothing", id="no edge labels"),
        pytest.param(
            set_in("edges", to={"kind": "labels", "tokens": [["both", "a"], ["both", "a"]], "scale": []}),
            "repetitions",
            id="repeated edge label",
        ),
        pytest.param(
            set_in("edges", to={"kind": "labels", "tokens": [["up", "a"]], "scale": []}), "direction", id="direction"
        ),
        pytest.param(
            set_in("edges", to={"kind": "labels", "tokens": [["both", "a"]], "scale": []}),
            "weights are fewer|is missing",
            id="edges without weights",
        ),
        pytest.param(
            set_in("edges", to={"kind": "features", "tokens": [["both", None]], "scale": [0.0]}),
            "impossible scale",
            id="scale of edges",
        ),
        pytest.param(
            set_in("edges", to={"kind": "features", "tokens": [["both", None]], "scale": [1.0] * 10**5}),
            "weights are fewer",
            id="endless edge features",
        ),
        pytest.param(set_in("edges", "tokens", to=[1]), "wrong", id="tokens"),
        pytest.param(set_in("seed", to="0"), "wrong type", id="seed"),
        pytest.param(set_in("seed", to=-1), "wrong type", id="negative seed"),
        pytest.param(tensor_to("layer_weights", None), "'layer_weights' is missing", id="missing tensor"),
        pytest.param(tensor_to("extra", torch.ones(3)), "'extra' is unknown", id="unknown tensor"),
        pytest.param(tensor_to("layer_weights", torch.ones(2)), "float32", id="single precision"),
        pytest.param(tensor_to("layer_weights", torch.ones(2, 1).double()), r"\[2, 1\] instead", id="shape"),
        pytest.param(tensor_to("layer_weights", torch.full((2,), torch.nan).double()), "impossible", id="nan"),
        pytest.param(tensor_to("layers.0.norm.running_var", -torch.ones(4).double()), "impossible", id="variance"),
    ],
)
def test_what_does_not_fit_is_refused(change: Any, message: str) -> None:
    assert re.search(message, error_of(rewritten(change)))


@pytest.mark.parametrize(
    ("information", "message"),
    [
        pytest.param({"version": "4"}, "format '4', and this wlt reads formats '1' to '3'", id="version"),
        pytest.param({"format": "other"}, "no model of wlt", id="format"),
        pytest.param({"contents": "{"}, "wrong", id="no JSON"),
        pytest.param({"contents": "[" * 100_000}, "wrong", id="deep JSON"),
        pytest.param({"contents": "[]"}, "wrong", id="a list"),
        pytest.param({"contents": '"text"'}, "wrong", id="a text"),
        pytest.param({"contents": "null"}, "wrong", id="null"),
        pytest.param({"contents": "{}"}, "lacks 'parameters'", id="nothing"),
        pytest.param({"sha256": ""}, "checksum", id="checksum"),
    ],
)
def test_other_descriptions_are_refused(information: dict[str, str], message: str) -> None:
    assert message in error_of(rewritten(lambda contents, tensors: None, **information))


ANYTHING = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3)


@given(st.recursive(ANYTHING, st.lists, max_leaves=5))
def test_any_json_in_the_place_of_any_part_is_refused_or_fits(value: Any) -> None:
    places = (("parameters", "structure"), ("parameters", "recolor"), ("target",), ("colors", "values"), ("seed",))
    for path in (*places, ("edges",), ("edges", "tokens"), ("calibration",), ("noise",), ("networks",), ("estimator",)):
        try:
            load_bytes(rewritten(set_in(*path, to=value)))
        except ModelFileError as error:
            refusal = str(error)
        else:
            refusal = ""
        assert "\n" not in refusal
