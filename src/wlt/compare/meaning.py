"""What the answer about two graphs means, in a sentence."""

from __future__ import annotations

from wlt.compare.exact import IsomorphismResult
from wlt.compare.kwl import KWLResult
from wlt.compare.pair import Verdict, not_looked_at
from wlt.wording import count


def answers(result: IsomorphismResult, kwl: KWLResult | None = None) -> list[tuple[str, Verdict, str, str]]:
    """One row for every test: its name, its answer, what it took, and what the answer is worth."""
    wl, tinhofer = result.wl, result.tinhofer
    certain_no = wl.verdict is Verdict.NON_ISOMORPHIC
    decided_by = "WL" if certain_no else "exact search" if tinhofer.mapping is None else "Tinhofer"
    recolorings = count(len(tinhofer.steps), "recoloring")
    if tinhofer.trials > 1:
        recolorings = f"{tinhofer.accepted} of {tinhofer.trials} runs accepted"
    certain = f"certain{not_looked_at(result.ignored)}"
    exact = (f"by {decided_by}", certain) if result.certain else (f"within {result.time_limit:g} s", "not known")
    rows = [
        ("WL", wl.verdict, count(wl.rounds, "round"), certain if certain_no else "not certain"),
        ("Tinhofer", tinhofer.verdict, recolorings, "not certain" if tinhofer.mapping is None else certain),
        ("exact", result.verdict, *exact),
    ]
    if kwl is not None:
        worth = certain if kwl.verdict is Verdict.NON_ISOMORPHIC else "not certain"
        took = f"{count(kwl.rounds, 'round')}, {kwl.classes} colours of tuples"
        rows.insert(1, (f"{kwl.k}-FWL", kwl.verdict, took, worth))
    return rows


def meaning(result: IsomorphismResult) -> str:
    left_nodes, right_nodes = map(len, result.wl.colors)
    certain = f" as graphs{not_looked_at(result.ignored)[1:]}" if result.ignored else ", for certain"
    if left_nodes != right_nodes:
        return f"Not isomorphic{certain}: {count(left_nodes, 'node')} against {right_nodes}."
    if result.wl.verdict is Verdict.NON_ISOMORPHIC:
        return (
            f"Not isomorphic{certain}: the colours of the nodes differ after "
            f"{count(result.wl.rounds, 'round')}, and those of isomorphic graphs never do."
        )
    if result.tinhofer.mapping is not None:
        return f"Isomorphic{certain}: the mapping was checked edge by edge; passing WL alone would not prove it."
    if not result.certain:
        return (
            f"Undecided within {result.time_limit:g} s: WL cannot tell these graphs apart, Tinhofer's algorithm found "
            "no mapping, and exact search did not end; a longer time limit may decide it."
        )
    if result:
        why = "so neither graph is compact"
        if not result.tinhofer.right_on_compact:
            why = "as it may, even for compact graphs, where several nodes are recoloured at once and not guided"
        return (
            f"Isomorphic{certain}: exact search found a mapping, checked edge by edge; Tinhofer's algorithm missed "
            f"it, {why}."
        )
    return (
        f"Not isomorphic{certain}, by exact search: WL cannot tell these graphs apart, and a rejection by "
        "Tinhofer's algorithm is a proof only for some graphs, compact ones among them (see wlt inspect)."
    )
