"""What the numbers of an audit mean, in plain sentences."""

from __future__ import annotations

from collections.abc import Mapping

from wlt.auditing.bounds import Bound
from wlt.auditing.copies import Copies
from wlt.wording import count


def model_names(structure: str, rounds: int) -> dict[str, str]:
    """What each of an audit's bounds is a bound of."""
    return {
        "wl_rounds": f"WL, {count(rounds, 'round')}",
        "wl": "WL, any depth",
        "wlt_one_draw": f"{structure}, one draw",
        "wlt_all": f"{structure}, recolor all",
        "wlt_nodes": f"{structure}, recolor nodes",
        "wlt": f"{structure}, many draws",
        "isomorphism": "isomorphism",
    }


def meaning_of_models(structure: str) -> str:
    """The words of `model_names`, for people who have not seen them."""
    recoloring = (
        f" {structure} is WLT-GNN: each g is a GIN layer, each r gives nodes a new colour. It recolours one random "
        "node of the largest class (one draw, or the mean over many draws), every node of that class in turn (all), or "
        "every node of the graph in turn (nodes)."
    )
    return (
        "Counted are graphs. WL is the Weisfeiler-Leman test: it bounds every network that only passes messages along "
        f"edges, such as GCN, GraphSAGE and GIN.{recoloring if 'r' in structure else ''} Isomorphism bounds every "
        "model whose answer does not depend on how nodes are numbered."
    )


def conclusion(graphs: int, structure: str, rounds: int, bounds: Mapping[str, Bound], copies: Copies) -> str:
    """What WL and recoloring can do here, and what copies do."""
    return " ".join(
        [_about_separation(structure, rounds, bounds), *_about_copies(graphs, bounds["isomorphism"], copies)]
    )


def errors(bound: Bound) -> str:
    """The smallest errors of a model, in each column of numbers."""
    if bound.mae is None or bound.rmse is None:
        return "not known"
    return "; ".join(f"MAE {mae:.4g}, RMSE {rmse:.4g}" for mae, rmse in zip(bound.mae, bound.rmse, strict=True))


def _about_separation(structure: str, rounds: int, bounds: Mapping[str, Bound]) -> str:
    wl, wlt, isomorphism = bounds["wl"], bounds["wlt"], bounds["isomorphism"]
    different = isomorphism.distinct
    if wl.distinct == different:
        shallow = bounds["wl_rounds"].distinct
        if shallow == different:
            gain = "raise training accuracy" if wl.mae is None else "lower training errors"
            return f"WL already separates all graphs that differ: recoloring cannot {gain} here."
        seen = f"rounds: {rounds}, graphs seen as different: {shallow} of {different}"
        return f"WL separates all graphs that differ, but only with more layers ({seen}): these do what recoloring can."
    if different is None:
        cap = "" if wl.ceiling is None else f", and no model bounded by WL fits more than {wl.ceiling:.2f} %"
        return f"WL sees {wl.distinct} different graphs{cap}; exact search took too long to tell how many there are."
    start = f"WL sees {different} different graphs as {wl.distinct}"
    if wlt.distinct is None:
        limits = ""
        if wl.ceiling is not None:
            limits = f" its ceiling of {wl.ceiling:.2f} % could rise to {isomorphism.ceiling:.2f} %, but"
        return f"{start}:{limits} what {structure} would see was too long to compute."
    if wl.ceiling is None or isomorphism.ceiling is None or wlt.ceiling is None:
        seen = f"{start}, {structure} as {wlt.distinct}"
        if wl.mae is None:
            return f"{seen}."
        return f"{seen}: the smallest errors are {errors(wl)} for WL, {errors(wlt)} for {structure}."
    if wl.ceiling == isomorphism.ceiling:
        return f"{start}, but no label depends on that: recoloring cannot raise training accuracy here."
    if wlt.ceiling <= wl.ceiling:
        rise = f"the ceiling of {wl.ceiling:.2f} % could rise to {isomorphism.ceiling:.2f} %; try"
        if "r" not in structure:
            return f"{start}, as does {structure}: {rise} an r with g behind it."
        return f"{start}, and recoloring one node as in {structure} does not help: {rise} more g behind the r."
    rise = f"recoloring one node ({structure}) can raise the ceiling from {wl.ceiling:.2f} % to {wlt.ceiling:.2f} %"
    every, one_draw = bounds["wlt_all"].ceiling, bounds["wlt_one_draw"].ceiling
    if one_draw is None:  # of several columns nobody knows it
        return f"{start}: {rise} over many draws ({every:.2f} % with recolor all)."
    return f"{start}: {rise} over many draws ({every:.2f} % with recolor all, {one_draw:.2f} % with one draw)."


def _about_copies(graphs: int, best: Bound, copies: Copies) -> list[str]:
    sentences = []
    if copies.contradictions and best.ceiling is None:
        cap = f"no model of node colours and edges has smaller errors than {errors(best)}"
        sentences.append(f"{copies.contradictions} graphs have isomorphic copies with other values: {cap}.")
    elif copies.contradictions:
        cap = f"contradicting labels cap any model of node colours and edges at {best.ceiling:.2f} %"
        sentences.append(f"{copies.contradictions} graphs have isomorphic copies with other labels: {cap}.")
    if copies.leaks:
        leaked = f"{copies.leaks} graphs ({100 * copies.leaks / graphs:.1f} %)"
        sentences.append(f"{leaked} leak: each has an isomorphic copy in another of the {copies.folds} folds.")
    elif copies.duplicates:
        are = "is an isomorphic duplicate" if copies.duplicates == 1 else "are isomorphic duplicates"
        sentences.append(f"{count(copies.duplicates, 'graph')} {are}.")
    return sentences
