"""`wlt train` and `wlt predict`: from a user's own graphs to a model file, and from there to predictions."""

from __future__ import annotations

import csv
import io
import sys
import warnings
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wlt.cli.audit import print_conclusion
from wlt.cli.console import BadInput, check_writable, keeping, print_table, reading_input, say, telling_warnings
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
from wlt.table import Table
from wlt.wording import count

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from wlt.estimator.classifier import WLTClassifier
    from wlt.graphs import Graphs

DataArgument = Annotated[str, typer.Argument(metavar="DATA", help=f"Graphs: {KINDS}.", show_default=False)]


class UnseenLabels(StrEnum):
    error = "error"
    ignore = "ignore"


def train(
    data: DataArgument,
    out: Annotated[Path, typer.Option(metavar="MODEL", help="The model file to write.", show_default=False)],
    target: TargetOption = None,
    smiles: SmilesOption = None,
    node_labels: NodeLabelsOption = "auto",
    edge_labels: EdgeLabelsOption = "auto",
    atoms: AtomsOption = "all",
    structure: Annotated[str, typer.Option(help="Layers: g is GIN, r recoloring.")] = "gggrgg",
    recolor: Annotated[
        str,
        typer.Option(help="Nodes that an r recolours: 1, 2, a share (0.5, 100%), draws:8, all, nodes or canonical."),
    ] = "1",
    hidden: Annotated[int, typer.Option(min=1, help="Hidden units.")] = 128,
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the data.")] = 100,
    learning_rate: Annotated[float, typer.Option(help="Of Adam; halved every 50 epochs.")] = 0.01,
    batch_size: Annotated[int, typer.Option(min=1, help="Graphs in a step of the training.")] = 128,
    dropout: Annotated[float, typer.Option(help="In the classifier behind the readout.")] = 0.5,
    early_stopping: Annotated[
        bool, typer.Option("--early-stopping", help="Hold out a tenth of the graphs to choose the epoch.")
    ] = False,
    threads: Annotated[int, typer.Option(min=1, help="More than one pays with large graphs only.")] = 1,
    folds: Annotated[int, typer.Option(min=2, metavar="K", help="Of the cross-validation.")] = 10,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Of folds, weights and training.")] = 0,
    root: RootOption = None,
) -> None:
    """Cross-validate a classifier, compare it with what the data allow, then train it on everything and store it."""
    with reading_input(), telling_warnings():
        check_writable(out, "--out", data)
        wanted_edges = edge_labels_of(edge_labels)
        graphs = read(data, target, smiles, node_labels, root, labelled=True, edge_labels=wanted_edges, atoms=atoms)
        labels = _checked_labels(graphs, folds)
        # imported after the input was read: mistakes in it need not wait for torch
        from wlt.estimator.classifier import FitError, WLTClassifier
        from wlt.estimator.modelfile import ModelFileError

        classifier = WLTClassifier(
            structure=structure,
            recolor=recolor,
            hidden=hidden,
            epochs=epochs,
            learning_rate=learning_rate,
            batch_size=batch_size,
            dropout=dropout,
            node_labels=node_labels,
            edge_labels=wanted_edges,
            early_stopping=early_stopping,
            audit=False,  # the table has its figures
            n_jobs=threads,
            random_state=seed,
        )
        classifier.check_parameters()
    with telling_warnings():  # those of the input are said by now
        try:
            _report(graphs, classifier, labels, folds, seed)
            classifier.set_params(verbose=1).fit(graphs)
            classifier.set_params(verbose=0, audit=True).save(out)
        except (FitError, ModelFileError) as error:
            raise BadInput(str(error)) from error
    with keeping(f"{out} is complete"):
        print(f"Trained on all {len(labels)} graphs: {out}. Predictions: wlt predict {out} DATA")


