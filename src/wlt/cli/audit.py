"""`wlt audit` and `wlt datasets`."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated

import typer

from wlt.cli.console import BadInput, JsonOption, print_table, reading_input, say, telling_warnings
from wlt.cli.source import KINDS, NodeColorsOption, RootOption, SmilesOption, TargetOption, read
from wlt.wording import count

if TYPE_CHECKING:
    from wlt.auditing.audit import Audit
    from wlt.data.summary import Row


def audit(
    source: Annotated[
        str | None,
        typer.Argument(metavar="NAME|PATH", help=f"Graphs: {KINDS}.", show_default=False),
    ] = None,
    fullerenes: Annotated[bool, typer.Option("--fullerenes", help="The fullerenes C36 to C44 instead.")] = False,
    rounds: Annotated[
        int | None, typer.Option(min=0, metavar="T", help="WL rounds of a GNN; default: the depth of the structure.")
    ] = None,
    structure: Annotated[str, typer.Option(help="Layers of WLT-GNN: g is GIN, r recoloring.")] = "gggrgg",
    folds: Annotated[int, typer.Option(min=2, metavar="K", help="Folds between which copies leak.")] = 10,
    target: TargetOption = None,
    smiles: SmilesOption = None,
    node_colors: NodeColorsOption = "auto",
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """What does a dataset allow? Ceilings of training accuracy, duplicates, contradictions and leaks."""
    from wlt.auditing.audit import audit as audit_of
    from wlt.data import fullerenes as all_fullerenes
    from wlt.structure import Structure

    if (source is None) != fullerenes:
        raise BadInput("one thing to audit is needed: a dataset's name or path, or --fullerenes")
    with reading_input(), telling_warnings():
        Structure(structure)
        if source is None:
            if (target, smiles, node_colors) != (None, None, "auto"):
                raise ValueError("--target, --smiles and --node-colors are for graphs of your own")
            found = audit_of(all_fullerenes(), rounds=rounds, structure=structure, folds=folds)
        else:
            given = read(source, target, smiles, node_colors, root)
            if given.labels is None:
                say("no labels, and so no ceilings: --target names their column")
            found = audit_of(given.graphs, given.labels, rounds=rounds, structure=structure, folds=folds)
            found = replace(found, name=given.name)
    if as_json:
        print(json.dumps(found.to_dict()))
    else:
        print_audit(found)


def print_audit(found: Audit) -> None:
    """An audit as a table, with its conclusion below."""
    bounds = [
        (f"WL, {count(found.rounds, 'round')}", found.distinct_wl_rounds, found.ceiling_wl_rounds),
        ("WL, any depth", found.distinct_wl, found.ceiling_wl),
        (f"{found.structure}, one draw", "", found.ceiling_wlt_one_draw),
        (f'{found.structure}, recolor="all"', found.distinct_wlt_all, found.ceiling_wlt_all),
        (f"{found.structure}, many draws", found.distinct_wlt, found.ceiling_wlt),
        ("isomorphism", found.distinct_isomorphism, found.ceiling_isomorphism),
    ]
    title = f"{found.name}: {count(found.graphs, 'graph')}, {found.amenable:.1f} % of them amenable"
    table = [(name, _shown(kinds), _percent(ceiling)) for name, kinds, ceiling in bounds]
    print_table(title, ("a model bounded by", "tells apart", "reaches at most in training"), table)
    copies = [
        ("duplicates", found.duplicates, f"isomorphic to an earlier graph; {count(found.duplicate_groups, 'group')}"),
        ("contradictions", _shown(found.contradictions), "with a copy that has another label"),
        ("leaks", _shown(found.leaks), f"with a copy in another of {found.folds} folds"),
    ]
    print_table("Isomorphic copies", ("", "graphs", ""), copies)
    kept = zip(found.rows_kept, found.edges_kept, found.rows_kept_whole, found.edges_kept_whole, strict=True)
    layers = [(i + 1, *map(_percent, percents)) for i, percents in enumerate(kept)]
    columns = ("layer", "rows", "edges", "rows, whole set", "edges, whole set")
    print_table("Compression: rows and edges kept, in batches of 128 graphs", columns, layers)
    for note in found.notes:
        print(f"Not known: {note}.")
    print(found.conclusion)


def datasets(root: RootOption = None, as_json: JsonOption = False) -> None:
    """The paper's datasets and what else is at hand, beside the published statistics. Downloads nothing."""
    from wlt.data import summary

    with reading_input():
        rows = summary(root=root)
    if as_json:
        print(json.dumps({row.name: asdict(row) for row in rows}))
        return
    columns = ("", "graphs", "classes", "nodes", "edges", "node labels")
    title = "Datasets; nodes and edges of the average graph"
    print_table(title, columns, [line for row in rows for line in _dataset_lines(row)])
    for row in rows:
        if row.found and (row.found.removed_loops or row.found.removed_repeats):
            loops, repeats = row.found.removed_loops, row.found.removed_repeats
            print(f"{row.name}: {count(loops, 'loop')} and {count(repeats, 'repeated edge')} left out")
        if row.problem:
            print(f"{row.name}: {row.problem}")


def _dataset_lines(row: Row) -> list[tuple[object, ...]]:
    """What was found, and below it what is published."""
    lines: list[tuple[object, ...]] = [(row.name, *["-"] * 5)]
    found, published = row.found, row.published
    if found is not None:
        nodes, edges = (total / max(1, found.graphs) for total in (found.nodes, found.edges))
        labels = found.node_labels or "-"
        lines = [(row.name, found.graphs, len(found.class_sizes), f"{nodes:.2f}", f"{edges:.2f}", labels)]
    if published is not None:
        averages = f"{published.nodes:.2f}", f"{published.edges:.2f}"
        lines.append(("  published", published.graphs, published.classes, *averages, ""))
    return lines


def _shown(value: object) -> object:
    return "-" if value is None else value


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f} %"
