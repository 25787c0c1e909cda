"""`wlt train`: how good a model will be on graphs that it has not seen, and the model."""

from __future__ import annotations

import json
from collections import Counter
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wlt.cli.audit import print_conclusion
from wlt.cli.console import (
    JSON_SCHEMA,
    BadInput,
    ForceOption,
    JsonOption,
    check_new,
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
    edge_labels_of,
    read,
)
from wlt.cli.streams import RayOption
from wlt.targets import Kind, kind_of
from wlt.wording import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wlt.evaluation.evaluate import Estimator, Evaluation, Who
    from wlt.graphs import Graphs

OTHER_FORMATS = (
    *(".xlsx", ".xls", ".ods", ".csv", ".tsv", ".txt", ".json", ".html", ".htm", ".pdf", ".parquet"),
    *(".smi", ".sdf", ".zip", ".gz", ".pkl", ".pickle", ".joblib", ".pt", ".pth", ".onnx", ".h5"),
)
"""What a model file is not."""
MOST_SHOWN = 12
"""Classes of a confusion matrix on the screen."""


DOUBTFUL = 10
"""From more classes than so many that are whole numbers on, it is said that they are taken as classes."""


class Task(StrEnum):
    auto = "auto"
    classification = "classification"
    regression = "regression"


def train(
    data: Annotated[str, typer.Argument(metavar="DATA", help=f"Graphs: {KINDS}.", show_default=False)],
    out: Annotated[Path, typer.Option(metavar="MODEL", help="The model file to write.", show_default=False)],
    target: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="What to predict; repeatable. A TU dataset has its own."),
    ] = None,
    task: Annotated[
        Task, typer.Option(help="auto: numbers with fractions, or many different ones, are regression.")
    ] = Task.auto,
    split: Annotated[
        str | None,
        typer.Option(
            metavar="stratified|random|scaffold|COLUMN",
            help="How graphs are held out for testing; by a column: its words train and test, or its values as folds. "
            "Default: stratified for classes, random for all else.",
        ),
    ] = None,
    folds: Annotated[int, typer.Option(min=2, metavar="K", help="Of the cross-validation.")] = 10,
    ensemble: Annotated[int, typer.Option(min=1, metavar="N", help="Networks of a model; answers are their mean.")] = 1,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Also write a page with figures and the worst predictions.")
    ] = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
    workers: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Processes that work on folds; default: one per core.")
    ] = None,
    ray: RayOption = None,
    smiles: SmilesOption = None,
    node_labels: NodeLabelsOption = "auto",
    edge_labels: EdgeLabelsOption = "auto",
    atoms: AtomsOption = "all",
    structure: Annotated[str, typer.Option(help="Layers: g is GIN, r recoloring.")] = "gggrgg",
    recolor: Annotated[
        str,
        typer.Option(help="Nodes that an r recolours: 1, 2, a share (0.5, 100%), draws:8, all, nodes or canonical."),
    ] = "1",
    residual: Annotated[
        bool | None,
        typer.Option(
            "--residual/--no-residual",
            help="Layers add to the messages that they take; default: for numbers and with --views.",
        ),
    ] = None,
    views: Annotated[
        int,
        typer.Option(
            min=0,
            max=100,
            help="Rounds that look at each node recolored in turn, which shows rings; needs --residual.",
        ),
    ] = 0,
    hidden: Annotated[int, typer.Option(min=1, help="Hidden units.")] = 128,
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the data.")] = 100,
    learning_rate: Annotated[float, typer.Option(help="Of Adam; halved every 50 epochs.")] = 0.01,
    batch_size: Annotated[int, typer.Option(min=1, help="Graphs in a step of the training.")] = 128,
    dropout: Annotated[
        float | None, typer.Option(help="Behind the readout; default: 0.5 for classes, 0 for numbers.")
    ] = None,
    early_stopping: Annotated[
        bool, typer.Option("--early-stopping", help="Hold out a tenth of the graphs to choose the epoch.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Of folds, weights and training.")] = 0,
    root: RootOption = None,
) -> None:
    """Test a model on held-out graphs, compare it with what is known and with what the data allow, then train it on
    all graphs and store it."""
    from wlt.cluster import RayError
    from wlt.work.calls import GivenUp
    from wlt.work.places import place_for

    with reading_input(), telling_warnings():
        _check_files(data, out, report, force)
        place = place_for(workers, ray)
        wanted_edges = edge_labels_of(edge_labels)
        columns = target[0] if target and len(target) == 1 else target
        graphs = read(data, columns, smiles, node_labels, root, labelled=True, edge_labels=wanted_edges, atoms=atoms)
        kind, remark = _kind(graphs, task)
        _check_targets(graphs, kind, folds, split)
        if remark:
            say(remark)
        # imported after the input was read: mistakes in it need not wait for torch
        from wlt.data.smiles import smiles_of
        from wlt.estimator.base import FitError
        from wlt.estimator.modelfile import ModelFileError
        from wlt.evaluation.splits import split as split_of

        texts = smiles_of(graphs, smiles)
        splits = split_of(graphs, kind, split, folds, seed, texts)
        estimator = _estimator(
            kind,
            {"dropout": dropout, "residual": True if residual is None and views else residual},
            structure=structure,
            recolor=recolor,
            views=views,
            hidden=hidden,
            epochs=epochs,
            learning_rate=learning_rate,
            batch_size=batch_size,
            node_labels=node_labels,
            edge_labels=wanted_edges,
            ensemble=ensemble,
            early_stopping=early_stopping,
            audit=False,  # the table has its figures
            random_state=seed,
        )
        estimator.check_parameters()
    with telling_warnings():  # those of the input are said by now
        from wlt.evaluation.evaluate import evaluate

        try:
            evaluation = evaluate(
                estimator,
                graphs,
                splits,
                seed=seed,
                place=place,
                smiles=texts,
                show="on terminal",
            )
            for remark in evaluation.remarks:
                say(remark)
            if not as_json:
                print_evaluation(evaluation, graphs)
            if report is not None:
                _write_report(evaluation, graphs, report)
            estimator.set_params(verbose=1).fit_at(place, graphs)
            estimator.set_params(verbose=0, audit=True).save(out)
        except (FitError, ModelFileError, RayError, GivenUp) as error:
            raise BadInput(str(error)) from error
    if as_json:
        files = {"model": str(out), "report": None if report is None else str(report)}
        with keeping(f"{out} is complete"):
            print(json.dumps({"schema": JSON_SCHEMA, **evaluation.to_dict(), **files}))
        return
    with keeping(f"{out} is complete"):
        if report is not None:
            print(f"A page with figures: {report}")
        print(f"Trained on all {len(graphs)} graphs: {out}. Predictions: wlt predict {out} DATA")


