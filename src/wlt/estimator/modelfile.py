"""Model files: safetensors for the weights, and JSON in its metadata for everything else an estimator is made of.

Reading runs no code from the file and believes none of it: what the metadata claim is compared with the tensors before
anything is built, so a file never makes the reader allocate much more than its own size. A checksum over tensors and
metadata finds damage; it is no protection against someone who changes the file and the checksum with it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from importlib import metadata
from math import inf, isfinite
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from wlt.arcs import DIRECTIONS
from wlt.estimator.calibration import Calibration
from wlt.estimator.edge_table import EdgeTable
from wlt.estimator.label_rows import Columns
from wlt.estimator.label_table import LabelTable
from wlt.graph import MAX_NODES
from wlt.io.atomic import replacing
from wlt.nn import WLTGNN
from wlt.structure import Structure
from wlt.train.target import LOSSES, Binaries, Classes, Numbers, Target

FORMAT = "wlt classifier"
"""Also of files that hold a regressor: what a file holds is in its contents."""
VERSION = 3
"""Version 1, which wlt 0.1 wrote, has the draws of a recoloring apart, and calls node labels `node_colors`. Models of
versions 1 and 2 do not see what edges carry."""


class ModelFileError(ValueError):
    """A file that is no sound model file. The message is one line that names it."""


class Stored(NamedTuple):
    """What a model file holds."""

    estimator: str
    """The name of its class."""
    parameters: dict[str, Any]
    """Of the estimator's constructor."""
    target: Target
    table: LabelTable
    edge_table: EdgeTable
    seed: int
    """Of the draws in prediction."""
    models: list[WLTGNN]
    """In double precision."""
    calibration: Calibration
    noise: NDArray[np.float64] | None
    """Of numbers: the standard deviation of the error on held-out graphs, in each column."""


def write(path: str | os.PathLike[str], stored: Stored) -> None:
    """Write a model file; it appears whole or not at all."""
    import safetensors.torch

    table, edges = stored.table, stored.edge_table
    values = [_plain(value, "node label") for value in table.values]
    tokens = [[direction, _plain_or_none(value, "edge label")] for direction, value in edges.tokens]
    contents = {
        "estimator": stored.estimator,
        "parameters": stored.parameters,
        "target": _described(stored.target),
        "colors": {
            "kind": table.kind,
            "values": values,
            "scale": list(table.scale),
            "columns": _plain(table.columns.labels, "node label"),
        },
        "edges": {
            "kind": edges.kind,
            "tokens": tokens,
            "scale": list(edges.scale),
            "columns": _plain(edges.columns.labels, "edge label"),
        },
        "seed": stored.seed,
        "networks": len(stored.models),
        "calibration": stored.calibration._asdict(),
        "noise": None if stored.noise is None else stored.noise.tolist(),
        "versions": {name: metadata.version(name) for name in ("wlt", "torch", "numpy")},
    }
    try:
        text = json.dumps(contents, allow_nan=False)
    except (ValueError, TypeError) as error:
        raise ModelFileError(f"{path}: the model cannot be stored: {error}") from None
    tensors = {
        f"{_prefix(i, len(stored.models))}{name}": tensor.contiguous()
        for i, model in enumerate(stored.models)
        for name, tensor in model.state_dict().items()
    }
    information = {"format": FORMAT, "version": str(VERSION), "contents": text, "sha256": checksum(text, tensors)}
    try:
        with replacing(Path(path)) as file:
            file.write(safetensors.torch.save(tensors, information))
    except OSError as error:
        raise ModelFileError(f"{path} cannot be written: {error.strerror or error}") from None


