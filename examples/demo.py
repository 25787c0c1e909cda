"""`make demo`: each function prints a table, and a sentence that says what it shows."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import wlt
from wlt.cli.console import print_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from wlt.auditing.audit import Audit
    from wlt.graphs import Graphs
    from wlt.reproduce.record import Curve

FOLDER = Path("demo")


def main() -> None:
    classic_pairs()
    famous_graphs()
    from wlt.data import fullerenes

    molecules = fullerenes()
    audit = audited(molecules)
    curves = trained(molecules)
    rows = accuracies(audit, curves)
    figure = drawn(audit, curves)
    FOLDER.mkdir(exist_ok=True)
    figure.savefig(FOLDER / "fullerenes.png", dpi=110)
    from demo_page import write_page

    write_page(FOLDER / "index.html", molecules, rows, figure)
    print(
        f"\nOpen this page: {(FOLDER / 'index.html').resolve()}\nNext: wlt compare G H and wlt inspect G with your own "
        "graphs, wlt audit with your own dataset, wlt reproduce table1 --dataset PROTEINS; each has --help."
    )


def audited(molecules: Graphs) -> Audit:
    """The best accuracy that the fullerenes C36 to C44 allow, known before any training."""
    from wlt.cli.audit import print_audit

    print(
        "\nFullerenes: molecules of carbon whose atoms all have three neighbours, so that WL sees one colour. Which "
        "are the less stable ones, with more pentagons side by side than most isomers of their size?\n"
    )
    from wlt.auditing.audit import audit

    result = audit(molecules, structure="rgggg")
    print_audit(result)
    return result


def trained(molecules: Graphs) -> dict[str, list[Curve]]:
    """Train GIN-0 and WLT-GNN on five folds, on all cores. Returns the curves of every method."""
    from dataclasses import replace

    from wlt.reproduce.job import Failed, Finished, Job
    from wlt.reproduce.progress import Estimate, display
    from wlt.reproduce.run import events
    from wlt.reproduce.spec import Spec
    from wlt.work.processes import Processes

    # Half the paper's learning rate, halved sooner: with so few molecules, some folds do not learn at the full rate.
    start = Spec(molecules.name, "GIN-0", "WLT", "gggg", hidden=16, dropout=0.0, epochs=80, batch_size=32, folds=5)
    start = replace(start, learning_rate=0.005, decay_every=30)
    one = replace(start, method="WLT-GNN, one random node", structure="rgggg")
    every = replace(one, method="WLT-GNN, all nodes of the class", recolor="all")
    jobs = [Job(spec, fold) for spec in (start, one, every) for fold in range(spec.folds)]
    workers = os.cpu_count() or 1
    estimate = Estimate(jobs, workers)
    curves: dict[str, list[Curve]] = {spec.method: [] for spec in (start, one, every)}
    print("\nNow graph neural networks learn the same molecules: five folds, 80 epochs.")
    with display(len(jobs), 0) as shown:
        for event in events(jobs, {molecules.name: molecules}, Processes(workers)):
            estimate.update(event)
            shown.show(event, estimate)
            if isinstance(event, Failed):
                raise RuntimeError(f"{event.job}: {event.reason}")
            if isinstance(event, Finished):
                curves[event.job.spec.method].append(event.outcome.curve)
    return curves


def accuracies(audit: Audit, curves: dict[str, list[Curve]]) -> list[tuple[object, ...]]:
    """The accuracy of every method, between the best that WL and that any invariant model can reach."""
    rows: list[tuple[object, ...]] = [("best of all models bounded by WL", "", f"{audit.bounds['wl'].ceiling:.1f}", "")]
    for method, folds in curves.items():
        test = [100 * curve.accuracy("test")[-1] for curve in folds]
        training = [100 * curve.accuracy("train")[-1] for curve in folds]
        rows.append((method, f"{np.mean(training):.1f}", f"{np.mean(test):.1f}", f"{np.std(test):.1f}"))
    rows.append(("best of all invariant models", "", f"{audit.bounds['isomorphism'].ceiling:.1f}", ""))
    print_table("Accuracy after the last epoch, %", ("", "training", "test", "spread over folds"), rows)
    print(
        "GIN cannot tell two isomers of one size apart, whatever its weights. Recoloring one random node shows it the "
        "rings around that node; recoloring every node in turn shows it all of them, with no chance in it."
    )
    return rows


def drawn(audit: Audit, curves: dict[str, list[Curve]]) -> Figure:
    """Test accuracy against epochs, with the ceiling of WL."""
    from matplotlib.figure import Figure

    ceiling = audit.bounds["wl"].ceiling
    assert ceiling is not None
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for method, folds in curves.items():
        accuracy = 100 * np.mean([curve.accuracy("test") for curve in folds], axis=0)
        axes.plot(np.arange(1, len(accuracy) + 1), accuracy, label=method)
    axes.axhline(ceiling, color="black", linestyle="--", linewidth=1, label="ceiling of every WL-bounded model")
    axes.set(
        xlabel="epoch", ylabel="test accuracy, mean of five folds (%)", title="Fullerenes C36 to C44", ylim=(40, 101)
    )
    figure.legend(loc="outside lower center", ncols=2, fontsize="small")
    return figure


def classic_pairs() -> None:
    """The answers of the tests next to the truth, on pairs that show what each test can and cannot do."""
    import networkx as nx

    two_triangles = nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))
    path = [(0, 1), (1, 2), (2, 3), (3, 4)]
    early, late = wlt.as_graph((6, [*path, (1, 5)])), wlt.as_graph((6, [*path, (2, 5)]))
    petersen, shrikhande = wlt.as_graph(nx.petersen_graph()), wlt.as_graph(_shrikhande())
    pairs: list[tuple[str, Any, Any]] = [
        ("two trees, equal degrees", early, late),
        ("a tree and a copy", early, _relabeled(early, 1)),
        ("C6 and two triangles", nx.cycle_graph(6), two_triangles),
        ("Shrikhande and 4x4 rook", shrikhande, _rook()),
        ("Petersen and a copy", petersen, _relabeled(petersen, 1)),
        ("Shrikhande and a copy", shrikhande, _relabeled(shrikhande, 1)),
    ]
    rows = []
    for name, g, h in pairs:
        tinhofer = wlt.tinhofer_test(g, h, seed=0, trials=100)
        share = f"{tinhofer.accepted} of {tinhofer.trials}"
        rows.append((name, wlt.wl_test(g, h).verdict, share, wlt.isomorphism(g, h).verdict))
    print_table("Classic pairs", ("", "WL", "Tinhofer", "exact"), rows)
    print(
        "The column Tinhofer counts the runs that accepted. WL is certain when it says non-isomorphic, Tinhofer's "
        "algorithm when it accepts. On the Shrikhande graph both can be wrong.\n"
    )


def famous_graphs() -> None:
    """The classes of some famous graphs, which say how far the tests can be trusted with them."""
    import networkx as nx

    named = {
        "path on 7 nodes": nx.path_graph(7),
        "cycle on 6 nodes": nx.cycle_graph(6),
        "Petersen": nx.petersen_graph(),
        "Heawood": nx.heawood_graph(),
        "Frucht": nx.frucht_graph(),
        "Shrikhande": _shrikhande(),
    }
    words = {True: "yes", False: "no", None: "undecided"}
    classes = ("amenable", "compact", "tinhofer", "refinable")
    rows = []
    for name, graph in named.items():
        result = wlt.graph_class(graph)
        colors = len(set(wlt.closure(wlt.as_graph(graph)).tolist()))
        rows.append((name, len(graph), colors, *(words[getattr(result, each)] for each in classes)))
    print_table("Famous graphs", ("", "nodes", "colours", *classes), rows)
    print(
        "If a graph is amenable, WL is right whatever it is compared with; if it is compact or Tinhofer, so is "
        "Tinhofer's algorithm. If it is refinable, its stable colours are the orbits of its automorphisms."
    )


def _relabeled(graph: wlt.Graph, seed: int) -> wlt.Graph:
    return graph.relabel(np.random.default_rng(seed).permutation(graph.num_nodes))


def _shrikhande() -> Any:
    """The Cayley graph of Z4 x Z4 with the steps ±(1, 0), ±(0, 1), ±(1, 1)."""
    import networkx as nx

    steps = [(1, 0), (0, 1), (1, 1)]
    edges = [((i, j), ((i + a) % 4, (j + b) % 4)) for i in range(4) for j in range(4) for a, b in steps]
    return nx.Graph(edges)


def _rook() -> Any:
    import networkx as nx

    return nx.cartesian_product(nx.complete_graph(4), nx.complete_graph(4))


if __name__ == "__main__":
    main()
