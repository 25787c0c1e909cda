"""`wlt compare` and `wlt inspect`."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

import wlt
from wlt.cli.console import JsonOption, print_table, reading_input, say, telling_warnings
from wlt.wording import count

if TYPE_CHECKING:
    from wlt.compare.exact import IsomorphismResult
    from wlt.graphclass.classes import GraphClass

_GRAPH = "A file (.g6, .graphml, .gml, .mtx, .edges, .csv, ...; FILE:2 is the third graph in it), or graph6 text."
FirstGraph = Annotated[str, typer.Argument(metavar="G", help=_GRAPH, show_default=False)]
SecondGraph = Annotated[str, typer.Argument(metavar="H", help="Likewise.", show_default=False)]
NodeLabelsOption = Annotated[str | None, typer.Option(metavar="ATTR", help="Node attribute that a mapping must keep.")]
EdgeLabelsOption = Annotated[
    str | None,
    typer.Option(metavar="ATTR", help="Edge attribute, or column of an edge list, that it must keep."),
]
SimpleOption = Annotated[
    bool,
    typer.Option("--simple", help="Only who is joined to whom: no labels, directions, parallel edges, loops."),
]


def compare(
    g: FirstGraph,
    h: SecondGraph,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random choices in Tinhofer's algorithm.")] = 0,
    trials: Annotated[int, typer.Option(min=1, max=10**6, help="Independent runs of Tinhofer's algorithm.")] = 1,
    node_labels: NodeLabelsOption = None,
    edge_labels: EdgeLabelsOption = None,
    simple: SimpleOption = False,
    as_json: JsonOption = False,
) -> None:
    """Are two graphs isomorphic? The answers of WL, of Tinhofer's algorithm and of exact search."""
    left_source, right_source = _read_source(g), _read_source(h)
    left, right = (
        _as_graph(argument, source, edge_labels, simple) for argument, source in ((g, left_source), (h, right_source))
    )
    labels = None
    if node_labels is not None:
        with reading_input(f"--node-labels {node_labels}: graph 0 is {_short(g)}, graph 1 is {_short(h)}; "):
            labels, _ = wlt.node_codes([left_source, right_source], node_labels)
    result = wlt.isomorphism(left, right, node_labels=labels, seed=seed, trials=trials)
    if as_json:
        answer = {
            "wl": result.wl.verdict.value,
            "tinhofer": result.tinhofer.verdict.value,
            "isomorphic": bool(result),
            "rounds": result.wl.rounds,
            "mapping": None if result.mapping is None else result.mapping.tolist(),
            "share_accepted": result.tinhofer.share_accepted,
            "named_mapping": None,
            "ignored": list(result.ignored),
        }
        if result.named_mapping is not None and any(result.names):
            answer["named_mapping"] = {str(node): str(image) for node, image in result.named_mapping.items()}
        print(json.dumps(answer))
    else:
        _print_comparison(g, h, left, right, result)


def _print_comparison(g: str, h: str, left: wlt.Graph, right: wlt.Graph, result: IsomorphismResult) -> None:
    wl, tinhofer, mapping = result.wl, result.tinhofer, result.mapping
    certain_no = wl.verdict is wlt.Verdict.NON_ISOMORPHIC
    decided_by = "WL" if certain_no else "exact search" if tinhofer.mapping is None else "Tinhofer"
    recolorings = count(len(tinhofer.steps), "recoloring")
    if tinhofer.trials > 1:
        recolorings = f"{tinhofer.accepted} of {tinhofer.trials} runs accepted"
    certain = f"certain{_without(result.ignored)}"
    rows = [
        ("WL", wl.verdict, count(wl.rounds, "round"), certain if certain_no else "not certain"),
        ("Tinhofer", tinhofer.verdict, recolorings, "not certain" if tinhofer.mapping is None else certain),
        ("exact", result.verdict, f"by {decided_by}", certain),
    ]
    print_table(f"G: {_described(g, left)}\nH: {_described(h, right)}", ("", "answer", "", "and that is"), rows)
    if mapping is not None and len(mapping):
        named = result.named_mapping or {}
        shown = ", ".join(f"{node} -> {image}" for node, image in list(named.items())[:10])
        print(f"Mapping: {shown}" + (f", ... ({len(mapping)} in all; --json has them)" if len(mapping) > 10 else ""))
    print(_meaning_of_comparison(result, left.num_nodes, right.num_nodes))


