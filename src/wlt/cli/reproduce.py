"""`wlt reproduce`, `wlt export-runs` and `wlt import-runs`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wlt.cli.console import BadInput, keeping, reading_input, say
from wlt.extras import need
from wlt.reproduce.spec import DEGREES, METHODS
from wlt.wording import count

if TYPE_CHECKING:
    from wlt.work.calls import Place

NOTHING_TO_RUN = "none of the datasets can be used"


def reproduce(
    table: Annotated[
        str, typer.Argument(metavar="table1|table2", help="table1: test accuracy, 10 folds; table2: training accuracy.")
    ],
    dataset: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A TU dataset, or a zip file or folder of one. Repeatable.")
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            metavar="|".join(METHODS), help="Repeatable; default: those of the paper's table and the control."
        ),
    ] = None,
    data: Annotated[str | None, typer.Option(metavar="DIR", help="Folder that holds tu/NAME.zip.")] = None,
    folds: Annotated[int | None, typer.Option(min=1, max=10, help="Run only the first N of the ten folds.")] = None,
    runs: Annotated[int | None, typer.Option(min=1, help="Table 2: runs of each method instead of 5.")] = None,
    epochs: Annotated[int | None, typer.Option(min=1, help="Instead of the paper's 100, or 300 in Table 2.")] = None,
    hidden: Annotated[int | None, typer.Option(min=1, help="Hidden units instead of the paper's.")] = None,
    dropout: Annotated[float | None, typer.Option(help="Instead of 0, or 0.5 in the baselines.")] = None,
    degrees: Annotated[
        str | None,
        typer.Option(
            metavar="|".join(DEGREES),
            help="How models see the degrees of nodes without labels; default: one-hot, except on REDDIT.",
        ),
    ] = None,
    grid_on: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=9,
            metavar="N",
            help="Choose a baseline's grid point on the first N folds, and run the other folds for that one alone.",
        ),
    ] = None,
    edge_labels: Annotated[
        bool, typer.Option("--edge-labels", help="Let models see the datasets' edge labels, which the paper's do not.")
    ] = False,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; default: one per core.")] = None,
    ray: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Run on a Ray cluster; 'auto' finds it.")] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where results are stored.")] = Path("runs"),
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Seed of folds, weights and training.")] = 0,
) -> None:
    """Run the paper's experiments. Jobs that --out contains already are not run again."""
    with keeping(f"finished jobs are stored in {out}. To continue: {shlex.join(['wlt', *sys.argv[1:]])}"):
        from wlt.reproduce.datasets import Loaded, audit_datasets, describe_datasets, load_all
        from wlt.reproduce.plan import Plan
        from wlt.reproduce.run import run
        from wlt.reproduce.store import FILE, Store

        need("torch", "training")  # before workers ask for it, one job after the other
        with reading_input():
            place = _place(workers, ray)
            plan = Plan(table, method or (), folds, runs, epochs, hidden, dropout, degrees, grid_on, seed)

        def load() -> Loaded:
            with reading_input():
                return load_all(dataset or plan.datasets, data, plan, edge_labels=edge_labels)

        # A new store is not created before there is something to run, so that a typo leaves nothing behind.
        loaded = None if out.is_file() or (out / FILE).exists() else load()
        if loaded and not loaded.datasets:
            _say_left_out(loaded.missing.values())
            raise BadInput(NOTHING_TO_RUN)
        with _refusals():
            place.at_once()  # is there a cluster?
        with _refusals(), Store(out) as store:
            loaded = loaded or load()
            stored = store.jobs()
            complete = [  # all jobs are stored although the data are missing, for instance after wlt import-runs
                name
                for name in loaded.missing
                if all((job.spec.key(), job.fold) in stored for job in plan.jobs([name]))
            ]
            _say_left_out(problem for name, problem in loaded.missing.items() if name not in complete)
            describe_datasets(store, loaded, plan)
            if not loaded.datasets and not complete:
                raise BadInput(NOTHING_TO_RUN)
            names = [*loaded.datasets, *complete]
            jobs = plan.jobs(names)
            failed = run(jobs, loaded.datasets, store, place)
            if chosen := plan.jobs_behind_choice(names, store.results().records):
                failed += run(chosen, loaded.datasets, store, place)
                jobs = list(dict.fromkeys(jobs + chosen))
            audit_datasets(store, loaded.datasets, seed, print)
        for failure in failed:
            print(f"wlt: {failure.job} failed:\n{failure.reason}", file=sys.stderr)
        finished = f"{len(jobs) - len(failed)} of {count(len(jobs), 'job')}"
        print(f"{finished} stored in {out}; tables and curves: {shlex.join(['wlt', 'report', str(out)])}")
        if failed:
            raise typer.Exit(1)


def _place(workers: int | None, ray: str | None) -> Place:
    """Where the jobs run."""
    from wlt.work.places import place_for
    from wlt.work.processes import Processes

    return place_for(workers, ray) or Processes(1)


def _say_left_out(problems: Iterable[str]) -> None:
    for problem in problems:
        say(f"left out: {problem}")


def export_runs(
    store: Annotated[Path, typer.Argument(metavar="DIR", help="Folder with the results of wlt reproduce.")],
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder for the text files; its runs are kept.")],
) -> None:
    """Write stored runs as text files, for version control."""
    from wlt.reproduce import textform

    with _refusals():
        written = textform.write(folder, textform.read_any(store))
    print(f"{count(len(written), 'file')}, {sum(path.stat().st_size for path in written) / 1e6:.2f} MB, in {folder}")


def import_runs(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder with text files of wlt export-runs.")],
    store: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a store, which may be new.")],
) -> None:
    """Read runs from text files into a store; wlt reproduce --out DIR continues from there."""
    from wlt.reproduce import textform
    from wlt.reproduce.store import Store

    whole = f"{store} has all runs of {folder} or none of them; the same command imports what is missing"
    with keeping(whole), _refusals():
        new = textform.read(folder)
        with Store(store) as target:
            both = textform.merged(target.results(), new, (str(store), str(folder)))
            before = target.jobs()
            records = [record for record in both.records if record.job not in before]
            target.add_all(records, both.datasets)
        print(f"{count(len(records), 'run')} imported into {store}, {len(before)} were stored before")


@contextmanager
def _refusals() -> Iterator[None]:
    """Report a store or cluster that cannot be used as one line, with exit code 2."""
    from wlt.cluster import RayError
    from wlt.reproduce.store import StoreError

    try:
        yield
    except (StoreError, RayError) as error:
        raise BadInput(str(error)) from error
