"""`explain`: what every node and every edge contributes to a prediction."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from wlt.drawing.picture import short
from wlt.drawing.svg import text
from wlt.estimator.base import WLTEstimator
from wlt.estimator.inputs import Inputs
from wlt.explaining.occlusion import answers
from wlt.explaining.picture import evidence_svg
from wlt.explorer.page import document
from wlt.graphs import Graphs
from wlt.io.atomic import replacing
from wlt.progress import progress_bar
from wlt.train.target import Classes, Numbers
from wlt.train.threads import torch_threads
from wlt.wording import listed

CSS = """
.stage svg { display: block; width: min(100%, 560px); height: auto; border-radius: 8px; margin: 8px 0; }
.parts { border-collapse: collapse; background: var(--paper); border-radius: 8px; font-variant-numeric: tabular-nums; }
.parts th, .parts td { padding: 4px 12px; text-align: right; }
.parts th { font-weight: 600; color: var(--quiet); }
.parts th:first-child, .parts td:first-child { text-align: left; }
"""


@dataclass(frozen=True, eq=False)
class Explanation:
    """The evidence for a prediction. In a notebook it draws itself.

    A contribution is what the model's score loses without a node or an edge: what is above 0 speaks for the
    answer, what is below speaks against it. Contributions need not add up to the score: two atoms that only count
    together lose it each.
    """

    graph: Graphs
    """The one graph, as the model read it."""
    answer: str
    """What is explained, such as "class 'yes'"."""
    score: float
    """What the model says of it: log-odds of a class (above 0: more likely than all others), or the number itself."""
    nodes: NDArray[np.float64]  # [nodes] contributions
    edges: NDArray[np.int64]  # [edges, 2] both ends of each
    edge_contributions: NDArray[np.float64]  # [edges]
    unit: str = "log-odds"
    """Of the score and the contributions; empty: that of the number that is predicted."""

    @property
    def svg(self) -> str:
        """The graph, or the molecule as chemists draw it, with what speaks for the answer in blue and what speaks
        against it in orange."""
        return evidence_svg(self.graph, self.nodes, self.edges, self.edge_contributions, str(self))

    def strongest(self, number: int = 5) -> list[tuple[str, float]]:
        """The nodes and edges with the largest contributions, by their names."""
        names = [self._name(v) for v in range(len(self.nodes))]
        if self.graph.kind == "labels" and not self.graph.union.names:
            names = [f"{name} ({short(str(label))})" for name, label in zip(names, self.graph.carried(), strict=True)]
        ends = [f"{names[u]} - {names[v]}" for u, v in self.edges.tolist()]
        parts = [*zip([f"node {name}" for name in names], self.nodes.tolist(), strict=True)]
        parts += zip([f"edge {name}" for name in ends], self.edge_contributions.tolist(), strict=True)
        return sorted(parts, key=lambda part: -abs(part[1]))[:number]

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON knows it."""
        names = [self._name(v) for v in range(len(self.nodes))]
        triples = zip(self.edges.tolist(), self.edge_contributions.tolist(), strict=True)
        return {
            "graph": self.graph.place(0),
            "answer": self.answer,
            "score": self.score,
            "unit": self.unit,
            "nodes": [
                {"node": name, "contribution": value} for name, value in zip(names, self.nodes.tolist(), strict=True)
            ],
            "edges": [{"edge": [names[u], names[v]], "contribution": value} for (u, v), value in triples],
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture as .svg, or as a page, .html."""
        suffix = Path(path).suffix.lower()
        if suffix not in (".svg", ".html"):
            raise ValueError(f"{path}: an explanation is written as .svg or .html")
        with replacing(Path(path)) as file:
            file.write((self.svg if suffix == ".svg" else self.html).encode("utf-8"))

    @property
    def html(self) -> str:
        """A page with the picture and the strongest evidence: one file that needs no network."""
        rows = "".join(f"<tr><td>{text(name)}</td><td>{value:+.3g}</td></tr>" for name, value in self.strongest(20))
        head = "<thead><tr><th>without</th><th>the score loses</th></tr></thead>"
        body = (
            f"<h1>{text(self.graph.place(0))}</h1>\n<p>{text(str(self))}</p>\n"
            f'<div class="stage">{self.svg}</div>\n'
            '<p class="quiet">Blue speaks for the answer, orange against it. A contribution is what the score loses '
            f"without the node or the edge.{self._of_log_odds()}</p>\n"
            f"<table class='parts'>{head}<tbody>{rows}</tbody></table>"
        )
        return document(f"wlt explain: {self.graph.place(0)}", body, CSS)

    def _of_log_odds(self) -> str:
        return " The score is in log-odds: above 0 the answer is more likely than not." if self.unit else ""

    def _name(self, node: int) -> str:
        names = self.graph.union.names
        return str(names[node]) if names else str(node)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"Explanation({self.graph.place(0)}: {self})"

    def __str__(self) -> str:
        return f"{self.answer}: {self.score:.3g}" + (f" ({self.unit})" if self.unit else "")


def explain(model: Any, graph: Any, target: Any = None) -> Explanation:
    """What every node and every edge of a graph contributes to a prediction of a fitted WLTClassifier or WLTRegressor.

    Each is taken away in turn, and all else stays: the labels of the others, also where they are degrees, and the nodes
    that the model recolours. The networks answer for each of these graphs, and for all of them at once: they share
    almost all of their class rows, so this costs little.

    graph: anything that the model predicts; one graph. target: the class to explain, by default the one that is
    predicted; where the model has several columns, which of them, by its name or number.

    >>> import networkx as nx
    >>> from wlt import WLTClassifier
    >>> graphs = [nx.path_graph(n) for n in range(5, 15)] + [nx.lollipop_graph(3, n) for n in range(2, 12)]
    >>> model = WLTClassifier("ggg", hidden=16, epochs=30, audit=False, random_state=0)
    >>> model = model.fit(graphs, ["chain"] * 10 + ["with a triangle"] * 10)
    >>> evidence = explain(model, nx.lollipop_graph(3, 6))
    >>> evidence.answer, evidence.nodes.argsort()[-3:].tolist()  # nodes 0, 1 and 2 are the triangle
    ("class 'with a triangle'", [1, 0, 2])
    """
    if not isinstance(model, WLTEstimator):
        raise TypeError(f"a fitted WLTClassifier or WLTRegressor is needed, not {type(model).__name__}")
    check_is_fitted(model, "models_")
    data = model._read(graph if isinstance(graph, Graphs) else [graph])
    if data.union.num_nodes == 1:
        raise ValueError("a graph of one node has no parts that could be taken away")
    if len(data) != 1:
        raise ValueError(f"one graph is explained at a time, not {len(data)}; choose one, such as graphs[0]")
    inputs = Inputs.of(data, model.table_, model.edge_table_, model.unseen)
    inputs.warn_of_unseen()
    column, answer = _target(model, data, target)
    size = len(model.models_) * (1 + data.union.num_nodes + data.union.num_edges)
    with (
        torch_threads(model.n_jobs),
        progress_bar("explain", size, "always" if model.verbose else "never") as advance,
    ):
        found = [answers(network, inputs, model.draws_of(network, inputs), advance) for network in model.models_]
    scores = _scores(model, np.concatenate([each.outputs for each in found], axis=1), column)
    lost = _mean(scores[0] - scores[1:], np.concatenate([each.comparable for each in found], axis=1)[1:])
    n = data.union.num_nodes
    unit = "" if isinstance(model.target_, Numbers) else "log-odds"
    return Explanation(data, answer, float(scores[0].mean()), lost[:n], data.union.edges(), lost[n:], unit)


def _target(model: Any, data: Graphs, target: Any) -> tuple[int, str]:
    """Which output is explained, and what it is called."""
    known = model.target_
    if isinstance(known, Classes):
        classes = known.classes.tolist()
        chosen = model.predict(data).tolist()[0] if target is None else target
        if chosen not in classes:
            raise ValueError(f"there is no class {chosen!r}; the model knows {listed(classes)}")
        return classes.index(chosen), f"class {chosen!r}"
    columns = list(known.columns) or [""]
    if target is None and len(columns) > 1:
        raise ValueError(f"the model has {len(columns)} columns; target: which of {listed(columns)}?")
    if target is None:
        return 0, f"column {columns[0]!r}" if known.columns else "the number"
    if target in columns:
        return columns.index(target), f"column {target!r}"
    if isinstance(target, (int, np.integer)) and 0 <= target < len(columns):
        return int(target), f"column {columns[target]!r}"
    raise ValueError(f"there is no column {target!r}; the model has {listed(columns)}")


def _scores(model: Any, outputs: NDArray[np.float64], column: int) -> NDArray[np.float64]:
    """[...] of outputs [..., outputs]: the log-odds of a class or column, or the number itself."""
    if isinstance(model.target_, Numbers):
        numbers: NDArray[np.float64] = model.target_.decode(torch.from_numpy(outputs)).numpy()
        return numbers[..., column]
    if isinstance(model.target_, Classes):
        others = np.delete(outputs, column, axis=-1)
        margin: NDArray[np.float64] = outputs[..., column] - np.logaddexp.reduce(others, axis=-1)
        return margin
    return outputs[..., column]


def _mean(values: NDArray[np.float64], counting: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Of each row, the mean of the values that count; of all, where none does."""
    counting = counting | ~counting.any(axis=1, keepdims=True)
    mean: NDArray[np.float64] = (values * counting).sum(axis=1) / counting.sum(axis=1)
    return mean
