"""`wlt compare` and `wlt inspect`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

import wlt
from wlt.cli.argument import (
    EdgeLabelsOption,
    FirstGraph,
    NodeLabelsOption,
    SecondGraph,
    SeedOption,
    SimpleOption,
    counted_from,
    graph_of,
    read_argument,
    shortened,
)
from wlt.cli.console import JSON_SCHEMA, BadInput, JsonOption, TimeLimitOption, print_table, reading_input, say
from wlt.compare.kwl import MEMORY_LIMIT, KWLResult, kwl_memory
from wlt.compare.meaning import answers, meaning
from wlt.compare.tinhofer import random_nodes
from wlt.graphclass.classes import DEFAULT_BUDGET
from wlt.refine.bliss import DEFAULT_SECONDS
from wlt.wording import count, size_of_memory

if TYPE_CHECKING:
    from wlt.compare.exact import IsomorphismResult
    from wlt.graphclass.classes import GraphClass


def compare(
    g: FirstGraph,
    h: SecondGraph,
    seed: SeedOption = 0,
    trials: Annotated[int, typer.Option(min=1, max=10**6, help="Independent runs of Tinhofer's algorithm.")] = 1,
    recolor: Annotated[
        str,
        typer.Option(metavar="K|SHARE", help="Nodes of a class that Tinhofer's algorithm recolours together: 2, 50%."),
    ] = "1",
    guided: Annotated[
        bool, typer.Option("--guided", help="With --recolor: choose those of H by what those of G refine to.")
    ] = False,
    node_labels: NodeLabelsOption = None,
    edge_labels: EdgeLabelsOption = None,
    simple: SimpleOption = False,
    k: Annotated[
        int | None,
        typer.Option(min=1, max=3, help="Ask folklore k-WL too; 2 is what most papers call 3-WL.", show_default=False),
    ] = None,
    memory_limit: Annotated[float, typer.Option(metavar="GB", min=0, help="With --k: what it may take.")] = (
        MEMORY_LIMIT / 10**9
    ),
    time_limit: TimeLimitOption = DEFAULT_SECONDS,
    as_json: JsonOption = False,
) -> None:
    """Are two graphs isomorphic? The answers of WL, of Tinhofer's algorithm and of exact search."""
    with reading_input("--recolor: "):
        drawn = random_nodes(recolor)
    left_source, right_source = read_argument(g), read_argument(h)
    left, right = (
        graph_of(argument, source, edge_labels, simple) for argument, source in ((g, left_source), (h, right_source))
    )
    labels = None
    if node_labels is not None:
        with reading_input(f"--node-labels {node_labels}: graph 0 is {shortened(g)}, graph 1 is {shortened(h)}; "):
            labels, _ = wlt.node_codes([left_source, right_source], node_labels)
    kwl = None if k is None else _kwl(left, right, labels, k, memory_limit, not as_json)
    result = wlt.isomorphism(
        left,
        right,
        node_labels=labels,
        recolor=drawn,
        guided=guided,
        seed=seed,
        trials=trials,
        time_limit=time_limit,
    )
    if as_json:
        rows = answers(result, kwl)
        answer = {
            "schema": JSON_SCHEMA,
            **{key: _sizes(argument, graph) for key, argument, graph in (("g", g, left), ("h", h, right))},
            "verdict": result.verdict.value,
            "certain": result.certain,
            "decided_by": rows[-1][2].removeprefix("by ") if result.certain else None,
            "isomorphic": bool(result) if result.certain else None,
            "wl": result.wl.verdict.value,
            "wl_certain": result.wl.verdict is wlt.Verdict.NON_ISOMORPHIC,
            "rounds": result.wl.rounds,
            "tinhofer": result.tinhofer.verdict.value,
            "tinhofer_certain": result.tinhofer.mapping is not None,
            "recolorings": len(result.tinhofer.steps),
            "recolor": str(drawn),
            "guided": guided,
            "trials": result.tinhofer.trials,
            "time_limit": result.time_limit,
            "meaning": meaning(result),
            "mapping": None if result.mapping is None else result.mapping.tolist(),
            "share_accepted": result.tinhofer.share_accepted,
            "named_mapping": None,
            "ignored": list(result.ignored),
        }
        if kwl is not None:
            found = {"classes": kwl.classes, "memory": kwl.memory}
            certain = kwl.verdict is wlt.Verdict.NON_ISOMORPHIC
            verdict = {"verdict": kwl.verdict.value, "certain": certain}
            answer["kwl"] = {"k": kwl.k, **verdict, "rounds": kwl.rounds, **found}
        if result.named_mapping is not None and any(result.names):
            answer["named_mapping"] = {str(node): str(image) for node, image in result.named_mapping.items()}
        print(json.dumps(answer))
    else:
        _print_comparison(g, h, left, right, result, kwl)


