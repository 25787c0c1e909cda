"""`wlt explain`."""

from __future__ import annotations

import json
import os
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wlt.cli.argument import read_argument
from wlt.cli.console import JsonOption, check_writable, print_table, reading_input, telling_warnings
from wlt.cli.source import RootOption, SmilesOption, read

if TYPE_CHECKING:
    from wlt.graphs import Graphs

MOST_ROWS = 15


def explain(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A model file of wlt train.", show_default=False)],
    graph: Annotated[
        str,
        typer.Argument(
            metavar="GRAPH",
            help="DATA as wlt predict takes it, with --graph; or SMILES, or graph6.",
            show_default=False,
        ),
    ],
    number: Annotated[int, typer.Option("--graph", min=0, help="Which graph of DATA, counted from 0.")] = 0,
    target: Annotated[
        str | None, typer.Option(metavar="CLASS", help="The class, or column, to explain; else the predicted class.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw it: a picture, FILE.svg, or a page, FILE.html.")
    ] = None,
    smiles: SmilesOption = None,
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say which nodes and edges of a graph a model's prediction rests on."""
    with reading_input(), telling_warnings():
        if out is not None:
            check_writable(out, "--out", *(path for path in (model, Path(graph)) if path.exists()))
            if out.suffix.lower() not in (".svg", ".html"):
                raise ValueError(f"--out {out}: a picture is an .svg file, a page an .html file")
        from wlt.estimator.loading import load_estimator
        from wlt.explaining.explain import explain as explained
        from wlt.io.graphs import UnusedAttributesWarning

        estimator = load_estimator(model)
        warnings.simplefilter("ignore", UnusedAttributesWarning)  # the model is made, and training said it
        chosen = _chosen(graph, number, estimator, smiles, root)
        evidence = explained(estimator, chosen, _class(estimator, target))
        if out is not None:
            evidence.save(out)
    if as_json:
        print(json.dumps(evidence.to_dict(), allow_nan=False))
        return
    rows = [(name, f"{value:+.3g}") for name, value in evidence.strongest(MOST_ROWS)]
    print_table(f"{chosen.place(0)}: {evidence}", ("without", "the score loses"), rows)
    if out is not None:
        print(f"Drawn in {out}: blue speaks for the answer, orange against it.")


def _chosen(argument: str, number: int, estimator: Any, smiles: str | None, root: str | None) -> Graphs:
    """The one graph that is meant."""
    from wlt.data.cache import data_root
    from wlt.data.tu import is_name, locate

    rows = "rows" in (estimator.table_.kind, estimator.edge_table_.kind)
    atoms: Any = "all" if rows else "element"  # as in training
    at_hand = os.path.exists(argument) or (is_name(argument) and locate(argument, data_root(root) / "tu"))
    if at_hand:
        graphs = read(
            argument, None, smiles, estimator.node_labels, root, edge_labels=estimator.edge_labels, atoms=atoms
        )
        if number >= len(graphs):
            raise ValueError(f"--graph {number}: {argument} has {len(graphs)} graphs, counted from 0")
        return graphs[number]
    if estimator.table_.kind in ("rows", "labels"):
        from wlt.data.smiles import molecules

        with reading_input(f"{argument} is no file and no dataset at hand, and as SMILES: "):
            return replace(molecules([argument], atoms=atoms), names=(argument,))
    from wlt.io import as_graphs

    return as_graphs([read_argument(argument)])


def _class(estimator: Any, target: str | None) -> Any:
    """The class that is written so."""
    if target is None or estimator.target_.columns or not hasattr(estimator, "classes_"):
        return target
    named = {str(label): label for label in estimator.classes_.tolist()}
    return named.get(target, target)