def read(path: str | os.PathLike[str]) -> Stored:
    """The classifier in a model file, whose weights fit what is said about them."""
    information, tensors = _read_safetensors(path)
    if information.get("format") != FORMAT:
        raise ModelFileError(f"{path} is a safetensors file, but no model of wlt")
    version = information.get("version", "")
    if version not in ("1", "2", "3"):
        raise ModelFileError(
            f"{path}: format {version[:20]!r}, and this wlt reads formats '1' to '{VERSION}'; another wlt wrote it"
        )
    text = information.get("contents", "")
    if information.get("sha256") != checksum(text, tensors):
        raise ModelFileError(f"{path} is damaged: its checksum is wrong")
    try:
        contents = json.loads(text)
        parameters, seed = contents["parameters"], contents["seed"]
        if not isinstance(parameters, dict) or type(seed) is not int or not 0 <= seed < 2**64:
            raise ValueError("parameters or seed of a wrong type")
        if version == "1":
            parameters["recolor"] = _recolor_of_version_1(parameters["recolor"], parameters.pop("draws"))
            parameters["node_labels"] = parameters.pop("node_colors")
        if version in ("1", "2"):
            parameters["edge_labels"] = None
            contents["edges"] = {"kind": "none", "tokens": [], "scale": []}
            contents |= {"estimator": "WLTClassifier", "target": {"kind": "classes", **contents["classes"]}}
            contents |= {"networks": 1, "calibration": {"temperature": 1.0, "held_out": 0}, "noise": None}
        parameters.setdefault("residual", False)  # files from before there was any other
        if type(parameters["residual"]) is not bool:
            raise ValueError(f"residual is {str(parameters['residual'])[:40]!r}")
        parameters.setdefault("views", 0)
        if type(parameters["views"]) is not int or parameters["views"] < 0:
            raise ValueError(f"views is {str(parameters['views'])[:40]!r}")
        target, table, edges = _target(contents["target"]), _table(contents["colors"]), _edges(contents["edges"])
        number = contents["networks"]
        if type(number) is not int or not 1 <= number <= len(tensors):
            raise ValueError(f"{number!r} networks")
        models = [_model(parameters, table, edges, target, _of_network(tensors, i, number)) for i in range(number)]
        calibration, noise = _calibration(contents["calibration"]), _noise(contents["noise"], target)
        estimator = contents["estimator"]
        if estimator != ("WLTRegressor" if isinstance(target, Numbers) else "WLTClassifier"):
            raise ValueError(f"the estimator {str(estimator)[:40]!r}")
    except KeyError as error:
        raise ModelFileError(f"{path}: the description of the model lacks {error}") from None
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise ModelFileError(f"{path}: the description of the model is wrong: {_line(error)}") from None
    return Stored(estimator, parameters, target, table, edges, seed, models, calibration, noise)


def _read_safetensors(path: str | os.PathLike[str]) -> tuple[dict[str, str], dict[str, Tensor]]:
    import safetensors

    try:
        with open(path, "rb") as file:
            start = file.read(8)
    except OSError as error:
        raise ModelFileError(f"{path}: {error.strerror or error}") from None
    try:
        with safetensors.safe_open(path, framework="pt") as opened:
            tensors = {name: opened.get_tensor(name).clone() for name in opened.keys()}  # noqa: SIM118
            return dict(opened.metadata() or {}), tensors
    except Exception as error:  # whatever the library finds wrong
        kinds = {b"": "it is empty", b"PK": "it is a zip archive", b"\x80": "it is a pickle", b"\x1f\x8b": "it is gzip"}
        kind = next((kinds[magic] for magic in (b"PK", b"\x80", b"\x1f\x8b") if start.startswith(magic)), None)
        reason = (kind or _line(error)) if start else kinds[b""]
        raise ModelFileError(f"{path} is no model file, or a damaged one: {reason}") from None


def checksum(text: str, tensors: Mapping[str, Tensor]) -> str:
    """Of everything in a model file that its reader uses."""
    digest = hashlib.sha256(text.encode())
    for name in sorted(tensors):
        tensor = tensors[name]
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()