def _without(ignored: tuple[str, ...]) -> str:
    """What was not looked at, as it follows an answer."""
    return f", without {' and '.join(ignored)}" if ignored else ""


def _meaning_of_comparison(result: IsomorphismResult, left_nodes: int, right_nodes: int) -> str:
    certain = f" as graphs{_without(result.ignored)[1:]}" if result.ignored else ", for certain"
    if left_nodes != right_nodes:
        return f"Not isomorphic{certain}: {left_nodes} nodes against {right_nodes}."
    if result.wl.verdict is wlt.Verdict.NON_ISOMORPHIC:
        return (
            f"Not isomorphic{certain}: the colours of the nodes differ after "
            f"{count(result.wl.rounds, 'round')}, and those of isomorphic graphs never do."
        )
    if result.tinhofer.mapping is not None:
        return f"Isomorphic{certain}: the mapping was checked edge by edge; passing WL alone would not prove it."
    if result:
        return (
            f"Isomorphic{certain}: exact search found a mapping, checked edge by edge; Tinhofer's algorithm missed "
            "it, so neither graph is compact."
        )
    return (
        f"Not isomorphic{certain}, by exact search: WL cannot tell these graphs apart, and a rejection by "
        "Tinhofer's algorithm is a proof only for some graphs, compact ones among them (see wlt inspect)."
    )


def inspect(
    g: FirstGraph,
    node_labels: NodeLabelsOption = None,
    edge_labels: EdgeLabelsOption = None,
    simple: SimpleOption = False,
    as_json: JsonOption = False,
) -> None:
    """Which classes is a graph in? They tell how far WL and Tinhofer's algorithm can be trusted with it."""
    source = _read_source(g)
    graph = _as_graph(g, source, edge_labels, simple)
    with reading_input(f"{_short(g)}: "):
        labels = None if node_labels is None else wlt.node_codes([source], node_labels)[0][0]
        result = wlt.graph_class(graph, node_labels=labels)
    answers = {name: getattr(result, name) for name in result.reasons}
    if as_json:
        sizes = {"nodes": result.nodes, "edges": result.edges, "colors": result.colors}
        print(json.dumps({**sizes, **answers, "ignored": list(result.ignored)}))
        return
    words = {True: "yes", False: "no", None: "undecided"}
    rows = [(name, words[answer], result.reasons[name]) for name, answer in answers.items()]
    print_table(f"{_described(g, graph)}: {count(result.colors, 'stable colour')}", ("", "", "because"), rows)
    print(_meaning_of_classes(result) + (f" Not looked at: {' and '.join(result.ignored)}." if result.ignored else ""))


def _meaning_of_classes(result: GraphClass) -> str:
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


def _read_source(argument: str) -> Any:
    """A graph, or a networkx graph with attributes, from a file, from FILE:INDEX, or from graph6 or sparse6 text.

    Nothing is both: every suffix has a dot, a path to another folder has a slash, and graph6 has neither.
    """
    from wlt.io import read_source

    indexed = re.fullmatch(r"(.+\.\w+):([0-9]+)", argument)
    if indexed and not os.path.exists(argument):
        with reading_input(), telling_warnings():
            return read_source(indexed[1], int(indexed[2]))
    if os.path.exists(argument) or "." in argument or "/" in argument:
        with reading_input(), telling_warnings():
            return read_source(argument)
    with reading_input(f"{_short(argument)!r} is no file, and as text: "):
        return wlt.as_graph(argument)


def _as_graph(argument: str, source: Any, edge_labels: str | None, simple: bool) -> wlt.Graph:
    """The graph of what was read; what had to be left out is said on stderr."""
    with reading_input(f"{_short(argument)}: "):
        graph = wlt.as_graph(source, edge_labels=edge_labels or "auto", simple=simple)
    if graph.removed_loops or graph.removed_repeats:
        loops, repeats = count(graph.removed_loops, "loop"), count(graph.removed_repeats, "repeated edge")
        say(f"{_short(argument)}: {loops} and {repeats} left out")
    return graph


def _described(argument: str, graph: wlt.Graph) -> str:
    return f"{_short(argument)} ({count(graph.num_nodes, 'node')}, {count(graph.num_edges, 'edge')})"


def _short(argument: str) -> str:
    return argument if len(argument) <= 50 else f"{argument[:12]}...{argument[-35:]}"
