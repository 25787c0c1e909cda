"""`wlt audit` and `wlt datasets`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wlt.cli.console import (
    JSON_SCHEMA,
    BadInput,
    JsonOption,
    TimeLimitOption,
    check_writable,
    keeping,
    print_table,
    reading_input,
    say,
    telling_warnings,
)
from wlt.cli.source import (
    KINDS,
    AtomsOption,
    EdgeLabelsOption,
    NodeLabelsOption,
    RootOption,
    SmilesOption,
    TargetOption,
    edge_labels_of,
    read,
)
from wlt.cli.streams import RayOption, SkipOption, WorkersOption, advancing, place_of_work, streams_of, tell
from wlt.refine.bliss import DEFAULT_SECONDS
from wlt.wording import count

if TYPE_CHECKING:
    from wlt.auditing import Audit
    from wlt.data.stream import Stream
    from wlt.data.summary import Row
    from wlt.work.calls import Place


def audit(
    data: Annotated[
        list[str] | None, typer.Argument(metavar="DATA...", help=f"Graphs: {KINDS}.", show_default=False)
    ] = None,
    fullerenes: Annotated[bool, typer.Option("--fullerenes", help="The fullerenes C36 to C44 instead.")] = False,
    rounds: Annotated[
        int | None, typer.Option(min=0, metavar="T", help="WL rounds of a GNN; default: the depth of the structure.")
    ] = None,
    structure: Annotated[str, typer.Option(help="Layers of WLT-GNN: g is GIN, r recoloring.")] = "gggrgg",
    folds: Annotated[int, typer.Option(min=2, metavar="K", help="Folds between which copies leak.")] = 10,
    target: TargetOption = None,
    smiles: SmilesOption = None,
    node_labels: NodeLabelsOption = "auto",
    edge_labels: EdgeLabelsOption = "auto",
    atoms: AtomsOption = "all",
    root: RootOption = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Also write a page with the graphs, drawn.")
    ] = None,
    time_limit: TimeLimitOption = DEFAULT_SECONDS,
    workers: WorkersOption = 1,
    ray: RayOption = None,
    skip: SkipOption = False,
    as_json: JsonOption = False,
) -> None:
    """What does a dataset allow? Ceilings of training accuracy, duplicates, contradictions and leaks.

    Several DATA are audited as one set. These, and any DATA with --workers or --ray, are read chunk by chunk: memory
    holds a few thousand graphs for each worker, and some 60 bytes of every graph."""
    from wlt.auditing import audit as audit_of
    from wlt.data import fullerenes as all_fullerenes
    from wlt.structure import Structure

    if data and (len(data) > 1 or workers > 1 or ray is not None):
        if fullerenes or html is not None:
            raise BadInput("--fullerenes and --html are for one set in memory: without --workers, --ray and more DATA")
        options = {"rounds": rounds, "structure": structure, "folds": folds, "time_limit": time_limit}
        with streams_of(data, smiles, node_labels, edge_labels, atoms, root, target) as streams:
            _print_result(_streamed(streams, options, skip, place_of_work(workers, ray)), as_json)
        return
    source = data[0] if data else None
    if skip:
        raise BadInput("--skip-unreadable is for several DATA, --workers or --ray; one table's rows are always listed")
    if (source is None) != fullerenes:
        raise BadInput("one thing to audit is needed: a dataset's name or path, or --fullerenes")
    with reading_input(), telling_warnings():
        Structure(structure)
        if html is not None:
            check_writable(html, "--html", *([] if source is None else [source]))
        if source is None:
            if (target, smiles, node_labels, edge_labels) != (None, None, "auto", "auto"):
                raise ValueError("--target, --smiles, --node-labels and --edge-labels are for graphs of your own")
            graphs = all_fullerenes()
        else:
            edges = edge_labels_of(edge_labels)
            graphs = read(source, target, smiles, node_labels, root, edge_labels=edges, atoms=atoms)
            if graphs.targets is None:
                say(_no_labels(graphs.table is not None))
        result = audit_of(graphs, rounds=rounds, structure=structure, folds=folds, time_limit=time_limit)
    if html is not None:
        from wlt.auditing.page import audit_page
        from wlt.io.atomic import replacing

        with replacing(html) as file:
            file.write(audit_page(graphs, result).encode("utf-8"))
    with keeping("" if html is None else f"{html} is complete"):
        _print_result(result, as_json)
        if html is not None:
            say(f"{html.resolve()}: open it in any browser")


def _streamed(streams: Sequence[Stream], options: dict[str, Any], skip: bool, place: Place | None) -> Audit:
    from wlt.auditing.streamed import audit_streams

    for stream in streams:
        if stream.reading.target is not None and stream.kind != "SMILES":
            raise ValueError(
                f"--target with several DATA, --workers or --ray is for tables of molecules; {stream.data} is none"
            )
    name = ", ".join(Path(stream.data).name for stream in streams[:3]) + (", ..." if len(streams) > 3 else "")
    with advancing("audit", streams) as advance:
        result, told = audit_streams(streams, name=name, skip=skip, place=place, advance=advance, **options)
    tell(iter(told.problems), told.remarks, streams)
    if result.bounds["wl"].ceiling is None and result.bounds["wl"].mae is None:
        say(_no_labels(any(stream.kind in ("SMILES", "folder") for stream in streams)))
    return result


def _no_labels(table: bool) -> str:
    return "no labels, and so no ceilings" + (": --target names their column" if table else "")


def _print_result(result: Audit, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"schema": JSON_SCHEMA, **result.to_dict(), "conclusion": result.conclusion}))
    else:
        print_audit(result)


def print_audit(audit: Audit) -> None:
    """An audit as a table, with its conclusion below."""
    from wlt.auditing.wording import errors, model_names

    models = model_names(audit.structure, audit.rounds)
    known = "amenable" if audit.amenable is not None else "known to be identified by WL"
    title = f"{audit.name}: {count(audit.graphs, 'graph')}, {audit.identified:.1f} % of them {known}"
    distinct = {name: "" if name == "wlt_one_draw" else _shown(audit.bounds[name].distinct) for name in models}
    if audit.bounds["wl"].mae is None:
        table = [(model, distinct[name], _percent(audit.bounds[name].ceiling)) for name, model in models.items()]
        print_table(title, ("a model bounded by", "tells apart", "reaches at most in training"), table)
    else:
        known_bounds = {name: model for name, model in models.items() if name != "wlt_one_draw"}
        table = [(model, distinct[name], errors(audit.bounds[name])) for name, model in known_bounds.items()]
        print_table(title, ("a model bounded by", "tells apart", "has at least these errors in training"), table)
    copies = audit.copies
    groups = "" if copies.duplicate_groups is None else f"; {count(copies.duplicate_groups, 'group')}"
    rows = [
        ("duplicates", _shown(copies.duplicates), f"isomorphic to an earlier graph{groups}"),
        ("contradictions", _shown(copies.contradictions), "with a copy that has another label"),
        ("leaks", _shown(copies.leaks), f"with a copy in another of {copies.folds} folds"),
    ]
    print_table("Isomorphic copies", ("", "graphs", ""), rows)
    kept = zip(*audit.compression.batches, *audit.compression.whole, strict=True)
    layers = [(i + 1, *map(_percent, percents)) for i, percents in enumerate(kept)]
    columns = ("layer", "rows", "edges", "rows, whole set", "edges, whole set")
    print_table("Compression: rows and edges kept, in batches of 128 graphs", columns, layers)
    for note in audit.notes:
        print(f"Not known: {note}.")
    print_conclusion(audit)


def print_conclusion(audit: Audit) -> None:
    """What the numbers mean, and what was not looked at."""
    print(audit.conclusion)
    if audit.ignored:
        print(f"All this is about the graphs without {' and '.join(audit.ignored)}.")


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
        if row.counts and (row.counts.removed_loops or row.counts.removed_repeats):
            loops, repeats = row.counts.removed_loops, row.counts.removed_repeats
            print(f"{row.name}: {count(loops, 'loop')} and {count(repeats, 'repeated edge')} left out")
        if row.problem:
            print(f"{row.name}: {row.problem}")


def _dataset_lines(row: Row) -> list[tuple[object, ...]]:
    """The dataset's own counts, and below them what is published."""
    lines: list[tuple[object, ...]] = [(row.name, *["-"] * 5)]
    counts, published = row.counts, row.published
    if counts is not None:
        nodes, edges = (total / max(1, counts.graphs) for total in (counts.nodes, counts.edges))
        labels = counts.node_labels or "-"
        lines = [(row.name, counts.graphs, len(counts.class_sizes), f"{nodes:.2f}", f"{edges:.2f}", labels)]
    if published is not None:
        averages = f"{published.nodes:.2f}", f"{published.edges:.2f}"
        lines.append(("  published", published.graphs, published.classes, *averages, ""))
    return lines


def _shown(value: object) -> object:
    return "-" if value is None else value


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f} %"