def _check_files(data: str, out: Path, report: Path | None, force: bool) -> None:
    check_writable(out, "--out", data)
    if out.suffix.lower() in OTHER_FORMATS:
        raise ValueError(f"--out {out}: a model is written, and that is no {out.suffix} file; call it model.wlt")
    check_new(out, "--out", force)
    if report is not None:
        if report.suffix.lower() not in (".html", ".htm"):
            raise ValueError(f"--report {report}: a page is written; call it report.html")
        check_writable(report, "--report", data)
        check_new(report, "--report", force)
        if report.absolute() == out.absolute():
            raise ValueError(f"--report {report}: the model is written there")


def _kind(graphs: Graphs, task: Task) -> tuple[Kind, str]:
    """What is to be predicted, by what the user says and what the targets are; and a remark if that is doubtful."""
    import numpy as np

    targets = graphs.targets
    assert targets is not None
    name = repr(graphs.target_names[0]) if len(graphs.target_names) == 1 else "target"
    found = kind_of(targets)
    if targets.dtype.kind in "UO" and task is not Task.classification:
        _check_for_text(graphs, always=task is Task.regression)
    if task is Task.auto:
        if targets.ndim == 1 and targets.dtype.kind in "iuf":
            different = len(np.unique(targets))
            if found == "numbers":
                other = "; --task classification takes them as classes" if targets.dtype.kind != "f" else ""
                return found, f"the values of {name} are taken as numbers{other}"
            if different > DOUBTFUL:
                doubt = f"the {different} values of {name} are taken as classes"
                return found, f"{doubt}; --task regression takes them as numbers"
        return found, ""
    if task is Task.regression:
        return "numbers", ""
    if targets.ndim > 1 and found == "numbers":
        raise ValueError("several targets are classes if they are columns of 0 and 1; these have other numbers")
    if targets.ndim == 1 and targets.dtype.kind == "f" and (targets != np.round(targets)).any():
        odd = targets[targets != np.round(targets)][0]
        raise ValueError(f"--task classification: the values of {name} are numbers such as {odd:g}, and no classes")
    return ("binaries" if targets.ndim > 1 else "classes"), ""


