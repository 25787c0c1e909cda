"""`wlt predict`: the rows of a table, in their order, with what a model predicts."""

from __future__ import annotations

import csv
import io
import sys
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wlt.cli.console import (
    BadInput,
    ForceOption,
    check_new,
    check_writable,
    keeping,
    reading_input,
    say,
    telling_warnings,
)
from wlt.cli.model_data import graphs_for
from wlt.cli.source import KINDS, RootOption, SmilesOption
from wlt.cli.streams import RayOption
from wlt.table import Table
from wlt.wording import count, harmless

if TYPE_CHECKING:
    from wlt.estimator.answers import Answers
    from wlt.graphs import Graphs


class UnseenLabels(StrEnum):
    error = "error"
    ignore = "ignore"


def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A model file of wlt train.", show_default=False)],
    data: Annotated[str, typer.Argument(metavar="DATA", help=f"Graphs: {KINDS}.", show_default=False)],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", help="Where to write the predictions; else to the screen.")
    ] = None,
    force: ForceOption = False,
    proba: Annotated[bool, typer.Option("--proba", help="Also the probability of every class.")] = False,
    std: Annotated[bool, typer.Option("--std", help="Of numbers, also how far they may be off.")] = False,
    unseen: Annotated[
        UnseenLabels,
        typer.Option(
            help="Labels that the model has not seen: refuse them, or let such nodes send nothing and take such edges "
            "as edges without a label."
        ),
    ] = UnseenLabels.ignore,
    workers: Annotated[int, typer.Option(min=1, metavar="N", help="Processes.")] = 1,
    ray: RayOption = None,
    smiles: SmilesOption = None,
    root: RootOption = None,
) -> None:
    """Predict classes or numbers of graphs: a CSV with the rows of DATA, in their order, and a column `prediction`."""
    with reading_input(), telling_warnings():
        if out is not None:
            check_writable(out, "--out", model, data)
            if out.suffix.lower() != ".csv":
                raise ValueError(f"--out {out}: predictions are written as CSV; call it predictions.csv")
            check_new(out, "--out", force)
        from wlt.cluster import RayError
        from wlt.estimator.answers import answers_of
        from wlt.estimator.inputs import Inputs
        from wlt.estimator.label_table import UnseenLabel
        from wlt.estimator.load import load
        from wlt.work.calls import GivenUp
        from wlt.work.places import place_for

        place = place_for(None if ray else workers, ray)
        estimator = load(model).set_params(verbose=1, unseen=unseen.value)
        numbers = not hasattr(estimator, "predict_proba")
        if proba and numbers:
            raise ValueError(
                f"--proba: {model} predicts numbers, which have no probabilities; --std says how sure it is"
            )
        if std and not numbers:
            raise ValueError(f"--std: {model} predicts classes; --proba gives their probabilities")
        if std and estimator.noise_ is None:
            raise ValueError(f"--std: {model} was trained without calibration, so nothing is known about its errors")
        graphs = graphs_for(estimator, data, smiles, root)
        try:
            inputs = Inputs.of(graphs, estimator.table_, estimator.edge_table_, unseen.value)
        except UnseenLabel as error:
            advice = f"with --unseen ignore {error.ignored}"
            where = graphs.place(error.graph) if graphs.names else f"{graphs.name}, graph {error.graph}"
            raise ValueError(f"{where}: {error.reason}; {advice}") from None
        for sentence in inputs.unseen.values():
            say(sentence)
    with telling_warnings():
        try:
            answers = answers_of(estimator, graphs, place)
        except (RayError, GivenUp) as error:
            raise BadInput(str(error)) from error
    with reading_input():
        _write(graphs, answers, proba, std, out)


def _write(graphs: Graphs, answers: Answers, proba: bool, std: bool, out: Path | None) -> None:
    """The rows of the input, with the prediction, and empty cells where there is none."""
    names, cells = answers.columns(proba, std)
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
    for row, told in zip(table.used, cells, strict=True):
        predicted[row] = [harmless(cell) for cell in told]
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([table.columns[i] for i in kept] + [harmless(name) for name in names])
    for row_cells, result in zip(table.rows, predicted, strict=True):
        writer.writerow([*(row_cells[i] if i < len(row_cells) else "" for i in kept), *result])
    if out is None:
        print(text.getvalue(), end="")
        return
    from wlt.io.atomic import replacing

    try:
        with replacing(out) as file:
            file.write(text.getvalue().encode())
    except OSError as error:
        raise ValueError(f"{out} cannot be written: {error.strerror or error}") from None
    counts = ""
    if answers.labels is not None:
        counts = ": " + ", ".join(f"{label!r} {members}" for label, members in sorted(Counter(answers.labels).items()))
    with keeping(f"{out} is complete"):
        print(f"{count(len(cells), 'prediction')} in {out}{counts}", file=sys.stderr)
