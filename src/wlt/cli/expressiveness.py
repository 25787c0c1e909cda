"""`wlt expressiveness`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from wlt.cli.console import BadInput, JsonOption, check_writable, keeping, print_table, reading_input
from wlt.expressiveness import BENCHMARKS, Separation, run
from wlt.expressiveness.experiment import MODES


def expressiveness(
    benchmark: Annotated[
        str | None,
        typer.Argument(metavar="|".join(BENCHMARKS), help="Graphs that are hard to tell apart.", show_default=False),
    ] = None,
    mode: Annotated[
        str,
        typer.Option(
            metavar="|".join(MODES),
            help="colors: integer colours alone, exactly; random: random weights in float64; trained: BREC's own "
            "procedure, and for csl and exp cross-validated accuracy.",
        ),
    ] = "colors",
    policy: Annotated[
        str, typer.Option(help="Nodes that an r recolours: none, one, half, draws:K, all or canonical.")
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
    """Which graphs are told apart, and is any graph told apart from its own copy? CSL, EXP, SR25, graph8c and BREC."""
    if (benchmark is None) != every:
        raise BadInput(f"one benchmark is needed ({', '.join(BENCHMARKS)}), or --all without one")
    if every:
        _run_all(data, seed, results, markdown, as_json)
        return
    assert benchmark is not None
    with reading_input():
        if markdown is not None or results is not None:
            raise ValueError("--results and --markdown belong to --all")
        separation = run(benchmark, mode, policy, structure, data, seed)
    if as_json:
        print(json.dumps(separation.to_dict()))
    else:
        _print(separation)


def _run_all(data: str | None, seed: int, results: Path | None, markdown: Path | None, as_json: bool) -> None:
    from wlt.expressiveness.survey import survey
    from wlt.expressiveness.table import HEAD, row, with_tables
    from wlt.io.atomic import replacing

    separations = []
    kept = "" if results is None else f"what was measured is in {results}; the same command goes on from there"
    try:
        with reading_input(), keeping(kept):
            for path, option in ((results, "--results"), (markdown, "--markdown")):
                if path is not None:
                    check_writable(path, option)
            for separation in survey(data, seed, results):
                print(json.dumps(separation.to_dict()) if as_json else "  ".join(row(separation)), flush=True)
                separations.append(separation)
        if markdown is not None:
            text = markdown.read_text("utf-8") if markdown.exists() else "# Which graphs are told apart\n"
            with replacing(markdown) as file:
                file.write(with_tables(text, separations).encode())
    except OSError as error:
        raise BadInput(f"{error.filename}: cannot be read or written: {error.strerror}") from error
    if markdown is None and not as_json:
        print_table("Graphs told apart", HEAD, map(row, separations))


def _print(separation: Separation) -> None:
    parts = separation.parts
    rows = [(name, *part) for name, part in (parts if len(parts) == 1 else {**parts, "all": separation.total}).items()]
    title = f"{separation.benchmark}, mode {separation.mode}, policy {separation.policy}, {separation.structure}"
    print_table(title, ("", "pairs", "separated", "copies", "taken for different"), rows)
    for name, value in separation.details.items():
        shown = f"{value:.6g}" if isinstance(value, float) else str(value)
        print(f"{name.replace('_', ' ')}: {shown}")
    print(f"{separation.seconds:.1f} s")