def _kwl(left: wlt.Graph, right: wlt.Graph, labels: Any, k: int, limit: float, telling: bool) -> KWLResult:
    """The answer of k-FWL; what it needs is said before it starts."""
    nodes = max(left.num_nodes, right.num_nodes)
    if telling:
        say(f"{k}-FWL colours {count(nodes**k, 'tuple')} a graph: {size_of_memory(kwl_memory(nodes, k))} of memory")
    try:
        return wlt.kwl_test(left, right, k, node_labels=labels, memory_limit=int(min(limit, 10**9) * 10**9))
    except MemoryError as error:
        raise BadInput(str(error).replace("memory_limit", "--memory-limit")) from error


def _print_comparison(
    g: str, h: str, left: wlt.Graph, right: wlt.Graph, result: IsomorphismResult, kwl: KWLResult | None
) -> None:
    mapping = result.mapping
    title = f"G: {_described(g, left)}\nH: {_described(h, right)}"
    print_table(title, ("", "answer", "", "and that is"), answers(result, kwl))
    if mapping is not None and len(mapping):
        named = result.named_mapping or {}
        shown = ", ".join(f"{node} -> {image}" for node, image in list(named.items())[:10])
        print(f"Mapping: {shown}" + (f", ... ({len(mapping)} in all; --json has them)" if len(mapping) > 10 else ""))
    print(meaning(result))


def inspect(
    g: FirstGraph,
    node_labels: NodeLabelsOption = None,
    edge_labels: EdgeLabelsOption = None,
    simple: SimpleOption = False,
    budget: Annotated[
        int,
        typer.Option(min=0, metavar="STEPS", help="Of a microsecond or two, for what has no quick answer."),
    ] = DEFAULT_BUDGET,
    time_limit: TimeLimitOption = DEFAULT_SECONDS,
    as_json: JsonOption = False,
) -> None:
    """Which classes is a graph in? They tell how far WL and Tinhofer's algorithm can be trusted with it."""
    source = read_argument(g)
    graph = graph_of(g, source, edge_labels, simple)
    with reading_input(f"{shortened(g)}: "):
        labels = None if node_labels is None else wlt.node_codes([source], node_labels)[0][0]
        result = wlt.graph_class(graph, node_labels=labels, budget=budget, time_limit=time_limit)
    classes = {name: getattr(result, name) for name in result.reasons}
    if as_json:
        answer = {
            "schema": JSON_SCHEMA,
            **_sizes(g, graph),
            "colors": result.colors,
            **classes,
            "reasons": result.reasons,
            "classes": [name for name, value in classes.items() if value],
            "undecided": [name for name, value in classes.items() if value is None],
            "meaning": _meaning_of_classes(result),
            "budget": budget,
            "time_limit": time_limit,
            "ignored": list(result.ignored),
        }
        print(json.dumps(answer))
        return
    words = {True: "yes", False: "no", None: "undecided"}
    rows = [(name, words[answer], result.reasons[name]) for name, answer in classes.items()]
    print_table(f"{_described(g, graph)}: {count(result.colors, 'stable colour')}", ("", "", "because"), rows)
    print(_meaning_of_classes(result))


def _meaning_of_classes(result: GraphClass) -> str:
    ignored = f" Not looked at: {' and '.join(result.ignored)}." if result.ignored else ""
    return _trust(result) + ignored


def _trust(result: GraphClass) -> str:
    if result.amenable is None and result.compact:
        return "Tinhofer's algorithm is right whatever this graph is compared with: it is compact."
    if result.amenable:
        return "WL and Tinhofer's algorithm are right whatever this graph is compared with: it is amenable."
    if result.compact or result.tinhofer:
        kind = "compact" if result.compact else "a Tinhofer graph"
        return (
            f"Tinhofer's algorithm is right whatever this graph is compared with: it is {kind}; "
            "but WL may pass a graph that is different."
        )
    if result.tinhofer is False:
        return (
            "WL may pass a graph that is different from this one, and Tinhofer's algorithm may reject a copy of it; "
            "the exact answer of wlt compare is certain all the same."
        )
    return (
        "Undecided whether Tinhofer's algorithm is right about every copy of this graph, and WL may pass a graph that "
        "is different; the exact answer of wlt compare is certain all the same."
    )


def _sizes(argument: str, graph: wlt.Graph) -> dict[str, Any]:
    first = counted_from(graph)
    return {"source": argument, "nodes": graph.num_nodes, "edges": graph.num_edges, "counted_from": first}


def _described(argument: str, graph: wlt.Graph) -> str:
    counted = ", counted from 1" if counted_from(graph) else ""
    return f"{shortened(argument)} ({count(graph.num_nodes, 'node')}{counted}, {count(graph.num_edges, 'edge')})"