def _model(
    parameters: Mapping[str, Any],
    table: LabelTable,
    edges: EdgeTable,
    target: Target,
    tensors: Mapping[str, Tensor],
) -> WLTGNN:
    structure, hidden = Structure(parameters["structure"]), parameters["hidden"]
    if type(hidden) is not int or hidden < 1:
        raise ValueError(f"hidden is {hidden!r}")
    inputs, depth = table.num_inputs, structure.depth
    residual = parameters["residual"]
    widths = (hidden if residual else inputs) + (depth - 1) * hidden  # of the messages that the layers take, together
    least = hidden * (widths + depth * hidden + hidden + target.outputs + residual * inputs)
    least += parameters["views"] * 2 * hidden * hidden
    least += (edges.num_edge_labels + len(DIRECTIONS) * edges.edge_features) * widths
    if least > sum(tensor.numel() for tensor in tensors.values()):
        raise ValueError("the weights are fewer than its structure, hidden units, colours and classes need")
    model = WLTGNN(
        inputs,
        hidden,
        target.outputs,
        num_edge_labels=edges.num_edge_labels,
        edge_features=edges.edge_features,
        structure=structure,
        recolor=parameters["recolor"],
        dropout=parameters["dropout"],
        residual=parameters["residual"],
        views=parameters["views"],
        generator=torch.Generator().manual_seed(0),  # torch's own stays as it is; these weights are overwritten
    ).double()
    expected = model.state_dict()
    for name in sorted(expected.keys() | tensors.keys()):
        if name not in tensors or name not in expected:
            raise ValueError(f"the tensor {name[:60]!r} is {'missing' if name in expected else 'unknown'}")
        tensor, wanted = tensors[name], expected[name]
        if tensor.shape != wanted.shape or tensor.dtype != wanted.dtype:
            actual = f"{tensor.dtype} {list(tensor.shape)}"
            raise ValueError(f"the tensor {name!r} is {actual} instead of {wanted.dtype} {list(wanted.shape)}")
        if not torch.isfinite(tensor).all() or (name.endswith("running_var") and (tensor < 0).any()):
            raise ValueError(f"the tensor {name!r} has impossible numbers")
    model.load_state_dict(dict(tensors))
    return model.eval()


def _recolor_of_version_1(recolor: Any, draws: Any) -> Any:
    """Version 1 had the whole class as 1.0, and draws apart."""
    if type(draws) is not int:
        raise ValueError(f"draws must be a whole number, not {draws!r}")
    nodes = "100%" if type(recolor) is float and recolor == 1 else recolor
    return nodes if draws == 1 else f"{nodes},draws:{draws}"


def _plain(value: Any, what: str) -> Any:
    """A label as JSON knows it; tuples become lists."""
    if isinstance(value, tuple):
        return [_plain(part, what) for part in value]
    if not isinstance(value, (str, bool, int, float)):
        raise ModelFileError(f"{what} {value!r}: only strings, numbers, booleans and tuples of them can be stored")
    return value


def _plain_or_none(value: Any, what: str) -> Any:
    return None if value is None else _plain(value, what)


def _restored(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_restored, value))
    if not isinstance(value, (str, bool, int, float)):
        raise ValueError(f"the label {value!r}")
    return value


def _prefix(network: int, networks: int) -> str:
    """Before the names of a network's tensors; where there is one network, nothing."""
    return "" if networks == 1 else f"{network}:"


def _of_network(tensors: Mapping[str, Tensor], network: int, networks: int) -> dict[str, Tensor]:
    prefix = _prefix(network, networks)
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def _described(target: Target) -> dict[str, Any]:
    if isinstance(target, Classes):
        return {"kind": "classes", "type": _type_name(target.classes), "values": target.classes.tolist()}
    if isinstance(target, Binaries):
        return {"kind": "binaries", "columns": list(target.columns)}
    assert isinstance(target, Numbers)
    scaled = {"shift": target.shift.tolist(), "scale": target.scale.tolist()}
    return {"kind": "numbers", "columns": list(target.columns), "loss": target.kind, **scaled}


def _target(stored: Mapping[str, Any]) -> Target:
    kind = stored["kind"]
    if kind == "classes":
        return Classes(_classes(stored))
    columns = tuple(stored["columns"])
    if not all(isinstance(name, str) for name in columns):
        raise ValueError("columns without a name")
    if kind == "binaries":
        if not columns:
            raise ValueError("no columns")
        return Binaries(columns)
    if kind != "numbers" or stored["loss"] not in LOSSES:
        raise ValueError("a target of an unknown kind")
    shift, scale = _numbers(stored["shift"]), _numbers(stored["scale"])
    if not len(shift) == len(scale) == (len(columns) or 1) or (scale <= 0).any():
        raise ValueError("columns with an impossible scale")
    return Numbers(shift, scale, stored["loss"], columns)


def _numbers(values: Any) -> NDArray[np.float64]:
    if not isinstance(values, list) or not all(type(value) is float and isfinite(value) for value in values):
        raise ValueError("numbers that are not finite")
    return np.array(values, np.float64)


