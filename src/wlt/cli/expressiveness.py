"""`wlt expressiveness`."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wlt.cli.console import BadInput, JsonOption, check_writable, print_table, reading_input

if TYPE_CHECKING:
    from wlt.expressiveness.result import Part, Separation


class BenchmarkName(StrEnum):
    csl = "csl"
    exp = "exp"
    sr25 = "sr25"
    graph8c = "graph8c"
    brec = "brec"


class Mode(StrEnum):
    colors = "colors"
    random = "random"
    trained = "trained"


def expressiveness(
    benchmark: Annotated[
        BenchmarkName | None, typer.Argument(help="Graphs that are hard to tell apart.", show_default=False)
    ] = None,
    mode: Annotated[
        Mode,
        typer.Option(
            help="colors: integer colours alone, exactly; random: random weights in float64; trained: BREC's own "
            "procedure, and for csl and exp cross-validated accuracy."
        ),
    ] = Mode.colors,
    policy: Annotated[
        str, typer.Option(help="Nodes that a recoloring takes: none, one, half, draws:K, all or canonical.")
    ] = "canonical",
    structure: Annotated[
        str | None, typer.Option(help="Layers such as g8(rg8)3; default: unlimited depth in mode colors.")
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Folder that holds expressiveness/ and tu/; else WLT_DATA, else the cache."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Of relabelled copies, weights and training.")] = 0,
    every: Annotated[bool, typer.Option("--all", help="Every policy on every benchmark instead of one run.")] = False,
    results: Annotated[
        Path | None, typer.Option(metavar="FILE", help="With --all: what is stored here is not run again.")
    ] = None,
    markdown: Annotated[Path | None, typer.Option(metavar="FILE", help="With --all: write the page here.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Which graphs are told apart, and is no graph told apart from its copy? CSL, EXP, SR25, graph8c and BREC."""
    from wlt.expressiveness.experiment import run

    if (benchmark is None) != every:
        raise BadInput("one benchmark is needed (csl, exp, sr25, graph8c or brec), or --all without one")
    if every:
        _run_all(data, seed, results, markdown, as_json)
        return
    assert benchmark is not None
    with reading_input():
        if markdown is not None or results is not None:
            raise ValueError("--results and --markdown belong to --all")
        found = run(benchmark.value, mode.value, policy, structure, data, seed)
    if as_json:
        print(json.dumps(found.to_dict()))
    else:
        _print(found)


def _run_all(data: str | None, seed: int, results: Path | None, markdown: Path | None, as_json: bool) -> None:
    from wlt.expressiveness.experiment import run
    from wlt.expressiveness.table import HEAD, RUNS, page, row

    with reading_input():
        for path, option in ((results, "--results"), (markdown, "--markdown")):
            if path is not None:
                check_writable(path, option)
    try:
        stored = {} if results is None else _stored(results)
        found = []
        for asked in RUNS:
            key = json.dumps([*asked, seed])
            if key not in stored:
                benchmark, mode, policy, structure = asked
                with reading_input():
                    stored[key] = run(benchmark, mode, policy, structure, data, seed)
                if results is not None:
                    with results.open("a") as file:
                        print(json.dumps({"run": key, **stored[key].to_dict()}), file=file)
            found.append(stored[key])
            print(json.dumps(found[-1].to_dict()) if as_json else "  ".join(row(found[-1])), flush=True)
        if markdown is not None:
            markdown.write_text(page(found), encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{error.filename}: cannot be read or written: {error.strerror}") from error
    if markdown is None and not as_json:
        print_table("Graphs told apart", HEAD, map(row, found))


def _stored(results: Path) -> dict[str, Separation]:
    """What an earlier run has found, by benchmark, mode, policy, structure and seed."""
    from wlt.expressiveness.result import Separation

    found: dict[str, Separation] = {}
    try:
        lines = results.read_text("utf-8").splitlines() if results.exists() else []
    except UnicodeDecodeError:
        raise BadInput(f"{results} is no text, so no results of wlt expressiveness --all") from None
    for number, line in enumerate(lines, 1):
        try:
            entry = json.loads(line)
            key = entry.pop("run")
            found[key] = Separation.from_dict(entry)
        except (ValueError, TypeError, KeyError, AttributeError):
            raise BadInput(f"{results}: line {number} is no result of wlt expressiveness --all; remove it") from None
    return found


def _print(found: Separation) -> None:
    rows = [(name, part.pairs, part.separated, part.controls, part.control_failures) for name, part in _parts(found)]
    title = f"{found.benchmark}, mode {found.mode}, policy {found.policy}, {found.structure}"
    print_table(title, ("", "pairs", "separated", "copies", "taken for different"), rows)
    for name, value in found.details.items():
        shown = f"{value:.6g}" if isinstance(value, float) else str(value)
        print(f"{name.replace('_', ' ')}: {shown}")
    print(f"{found.seconds:.1f} s")


def _parts(found: Separation) -> list[tuple[str, Part]]:
    parts = list(found.parts.items())
    return parts if len(parts) == 1 else [*parts, ("all", found.total)]
