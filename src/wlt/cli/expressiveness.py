"""`wlt expressiveness`."""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import typer

from wlt.cli.console import JSON_SCHEMA, BadInput, JsonOption, check_writable, keeping, print_table, reading_input
from wlt.expressiveness import BENCHMARKS, MODES, ModelError, Procedure, Separation, evaluate, read_result
from wlt.extras import EXTRAS, missing

PUBLISHED = Procedure()


def expressiveness(
    benchmark: Annotated[
        str | None,
        typer.Argument(metavar="|".join(BENCHMARKS), help="Graphs that are hard to tell apart.", show_default=False),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="MODULE:NAME",
            help="Your model, such as package.module:name or file.py:name: a function of graphs, a torch module with "
            "forward(data), or make(seed).",
        ),
    ] = None,
    policy: Annotated[
        str,
        typer.Option(
            help="Without --model: nodes that an r of WLT-GNN recolours (none, one, half, draws:K, all, nodes or "
            "canonical), or a test: 1-WL, 2-FWL, 3-FWL."
        ),
    ] = "canonical",
    mode: Annotated[
        str | None,
        typer.Option(
            metavar="|".join(MODES),
            help="colors: integer colours, exactly, for policies; untrained: vectors of graphs against those of "
            "relabelled copies; trained: BREC's own procedure, and for csl and exp cross-validated accuracy.",
        ),
    ] = None,
    structure: Annotated[
        str | None, typer.Option(help="Layers of WLT-GNN such as g8(rg8)3; default: unlimited depth in mode colors.")
    ] = None,
    takes: Annotated[
        str | None,
        typer.Option(metavar="networkx|pyg|batch|wlt|graphs", help="Graphs that the model takes, if it does not say."),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Folder that holds expressiveness/ and tu/; else WLT_DATA, else the cache."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Of relabelled copies, weights and training.")] = 0,
    device: Annotated[str, typer.Option(help="Of a torch module, such as cuda.")] = "cpu",
    epochs: Annotated[int, typer.Option(min=1, help="Mode trained: at most so many for a pair.")] = PUBLISHED.epochs,
    learning_rate: Annotated[float, typer.Option(help="Mode trained.")] = PUBLISHED.learning_rate,
    batch_size: Annotated[int, typer.Option(min=2, help="Mode trained: graphs in a batch.")] = PUBLISHED.batch_size,
    training_relabellings: Annotated[
        int, typer.Option(min=1, help="Mode trained: of the 32 relabellings, how many training sees.")
    ] = PUBLISHED.training_relabellings,
    time_limit: Annotated[
        float | None, typer.Option(metavar="SECONDS", min=0, help="After that no new pair is begun.")
    ] = None,
    compare: Annotated[
        list[Path] | None, typer.Option(metavar="FILE.json", help="Results of other models to show beside it.")
    ] = None,
    save: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Write a page (.html), JSON (.json) or a figure (.svg, .png, .pdf)."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every policy on every benchmark instead of one run.")] = False,
    results: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Outcomes are stored here as they come, and not computed again."),
    ] = None,
    markdown: Annotated[Path | None, typer.Option(metavar="FILE", help="With --all: write the page here.")] = None,
    as_json: JsonOption = False,
) -> None:
    """How much does a model see? Which graphs are told apart, and is any graph told apart from its own copy?"""
    if (benchmark is None) != every:
        raise BadInput(f"one benchmark is needed ({', '.join(BENCHMARKS)}), or --all without one")
    if every:
        _run_all(data, seed, results, markdown, as_json)
        return
    procedure = PUBLISHED._replace(
        epochs=epochs,
        learning_rate=learning_rate,
        batch_size=batch_size,
        training_relabellings=training_relabellings,
    )
    kept = "" if results is None else f"what was decided is in {results}; the same command goes on from there"
    with reading_input(), keeping(kept):
        if markdown is not None:
            raise ValueError("--markdown belongs to --all")
        for path in (*(save or []), *([results] if results else [])):
            check_writable(path, "--results" if path == results else "--save")
        others = [read_result(path) for path in compare or []]
        try:
            found = evaluate(
                _model(model) if model is not None else policy,
                benchmark or "",
                mode=mode,  # type: ignore[arg-type]
                structure=structure,
                takes=takes,
                name=None if model is None else model.rpartition(":")[2],
                seed=seed,
                device=device,
                data=data,
                store=results,
                time_limit=time_limit,
                procedure=None if procedure == PUBLISHED else procedure,
                compare=others,
            )
        except ModelError as error:
            if error.result is not None and error.result.outcomes:
                _show(error.result, save, as_json)
            raise ModelError(str(error).replace("kept in the error's `result`", "shown above")) from error
        _show(found, save, as_json)


def _show(found: Separation, save: list[Path] | None, as_json: bool) -> None:
    for path in save or []:
        found.save(path)
    print(_as_json(found) if as_json else found)


def _model(place: str) -> Any:
    """What package.module:name or file.py:name names. The module is imported, so its code is run."""
    module, _, name = place.rpartition(":")
    if not module or not name:
        raise ValueError(f"--model {place}: it is package.module:name or file.py:name")
    if module.endswith(".py") and not Path(module).is_file():
        raise ValueError(f"--model {place}: there is no file {module}")
    try:
        loaded = _from_file(Path(module)) if module.endswith(".py") else _from_package(module)
    except Exception as error:
        if isinstance(error, ImportError) and error.name in EXTRAS:
            raise ValueError(f"--model {place}: {missing(error.name, module)}") from error
        raise ValueError(f"--model {place}: {module} cannot be imported: {type(error).__name__}: {error}") from error
    if not hasattr(loaded, name):
        raise ValueError(f"--model {place}: {module} has no {name}")
    return getattr(loaded, name)


def _from_package(name: str) -> ModuleType:
    sys.path.insert(0, "")
    return importlib.import_module(name)


def _from_file(path: Path) -> ModuleType:
    """The file, whatever modules of its name there are, such as one of Python's own; its neighbours can be imported."""
    sys.path.append(str(path.parent.absolute()))  # not first: a json.py there would hide Python's own from workers
    name = path.stem if path.stem not in sys.modules else f"model_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[name] = loaded
    spec.loader.exec_module(loaded)
    return loaded


def _as_json(found: Separation) -> str:
    return json.dumps({"schema": JSON_SCHEMA, **found.to_dict()})


def _run_all(data: str | None, seed: int, results: Path | None, markdown: Path | None, as_json: bool) -> None:
    from wlt.expressiveness.markdown import HEAD, row, with_tables
    from wlt.expressiveness.survey import survey
    from wlt.io.atomic import replacing

    separations = []
    kept = "" if results is None else f"what was measured is in {results}; the same command goes on from there"
    try:
        with reading_input(), keeping(kept):
            for path, option in ((results, "--results"), (markdown, "--markdown")):
                if path is not None:
                    check_writable(path, option)
            for separation in survey(data, seed, results):
                print(_as_json(separation) if as_json else "  ".join(row(separation)), flush=True)
                separations.append(separation)
        if markdown is not None:
            text = markdown.read_text("utf-8") if markdown.exists() else "# Which graphs are told apart\n"
            with replacing(markdown) as file:
                file.write(with_tables(text, separations).encode())
    except OSError as error:
        raise BadInput(f"{error.filename}: cannot be read or written: {error.strerror}") from error
    if markdown is None and not as_json:
        print_table("Graphs told apart", HEAD, map(row, separations))