def _calibration(stored: Mapping[str, Any]) -> Calibration:
    temperature, held_out = stored["temperature"], stored["held_out"]
    doubt = stored.get("doubt", 0.0)  # files from before there was any
    if type(temperature) is not float or not 0 < temperature < inf or type(held_out) is not int or held_out < 0:
        raise ValueError("an impossible calibration")
    if type(doubt) is not float or not 0 <= doubt < 1:
        raise ValueError("an impossible doubt of the calibration")
    return Calibration(temperature, held_out, doubt)


def _noise(stored: Any, target: Target) -> NDArray[np.float64] | None:
    if stored is None:
        return None
    noise = _numbers(stored)
    if len(noise) != target.outputs or (noise < 0).any():
        raise ValueError("an impossible error of held-out graphs")
    return noise


def _type_name(classes: NDArray[Any]) -> str:
    """The numpy type of the class labels, which are strings, numbers or booleans; without the length of strings."""
    return "str" if classes.dtype.kind == "U" else classes.dtype.name


def _classes(stored: Mapping[str, Any]) -> NDArray[Any]:
    name, values = stored["type"], stored["values"]
    if not isinstance(name, str) or not re.fullmatch(r"bool|u?int(8|16|32|64)|float(16|32|64)|str|object", name):
        raise ValueError(f"classes of the type {str(name)[:20]!r}")
    kinds = {"b": (bool,), "i": (int,), "u": (int,), "f": (float,), "s": (str,), "o": (bool, int, float, str)}
    if not isinstance(values, list) or len(set(map(_restored, values))) != len(values) or len(values) < 2:
        raise ValueError("fewer than two different classes")
    for value in values:
        if type(value) not in kinds[name[0]]:
            raise ValueError(f"class {str(value)[:20]!r} is not of the type {name}")
    classes = np.array(values, dtype=name)
    if name != "object" and len(np.unique(classes)) != len(values):  # 1.0 and 1.0001 are one float16
        raise ValueError(f"classes that are the same number as {name}")
    return classes


def _table(stored: Mapping[str, Any]) -> LabelTable:
    kind, values, scale = stored["kind"], tuple(map(_restored, stored["values"])), tuple(stored["scale"])
    if kind not in ("labels", "rows", "degrees", "features") or len(set(values)) != len(values):
        raise ValueError("a table of colours with repetitions, or of an unknown kind")
    if kind == "degrees" and not (
        all(type(value) is int and 0 <= value <= MAX_NODES for value in values) and list(values) == sorted(values)
    ):
        raise ValueError("degrees that are not ascending whole numbers, or more than a graph can have")
    _check_scale(scale)
    columns = _columns(stored, kind)
    if bool(scale) != (kind == "features") or bool(values) != (kind in ("labels", "degrees")):
        raise ValueError(f"a table of {kind} with nothing, or with something else, in it")
    return LabelTable(kind, values, scale, columns)


def _edges(stored: Mapping[str, Any]) -> EdgeTable:
    kind, scale = stored["kind"], tuple(stored["scale"])
    pairs = [(direction, value) for direction, value in stored["tokens"]]
    tokens = tuple((direction, None if value is None else _restored(value)) for direction, value in pairs)
    if kind not in ("none", "labels", "rows", "features") or len(set(tokens)) != len(tokens):
        raise ValueError("a table of edge labels with repetitions, or of an unknown kind")
    if any(direction not in DIRECTIONS for direction, _ in tokens):
        raise ValueError("edges with an unknown direction")
    _check_scale(scale)
    columns = _columns(stored, kind)
    if bool(scale) != (kind == "features") or bool(tokens) == (kind == "none"):
        raise ValueError(f"edges that carry {kind}, with nothing, or with something else, in the table")
    return EdgeTable(kind, tokens, scale, columns)


def _columns(stored: Mapping[str, Any], kind: str) -> Columns:
    """Of rows of labels; files of models that were trained without have none."""
    labels = tuple(map(_restored, stored.get("columns", [])))
    if bool(labels) != (kind == "rows") or not all(isinstance(column, tuple) and column for column in labels):
        raise ValueError("rows of labels without columns, or columns without rows of labels")
    if any(len(set(column)) != len(column) for column in labels):
        raise ValueError("a column of labels with repetitions")
    return Columns(labels)


def _check_scale(scale: tuple[Any, ...]) -> None:
    if not all(type(factor) is float and 0 < factor < inf for factor in scale):
        raise ValueError("features with an impossible scale")


def _line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0][:200]
