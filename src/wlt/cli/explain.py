"""`wlt explain`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wlt.cli.argument import path_and_index
from wlt.cli.console import JSON_SCHEMA, JsonOption, check_writable, print_table, reading_input, say, telling_warnings
from wlt.cli.model_data import graphs_for
from wlt.cli.source import KINDS, RootOption, SmilesOption
from wlt.wording import count

if TYPE_CHECKING:
    from wlt.graphs import Graphs

MOST_ROWS = 15


def explain(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A model file of wlt train.", show_default=False)],
    graph: Annotated[
        str,
        typer.Argument(
            metavar="GRAPH", help=f"A graph: one of {KINDS}. --graph says which of several.", show_default=False
        ),
    ],
    number: Annotated[
        int | None, typer.Option("--graph", min=0, metavar="N", help="Which of several graphs, counted from 0.")
    ] = None,
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
        from wlt.estimator.load import load
        from wlt.explaining.explain import explain as explained

        estimator = load(model)
        chosen = _chosen(graph, number, estimator, smiles, root)
        evidence = explained(estimator, chosen, _class(estimator, target))
        if out is not None:
            evidence.save(out)
    if as_json:
        print(json.dumps({"schema": JSON_SCHEMA, **evidence.to_dict()}, allow_nan=False))
        return
    rows = [(name, f"{value:+.3g}") for name, value in evidence.strongest(MOST_ROWS)]
    print_table(f"{chosen.place(0)}: {evidence}", ("without", "the score loses"), rows)
    if out is not None:
        print(f"Drawn in {out}: blue speaks for the answer, orange against it.")


def _chosen(argument: str, number: int | None, estimator: Any, smiles: str | None, root: str | None) -> Graphs:
    """The one graph that is meant."""
    data, index = path_and_index(argument)
    if index is not None and number is not None:
        raise ValueError(f"{argument} says which graph, and --graph {number} too; leave one of them out")
    which = index if number is None else number
    graphs = graphs_for(estimator, data, smiles, root)
    if which is None and len(graphs) > 1:
        say(f"{data} has {len(graphs)} graphs: this is the first; --graph says another one, counted from 0")
    if (which or 0) >= len(graphs):
        raise ValueError(f"--graph {which}: {data} has {count(len(graphs), 'graph')}, counted from 0")
    chosen = graphs[which or 0]
    return chosen if chosen.names else replace(chosen, names=(f"{graphs.name}, graph {which or 0}",))


def _class(estimator: Any, target: str | None) -> Any:
    """The class that is written so."""
    if target is None or estimator.target_.columns or not hasattr(estimator, "classes_"):
        return target
    named = {str(label): label for label in estimator.classes_.tolist()}
    return named.get(target, target)