def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A model file of wlt train.", show_default=False)],
    data: DataArgument,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", help="Where to write the predictions; else to the screen.")
    ] = None,
    proba: Annotated[bool, typer.Option("--proba", help="Also the probability of every class.")] = False,
    unseen: Annotated[
        UnseenLabels,
        typer.Option(
            help="Labels that the model has not seen: refuse them, or let such nodes send nothing and take such edges "
            "as edges without a label."
        ),
    ] = UnseenLabels.ignore,
    smiles: SmilesOption = None,
    root: RootOption = None,
) -> None:
    """Predict the classes of graphs: a CSV with the rows of DATA, in their order, and a column `prediction`."""
    with reading_input(), telling_warnings():
        if out is not None:
            check_writable(out, "--out", model, data)
        from wlt.estimator.classifier import WLTClassifier
        from wlt.estimator.inputs import Inputs
        from wlt.estimator.label_table import UnseenLabel
        from wlt.io.graphs import UnusedAttributesWarning

        classifier = WLTClassifier.load(model).set_params(verbose=1, unseen=unseen.value)
        warnings.simplefilter("ignore", UnusedAttributesWarning)  # the model is made, and training said it
        edges, rows = classifier.edge_labels, "rows" in (classifier.table_.kind, classifier.edge_table_.kind)
        atoms: Any = "all" if rows else "element"  # as in training
        graphs = read(data, None, smiles, classifier.node_labels, root, edge_labels=edges, atoms=atoms)
        if classifier.table_.kind == "degrees" != graphs.kind:
            say(f"the model was trained with degrees: the node {graphs.kind} of {graphs.name} are not used")
        try:
            Inputs.of(graphs, classifier.table_, classifier.edge_table_, unseen.value)
        except UnseenLabel as error:
            advice = f"with --unseen ignore {error.ignored}"
            place = graphs.place(error.graph) if graphs.names else f"{graphs.name}, graph {error.graph}"
            raise ValueError(f"{place}: {error.reason}; {advice}") from None
    with telling_warnings():
        probabilities = classifier.predict_proba(graphs)
    with reading_input():
        _write(graphs, classifier, probabilities, proba, out)


def _checked_labels(graphs: Graphs, folds: int) -> NDArray[Any]:
    labels = graphs.targets
    assert labels is not None
    counts = Counter(labels.tolist())
    if len(counts) < 2:
        raise ValueError(f"all {len(labels)} graphs have the label {next(iter(counts))!r}; two classes are needed")
    rare, members = min(counts.items(), key=lambda item: item[1])
    if len(counts) > len(labels) / 2:
        raise ValueError(f"{len(counts)} different labels of {len(labels)} graphs: classes are needed, not values")
    if members < folds:
        most = f"--folds {members}" if members > 1 else "leave its rows out"
        few = f"class {rare!r} has {count(members, 'graph')}, too few for {folds} folds"
        raise ValueError(f"{few}; {most}, or find more of that class")
    return labels


def _report(graphs: Graphs, classifier: WLTClassifier, labels: NDArray[Any], folds: int, seed: int) -> None:
    """Cross-validated accuracy beside the majority class and the ceilings."""
    import numpy as np

    from wlt.auditing import audit, ceiling
    from wlt.recolor import Recolor

    scores = _cross_validated(graphs, classifier, labels, folds, seed)
    structure, recolor = classifier.structure, Recolor(classifier.recolor)
    audited = audit(graphs, structure=structure, folds=folds, seed=seed)
    model = structure if recolor == Recolor(1) or "r" not in structure else f"{structure}, recolor {classifier.recolor}"
    majority, size = Counter(labels.tolist()).most_common(1)[0]
    measured = 100 * np.array(scores)
    spread = f"mean ± standard deviation of {folds} stratified folds (seed {seed})"
    training = "of training accuracy"
    ceilings = [
        (f"ceiling of WL, {count(audited.rounds, 'round')}", audited.bounds["wl_rounds"].ceiling, training),
        (f"ceiling of {model}", ceiling(audited, graphs.union, recolor), training),
        ("ceiling of any model", audited.bounds["isomorphism"].ceiling, f"{training}, by node labels and edges"),
    ]
    rows: list[tuple[str, str, str]] = [
        ("cross-validated", f"{measured.mean():.1f} ± {measured.std():.1f} %", spread),
        ("majority class", f"{100 * size / len(labels):.1f} %", f"always {majority!r}"),
        *(
            (name, "-", "not known") if value is None else (name, f"{value:.1f} %", remark)
            for name, value, remark in ceilings
        ),
    ]
    classes = ", ".join(f"{label!r} {members}" for label, members in sorted(Counter(labels.tolist()).items()))
    print_table(f"{graphs.name}: {len(labels)} graphs; {classes}", ("", "accuracy", ""), rows)
    print_conclusion(audited)