def _check_for_text(graphs: Graphs, always: bool) -> None:
    """ValueError for a word in a column of numbers; where most are words it is no such column, unless it must be."""
    from wlt.data.table import NUMBER

    assert graphs.targets is not None
    words = [i for i, label in enumerate(graphs.targets.tolist()) if not NUMBER.fullmatch(str(label))]
    if words and (always or len(words) < len(graphs) / 2):
        word, column = graphs.targets.tolist()[words[0]], listed_columns(graphs)
        other = "" if always else ", or --task classification takes all of them as classes"
        raise ValueError(
            f"{graphs.place(words[0])}: {word!r} in {column} is no number ({count(len(words), 'such cell')}); correct "
            f"or empty it{other}"
        )


def listed_columns(graphs: Graphs) -> str:
    return f"column {graphs.target_names[0]!r}" if graphs.target_names else "the targets"


def _check_targets(graphs: Graphs, kind: Kind, folds: int, split: str | None) -> None:
    """ValueError, in one line, for what nobody can learn."""
    import numpy as np

    targets = graphs.targets
    assert targets is not None
    if len(graphs) == 1:
        raise ValueError("one graph is too few to learn from")
    if kind == "classes":
        _check_classes(targets.tolist(), folds, split)
        return
    table = targets.reshape(len(graphs), -1).astype(np.float64)
    names = graphs.target_names or tuple(map(str, range(table.shape[1])))
    infinite = np.argwhere(np.isinf(table))
    if len(infinite):
        row, column = infinite[0]
        value = table[row, column]
        raise ValueError(f"{graphs.place(int(row))}: {value} in column {names[column]!r}; targets must be finite")
    for name, values in zip(names, table.T, strict=True):
        known = values[~np.isnan(values)]
        if not len(known):
            raise ValueError(f"the target {name!r} has no values: all of its cells are empty")
        if (known == known[0]).all():
            raise ValueError(f"the target {name!r} is {known[0]:g} wherever it has a value: there is nothing to learn")
    if len(graphs) < folds and split in (None, "random", "scaffold"):
        raise ValueError(f"{count(len(graphs), 'graph')}, too few for {folds} folds; --folds {len(graphs)} at most")


def _check_classes(labels: Sequence[Any], folds: int, split: str | None) -> None:
    counts = Counter(labels)
    if len(counts) < 2:
        raise ValueError(f"all {len(labels)} graphs have the label {next(iter(counts))!r}; two classes are needed")
    rare, members = min(counts.items(), key=lambda item: item[1])
    if len(counts) > len(labels) / 2:
        raise ValueError(f"{len(counts)} different labels of {len(labels)} graphs: classes are needed, not values")
    if members < folds and split in (None, "stratified"):
        most = f"--folds {members}" if members > 1 else "leave its rows out"
        few = f"class {rare!r} has {count(members, 'graph')}, too few for {folds} folds"
        raise ValueError(f"{few}; {most}, or find more of that class")


def _estimator(kind: Kind, wished: dict[str, Any], **parameters: Any) -> Estimator:
    """wished: parameters whose default, None here, depends on the estimator."""
    from wlt.estimator.classifier import WLTClassifier
    from wlt.estimator.regressor import WLTRegressor

    parameters |= {name: value for name, value in wished.items() if value is not None}
    return WLTRegressor(**parameters) if kind == "numbers" else WLTClassifier(**parameters)


def _write_report(evaluation: Evaluation, graphs: Graphs, report: Path) -> None:
    from wlt.evaluation.page import evaluation_page
    from wlt.io.atomic import replacing

    try:
        with replacing(report) as file:
            file.write(evaluation_page(evaluation, graphs).encode("utf-8"))
    except OSError as error:
        raise BadInput(f"{report} cannot be written: {error.strerror or error}") from None


# ---------------------------------------------------------------------------------------------------------------------
# Tables
# ---------------------------------------------------------------------------------------------------------------------


def print_evaluation(evaluation: Evaluation, graphs: Graphs) -> None:
    """Scores of the model beside what is trivial, known and possible; then fold by fold; then who is taken for whom."""
    from wlt.evaluation.metrics import OF_CLASSES, OF_NUMBERS

    names = OF_NUMBERS if evaluation.kind == "numbers" else OF_CLASSES
    for column, name in enumerate(evaluation.columns):
        title = f"{evaluation.name}: {len(evaluation.truth)} graphs{_about(evaluation, graphs, column)}"
        print_table(title if column == 0 else f"Target {name!r}", ("", *names, ""), _summary(evaluation, column, names))
    if len(evaluation.splits.folds) > 1:
        rows = [
            (str(number), *(_shown(fold[0][score], score) for score in names), len(evaluation.splits.folds[i].test))
            for i, (number, fold) in enumerate(enumerate(evaluation.fold_scores("model"), start=1))
        ]
        of = f" of target {evaluation.columns[0]!r}" if len(evaluation.columns) > 1 else ""
        print_table(f"Fold by fold{of}", ("fold", *names, "test graphs"), rows)
    if evaluation.kind == "classes" and len(evaluation.classes) <= MOST_SHOWN:
        labels = list(map(str, evaluation.classes))
        matrix = evaluation.confusion().tolist()
        rows = [(label, *row) for label, row in zip(labels, matrix, strict=True)]
        print_table("Confusion matrix", ("", *labels), rows)
        print("A row for each class: what its graphs are taken for.\n")
    print_conclusion(evaluation.audit)


