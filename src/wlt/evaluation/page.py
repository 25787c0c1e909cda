"""An evaluation as a page: scores, curves, ROC or parity, reliability, and the worst predictions, drawn. One file that
asks no other host for anything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from wlt.auditing.wording import errors
from wlt.drawing.svg import text
from wlt.estimator.calibration import expected_calibration_error
from wlt.evaluation import charts
from wlt.evaluation.charts import Line, Points, chart
from wlt.evaluation.evaluate import Evaluation, Who
from wlt.evaluation.metrics import OF_CLASSES, OF_NUMBERS
from wlt.explorer.page import document
from wlt.graphs import Graphs
from wlt.pictures.figure import CSS as PICTURES
from wlt.pictures.figure import figure
from wlt.wording import count

MOST_POINTS = 3000
"""Of a plot; of more graphs, some are chosen at random."""
MOST_CURVES = 6
"""ROC curves of classes."""
MOST_COLUMNS = 6
"""Targets that have figures of their own."""
WORST = 8
BINS = 10

CSS = """
.scores { border-collapse: collapse; background: var(--paper); border-radius: 8px; font-variant-numeric: tabular-nums; }
.scores th, .scores td { padding: 4px 10px; text-align: right; white-space: nowrap; }
.scores th { font-weight: 600; color: var(--quiet); border-bottom: 1px solid var(--rule); }
.scores th[scope=row], .scores th:first-child { text-align: left; color: var(--ink); font-weight: 400; border: 0; }
.wide { overflow-x: auto; margin-bottom: 10px; }
.right { background: var(--good); }
.wrong { background: var(--bad); }
main > h2 { margin: 30px 0 8px; }
"""


def evaluation_page(evaluation: Evaluation, graphs: Graphs) -> str:
    """The whole page. graphs: those that were evaluated, to be drawn."""
    parts = [
        f"<h1>{text(evaluation.name)}: how good is {text(evaluation.model)}?</h1>",
        f"<p>{count(len(evaluation.truth), 'graph')}, {text(evaluation.splits.described)}. "
        f"{len(evaluation.tested)} of them were tested, each by a model that had not seen it; nothing was chosen by "
        "looking at test graphs.</p>",
        *(f'<p class="quiet">{text(remark[:1].upper() + remark[1:])}.</p>' for remark in evaluation.remarks),
        f"<p>{text(evaluation.audit.conclusion)}</p>",
        *(_scores(evaluation, column) for column in range(len(evaluation.columns))),
        *_confusion(evaluation),
        "<h2>Figures</h2>",
        '<div class="charts">',
        *_curves(evaluation),
        *(_of_numbers(evaluation) if evaluation.kind == "numbers" else _of_classes(evaluation)),
        "</div>",
        *_folds(evaluation),
        *_worst(evaluation, graphs),
    ]
    return document(f"wlt train: {evaluation.name}", "\n".join(parts), charts.CSS + PICTURES + CSS)


# ---------------------------------------------------------------------------------------------------------------------
# Tables
# ---------------------------------------------------------------------------------------------------------------------


def _names(evaluation: Evaluation) -> Sequence[str]:
    return OF_NUMBERS if evaluation.kind == "numbers" else OF_CLASSES


def _scores(evaluation: Evaluation, column: int) -> str:
    names = _names(evaluation)
    trivial = {"classes": "the majority class", "numbers": "the mean", "binaries": "the shares of 0 and 1"}
    who: dict[Who, str] = {
        "model": evaluation.model,
        "baseline": evaluation.baseline,
        "trivial": trivial[evaluation.kind],
    }
    rows = []
    for each, title in who.items():
        told = evaluation.mean_and_spread(each, column)
        rows.append((title, *(_pair(*told[name]) for name in names)))
    pooled = evaluation.scores("model")[column]
    rows.insert(1, (f"{evaluation.model}, all folds together", *(_number(pooled[name]) for name in names)))
    name = evaluation.columns[column]
    title = f"Scores of {name!r}" if name else "Scores"
    limits = "".join(f"<li>{text(line)}</li>" for line in _limits(evaluation, column))
    return f"<h2>{text(title)}</h2>\n{_table(('', *names), rows)}<ul class='quiet'>{limits}</ul>"


def _limits(evaluation: Evaluation, column: int) -> Iterator[str]:
    audited = evaluation.audit
    known = {
        f"WL, {count(audited.rounds, 'round')}": audited.bounds["wl_rounds"],
        evaluation.model: evaluation.limit,
        "any model of node labels and edges": audited.bounds["isomorphism"],
    }
    for name, bound in known.items():
        if bound is None or (bound.ceiling is None and bound.mae is None):
            yield f"Limit of {name}: not known."
        elif evaluation.kind == "numbers" and bound.mae is not None and bound.rmse is not None:
            one = bound._replace(mae=(bound.mae[column],), rmse=(bound.rmse[column],))
            yield f"Smallest training errors of {name}: {errors(one)}."
        elif bound.ceiling is not None:
            yield f"Best training accuracy of {name}: {bound.ceiling:.2f} %."


def _folds(evaluation: Evaluation) -> Iterator[str]:
    if len(evaluation.splits.folds) < 2:
        return
    names = _names(evaluation)
    for column, name in enumerate(evaluation.columns[:MOST_COLUMNS]):
        rows = [
            (str(number), *(_number(scores[column][score]) for score in names), str(len(fold.test)))
            for number, (scores, fold) in enumerate(
                zip(evaluation.fold_scores("model"), evaluation.splits.folds, strict=True), start=1
            )
        ]
        yield f"<h2>Fold by fold{text(f', {name!r}') if name else ''}</h2>\n"
        yield _table(("fold", *names, "test graphs"), rows)


def _confusion(evaluation: Evaluation) -> Iterator[str]:
    if evaluation.kind != "classes":
        return
    labels = [str(label) for label in evaluation.classes]
    head = "".join(f'<th scope="col">{text(label)}</th>' for label in labels)
    body = "".join(
        f'<tr><th scope="row">{text(label)}</th>'
        + "".join(f'<td class="{"right" if i == j else "wrong" if n else ""}">{n}</td>' for j, n in enumerate(row))
        + "</tr>"
        for i, (label, row) in enumerate(zip(labels, evaluation.confusion().tolist(), strict=True))
    )
    yield '<h2>Confusion matrix</h2>\n<p class="quiet">A row for each class: what its graphs are taken for.</p>'
    yield f'<div class="wide"><table class="scores"><tr><th></th>{head}</tr>{body}</table></div>'


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    top = "".join(f'<th scope="col">{text(cell)}</th>' for cell in head)
    body = "".join(
        f'<tr><th scope="row">{text(row[0])}</th>{"".join(f"<td>{text(cell)}</td>" for cell in row[1:])}</tr>'
        for row in rows
    )
    return f'<div class="wide"><table class="scores"><tr>{top}</tr>{body}</table></div>'


def _number(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.3f}" if abs(value) < 100 else f"{value:.4g}"


def _pair(mean: float, spread: float) -> str:
    return _number(mean) if np.isnan(mean) or spread == 0 else f"{_number(mean)} ± {_number(spread)}"


# ---------------------------------------------------------------------------------------------------------------------
# Figures
# ---------------------------------------------------------------------------------------------------------------------


def _curves(evaluation: Evaluation) -> Iterator[str]:
    """Of the training: one thin line for every fold, and their mean."""
    histories = [history for history in evaluation.histories if history]
    if not histories:
        return
    what = "mean absolute error" if evaluation.kind == "numbers" else "accuracy"
    for name, place in (("loss", 0), (what, 1)):
        lines = [Line(range(1, len(each) + 1), [score[place] for score in each], thin=True) for each in histories]
        shortest = min(map(len, histories))
        mean = np.mean([[score[place] for score in each[:shortest]] for each in histories], axis=0)
        lines.append(Line(range(1, shortest + 1), mean, "mean of the folds"))
        yield chart(f"Training: {name}", "epoch", name, lines)


def _of_classes(evaluation: Evaluation) -> Iterator[str]:
    which = evaluation.tested
    truth = evaluation.truth[which]
    model, known = (evaluation.answers[who][which] for who in ("model", "baseline"))
    if evaluation.kind == "binaries":
        for column, name in enumerate(evaluation.columns[:MOST_COLUMNS]):
            there = ~np.isnan(truth[:, column])
            positive, named = truth[there, column] == 1, ((model, evaluation.model), (known, evaluation.baseline))
            yield _roc(f"ROC of {name!r}", [(positive, each[there, column], title) for each, title in named])
        yield _reliability(*_cells(truth, model, evaluation.uncalibrated[which]))
        return
    if len(evaluation.classes) == 2:
        positive = truth == 1
        both = [(positive, model[:, 1], evaluation.model), (positive, known[:, 1], evaluation.baseline)]
        yield _roc(f"ROC of {evaluation.classes[1]!r}", both)
    else:
        shown = list(enumerate(evaluation.classes))[:MOST_CURVES]
        yield _roc("ROC of each class against the others", [(truth == i, model[:, i], str(c)) for i, c in shown])
    yield _reliability(truth, model, evaluation.uncalibrated[which])


def _cells(truth: NDArray[Any], *answers: NDArray[np.float64]) -> tuple[Any, ...]:
    """Every cell of several columns as a question with two answers."""
    there = ~np.isnan(truth)
    return truth[there].astype(np.int64), *(np.column_stack([1 - each[there], each[there]]) for each in answers)


def _roc(title: str, curves: Sequence[tuple[NDArray[np.bool_], NDArray[np.float64], str]]) -> str:
    from sklearn.metrics import roc_auc_score, roc_curve

    lines = []
    for color, (positive, shares, name) in enumerate(curves):
        if 0 < positive.sum() < len(positive):
            false, true, _ = roc_curve(positive, shares)
            lines.append(Line(false, true, f"{name} ({roc_auc_score(positive, shares):.3f})", color))
    return chart(title, "false positives", "true positives", lines, diagonal=True, unit=True)


def _reliability(truth: NDArray[np.int64], after: NDArray[np.float64], before: NDArray[np.float64]) -> str:
    """How often answers are right, by how sure they are."""
    lines = []
    for color, name, shares in ((1, "before calibration", before), (0, "after", after)):
        sure, right = shares.max(axis=1), shares.argmax(axis=1) == truth
        place = np.minimum((sure * BINS).astype(int), BINS - 1)
        bins = np.unique(place)
        x = [float(sure[place == each].mean()) for each in bins]
        y = [float(right[place == each].mean()) for each in bins]
        error = expected_calibration_error(shares, truth, BINS)
        lines.append(Line(x, y, f"{name} (expected error {error:.3f})", color))
    return chart("Reliability", "how sure", "how often right", lines, diagonal=True, unit=True)


def _of_numbers(evaluation: Evaluation) -> Iterator[str]:
    which = evaluation.tested
    for column, name in enumerate(evaluation.columns[:MOST_COLUMNS]):
        truth, answers = evaluation.truth[which, column], evaluation.answers["model"][which, column]
        there = np.flatnonzero(~np.isnan(truth))
        some = there
        if len(there) > MOST_POINTS:
            some = np.random.default_rng(0).choice(there, MOST_POINTS, replace=False)
        of = f" of {name!r}" if name else ""
        marks = [Points(truth[some], answers[some])]
        yield chart(f"Prediction and truth{of}", "truth", "prediction", marks, diagonal=True)
        std = evaluation.uncalibrated[which, column]
        if np.isfinite(std[there]).all() and (std[there] > 0).all():
            yield _coverage(f"Reliability of the errors{of}", (answers - truth)[there] / std[there])


def _coverage(title: str, errors_in_std: NDArray[np.float64]) -> str:
    """How many errors lie within a range that should hold so many of them, if they were normal."""
    wanted = np.linspace(0.05, 0.95, 19)
    found = [float((np.abs(errors_in_std) <= norm.ppf(0.5 + share / 2)).mean()) for share in wanted]
    lines = [Line([0, *wanted], [0, *found], "errors within the predicted range")]
    return chart(title, "share that should lie within", "share that does", lines, diagonal=True, unit=True)


# ---------------------------------------------------------------------------------------------------------------------
# The worst predictions
# ---------------------------------------------------------------------------------------------------------------------


def _worst(evaluation: Evaluation, graphs: Graphs) -> Iterator[str]:
    found = list(_most_wrong(evaluation))
    if not found:
        return
    yield '<h2>The worst predictions</h2>\n<div class="pictures">'
    for graph, told in found:
        yield figure(graphs, graph, f"{graphs.place(graph)}: {told}")
    yield "</div>"


def _most_wrong(evaluation: Evaluation) -> Iterator[tuple[int, str]]:
    """The graphs, and what is wrong about each."""
    which, answers = evaluation.tested, evaluation.answers["model"]
    if evaluation.kind == "classes":
        truth = evaluation.truth[which]
        shares = answers[which]
        of_truth = shares[np.arange(len(which)), truth]
        order = np.argsort(of_truth, kind="stable")
        for place in order[:WORST]:
            taken = int(shares[place].argmax())
            label, other = evaluation.classes[truth[place]], evaluation.classes[taken]
            said = "rightly so" if taken == truth[place] else f"taken for {other!r}"
            yield int(which[place]), f"{label!r}, {said} with {100 * shares[place, taken]:.0f} %"
        return
    off = np.abs(answers[which] - evaluation.truth[which])
    if evaluation.kind == "numbers":
        off = off / np.nanstd(evaluation.truth, axis=0)  # columns in their own units
    order = np.argsort(-np.nan_to_num(off, nan=-1.0), axis=None, kind="stable")[:WORST]
    for place, column in zip(*np.unravel_index(order, off.shape), strict=True):
        if np.isnan(off[place, column]):
            continue
        graph, name = int(which[place]), evaluation.columns[column]
        truth, answer = evaluation.truth[graph, column], answers[graph, column]
        yield graph, f"{name + ' ' if name else ''}{truth:.4g}, predicted {answer:.4g}"