def _cross_validated(
    graphs: Graphs, classifier: WLTClassifier, labels: NDArray[Any], folds: int, seed: int
) -> list[float]:
    """The accuracy on each fold of a classifier that was trained on the others; nothing was chosen by looking at it."""
    from sklearn.base import clone
    from sklearn.model_selection import StratifiedKFold

    from wlt.estimator.label_table import UnseenLabelWarning
    from wlt.progress import progress_bar

    splits = StratifiedKFold(folds, shuffle=True, random_state=seed).split(labels, labels)
    scores, with_unseen = [], 0
    with progress_bar("cross-validation", folds) as advance, warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenLabelWarning)  # one line for all folds
        for training, test in splits:
            fitted = clone(classifier).fit(graphs.take(training))
            asked = graphs.take(test)
            with_unseen += bool(fitted.table_.unseen(asked.without_loops()) or fitted.edge_table_.unseen(asked.union))
            scores.append(float(fitted.score(asked, labels[test])))
            advance(1, "")
    if with_unseen:
        lacking = f"in {with_unseen} of {folds} folds the test graphs have labels that no training graph has"
        say(f"{lacking}; such nodes send an empty message, such edges are edges without a label")
    return scores


def _write(
    graphs: Graphs, classifier: WLTClassifier, probabilities: NDArray[np.float64], proba: bool, out: Path | None
) -> None:
    """The rows of the input, with the prediction, and empty cells where there is none."""
    names = ["prediction", *(f"p({label})" for label in classifier.classes_.tolist() if proba)]
    table = graphs.table
    if table is None:
        named = graphs.names or tuple(map(str, range(len(graphs))))
        table = Table(Path(graphs.name), ["graph"], [[name] for name in named], [], tuple(range(len(named))))
    replaced = [column for column in table.columns if column in names]  # of an earlier prediction, or the user's own
    if replaced:
        columns = ", ".join(map(repr, replaced))
        say(f"the table of {graphs.name} has a column {columns} of its own, which the prediction replaces")
    kept = [i for i, column in enumerate(table.columns) if column not in names]
    predicted: list[Sequence[str]] = [[""] * len(names)] * len(table.rows)
    labels = classifier.classes_[probabilities.argmax(axis=1)].tolist()
    for row, label, shares in zip(table.used, labels, probabilities.tolist(), strict=True):
        predicted[row] = [str(label), *(f"{share:.6g}" for share in shares if proba)]
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([table.columns[i] for i in kept] + names)
    for cells, result in zip(table.rows, predicted, strict=True):
        writer.writerow([*(cells[i] if i < len(cells) else "" for i in kept), *result])
    if out is None:
        print(text.getvalue(), end="")
        return
    from wlt.io.atomic import replacing

    try:
        with replacing(out) as file:
            file.write(text.getvalue().encode())
    except OSError as error:
        raise ValueError(f"{out} cannot be written: {error.strerror or error}") from None
    counts = ", ".join(f"{label!r} {members}" for label, members in sorted(Counter(labels).items()))
    with keeping(f"{out} is complete"):
        print(f"{count(len(labels), 'prediction')} in {out}: {counts}", file=sys.stderr)