def _about(evaluation: Evaluation, graphs: Graphs, column: int) -> str:
    import numpy as np

    if evaluation.kind == "classes":
        counts = Counter(graphs.targets.tolist()) if graphs.targets is not None else Counter()
        return "; " + ", ".join(f"{label!r} {members}" for label, members in sorted(counts.items()))
    name = evaluation.columns[column]
    known = int((~np.isnan(evaluation.truth[:, column])).sum())
    several = f"{len(evaluation.columns)} targets; " if len(evaluation.columns) > 1 else ""
    return f"; {several}target {name!r}, {count(known, 'value')}" if name else ""


def _summary(evaluation: Evaluation, column: int, names: Sequence[str]) -> list[tuple[str, ...]]:
    single = len(evaluation.splits.folds) == 1
    spread = "" if single else "mean ± standard deviation of "
    trivial = "majority class" if evaluation.kind == "classes" else "mean" if evaluation.kind == "numbers" else "shares"
    title = "tested" if single else "cross-validated"
    measured = _row(evaluation, title, "model", column, names, single)
    rows: list[tuple[str, ...]] = [(*measured, f"{spread}{evaluation.splits.described}")]
    if not single:
        pooled = evaluation.scores("model")[column]
        rows.append(("  all folds together", *(_shown(pooled[name], name) for name in names), ""))
    remark = f"always {_majority(evaluation)!r}" if evaluation.kind == "classes" else "of the training graphs"
    rows.append((*_row(evaluation, trivial, "trivial", column, names, True), remark))
    known = _row(evaluation, evaluation.baseline, "baseline", column, names, single)
    return [*rows, (*known, "the same folds"), *_bounds(evaluation, column, names)]


def _row(
    evaluation: Evaluation, title: str, who: Who, column: int, names: Sequence[str], single: bool
) -> tuple[str, ...]:
    told = evaluation.mean_and_spread(who, column)
    cells = [_shown(told[name][0], name, None if single else told[name][1]) for name in names]
    return (title, *cells)


def _bounds(evaluation: Evaluation, column: int, names: Sequence[str]) -> list[tuple[str, ...]]:
    from wlt.auditing import Bound

    audited = evaluation.audit
    errors = evaluation.kind == "numbers"
    word = "smallest errors of" if errors else "ceiling of"
    remark = "of training errors" if errors else "of training accuracy"
    known = {
        f"WL, {count(audited.rounds, 'round')}": (audited.bounds["wl_rounds"], remark),
        evaluation.model: (evaluation.limit or Bound(None, None), remark),
        "any model": (audited.bounds["isomorphism"], f"{remark}, by node labels and edges"),
    }
    rows = []
    for name, (bound, about) in known.items():
        if errors:
            cells = ["-", "-"]
            if bound.mae is not None and bound.rmse is not None:
                cells = [f"{bound.mae[column]:.4g}", f"{bound.rmse[column]:.4g}"]
            unknown = bound.mae is None
        else:
            cells, unknown = ["-" if bound.ceiling is None else f"{bound.ceiling:.1f} %"], bound.ceiling is None
        padded = cells + [""] * (len(names) - len(cells))
        rows.append((f"{word} {name}", *padded, "not known" if unknown else about))
    return rows


def _majority(evaluation: Evaluation) -> Any:
    import numpy as np

    return evaluation.classes[int(np.bincount(evaluation.truth).argmax())]


def _shown(value: float, name: str, spread: float | None = None) -> str:
    from math import isnan

    if isnan(value):
        return "-"
    if name in ("accuracy", "balanced accuracy"):
        return f"{100 * value:.1f} %" if spread is None else f"{100 * value:.1f} ± {100 * spread:.1f} %"
    form = ".3f" if name in ("ROC AUC", "PR AUC", "F1", "R2", "Spearman") else ".4g"
    return f"{value:{form}}" if spread is None else f"{value:{form}} ± {spread:{'.3f' if form == '.3f' else '.2g'}}"
