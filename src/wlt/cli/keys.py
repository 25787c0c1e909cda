"""`wlt keys` and `wlt duplicates`: keys of graphs without number, and what is there twice."""

from __future__ import annotations

import csv
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wlt.cli.console import JSON_SCHEMA, JsonOption, check_writable, print_table, reading_input, say
from wlt.cli.source import KINDS, AtomsOption, EdgeLabelsOption, NodeLabelsOption, RootOption, SmilesOption
from wlt.cli.streams import SHOWN, RayOption, SkipOption, WorkersOption, advancing, place_of_work, streams_of, tell
from wlt.wording import count, harmless

if TYPE_CHECKING:
    from wlt.bulk.journal import Graph, Journal
    from wlt.data.stream import Stream

DataArguments = Annotated[list[str], typer.Argument(metavar="DATA...", help=f"Graphs: {KINDS}.", show_default=False)]
OutOption = Annotated[
    Path | None, typer.Option("--out", metavar="FILE", help="A .csv or .parquet file for the rows.", show_default=False)
]
OverwriteOption = Annotated[bool, typer.Option("--overwrite", help="Replace --out where it exists.")]


def keys(
    data: DataArguments,
    out: OutOption = None,
    overwrite: OverwriteOption = False,
    workers: WorkersOption = 1,
    ray: RayOption = None,
    skip: SkipOption = False,
    smiles: SmilesOption = None,
    node_labels: NodeLabelsOption = "auto",
    edge_labels: EdgeLabelsOption = "auto",
    atoms: AtomsOption = "all",
    root: RootOption = None,
) -> None:
    """The key of every graph: equal keys are isomorphic graphs. Rows of data, place and key, as CSV, or into a file.

    The place is the line in a file, the number of the graph in a TU dataset, from 0, or the file in a folder. Files may
    have any size: a process takes at most 400 MB, or what its largest graph takes; only a TU dataset is loaded
    whole. What is interrupted goes on where it was when the same command is given again with --out."""
    _check_out(out, overwrite, data)
    with streams_of(data, smiles, node_labels, edge_labels, atoms, root) as streams:
        if out is None:
            _print_keys(data, streams, skip, workers, ray)
            return
        with _filled(_beside(out), streams, skip, workers, ray) as journal:
            from wlt.bulk.write import write_rows

            _check_out(out, overwrite, data)  # once more: hours may have passed
            rows = write_rows(out, ("data", "place", "key"), ((data[row.data], *row[1:]) for row in journal.graphs()))
            tell(journal.problems(), journal.remarks(), streams)
            say(f"{count(rows, 'key')} in {out}")


def duplicates(
    data: DataArguments,
    out: OutOption = None,
    overwrite: OverwriteOption = False,
    workers: WorkersOption = 1,
    ray: RayOption = None,
    skip: SkipOption = False,
    smiles: SmilesOption = None,
    node_labels: NodeLabelsOption = "auto",
    edge_labels: EdgeLabelsOption = "auto",
    atoms: AtomsOption = "all",
    root: RootOption = None,
    as_json: JsonOption = False,
) -> None:
    """Graphs that are there more than once, up to isomorphism; of several DATA, what is in more than one of them.

    wlt duplicates TRAIN TEST lists what leaks from one into the other. --out FILE gets all rows: the number of the
    group, data, place and key. What is interrupted goes on where it was when the same command is given again."""
    across = len(data) > 1
    _check_out(out, overwrite, data)
    with (
        streams_of(data, smiles, node_labels, edge_labels, atoms, root) as streams,
        _filled(_beside(out) if out else _in_cache(streams), streams, skip, workers, ray) as journal,
    ):
        sizes = [journal.distinct(i) for i in range(len(streams))]
        shown, groups, copies = _groups(journal, across)
        if out is not None:
            from wlt.bulk.write import write_rows

            _check_out(out, overwrite, data)  # once more: hours may have passed
            rows = ((group, data[row.data], *row[1:]) for group, row in journal.copies(across))
            write_rows(out, ("group", "data", "place", "key"), rows)
        remarks = journal.remarks()
        unreadable = tell(journal.problems(), remarks, streams)
    if as_json:
        of_data = [
            {"data": name, "graphs": graphs, "distinct": different, "in_shared_groups": copies[i]}
            for i, (name, (graphs, different)) in enumerate(zip(data, sizes, strict=True))
        ]
        told = {"of": of_data, "groups": groups, "unreadable": unreadable, "remarks": remarks}
        print(json.dumps({"schema": JSON_SCHEMA, "across": across, **told}))
        return
    _print_duplicates(data, sizes, copies, groups, shown, across, out)


def _groups(journal: Journal, across: bool) -> tuple[list[tuple[int, Graph]], int, Counter[int]]:
    """The rows of the first groups, the number of groups, and how many graphs of each of the data are in them."""
    shown: list[tuple[int, Graph]] = []
    groups = 0
    copies: Counter[int] = Counter()
    for group, row in journal.copies(across):
        groups = group
        copies[row.data] += 1
        if group <= SHOWN and len(shown) < 10 * SHOWN:
            shown.append((group, row))
    return shown, groups, copies


def _print_duplicates(
    data: Sequence[str],
    sizes: Sequence[tuple[int, int]],
    copies: Counter[int],
    groups: int,
    shown: Sequence[tuple[int, Graph]],
    across: bool,
    out: Path | None,
) -> None:
    also = "also in other DATA" if across else "in groups of copies"
    table = [(name, *size, copies[i]) for i, (name, size) in enumerate(zip(data, sizes, strict=True))]
    print_table("Graphs, up to isomorphism", ("data", "graphs", "different", also), table)
    if not groups:
        print("No graph is in more than one of them." if across else "No graph is there twice.")
        return
    rows = [(group, data[row.data], row.place, row.key) for group, row in shown]
    of = "in more than one of the data" if across else "of copies"
    print_table(f"{count(groups, 'group')} {of}", ("group", "data", "place", "key"), rows)
    if groups > SHOWN or len(shown) == 10 * SHOWN:
        print(f"All of them are in {out}." if out else "These are the first; --out FILE gets all of them.")


def _print_keys(data: Sequence[str], streams: Sequence[Stream], skip: bool, workers: int, ray: str | None) -> None:
    """Keys as CSV on stdout."""
    from wlt.bulk.keys import keys_of_streams

    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(("data", "place", "key"))
    first: list[tuple[int, str, str]] = []
    more = 0
    remarks: dict[str, None] = {}
    with advancing("keys", streams) as advance:
        for i, _, result in keys_of_streams(streams, skip=skip, place=place_of_work(workers, ray)):
            table.writerows(map(harmless, (data[i], *row)) for row in result.rows)
            kept = result.problems[: SHOWN - len(first)]  # there may be millions
            first += [(i, *problem) for problem in kept]
            more += len(result.problems) - len(kept)
            remarks |= dict.fromkeys(result.remarks)
            advance(result.size, len(result.rows))
    tell(iter(first), list(remarks), streams, more)


def _check_out(out: Path | None, overwrite: bool, data: Sequence[str]) -> None:
    """One line, before anything is read, where rows cannot be written there."""
    from wlt.bulk.write import check_suffix

    if out is None:
        return
    with reading_input():
        check_suffix(out)
        check_writable(out, "--out", *data)
        if out.exists() and not overwrite:
            raise ValueError(f"--out {out}: it exists; --overwrite replaces it")


def _beside(out: Path) -> Path:
    return out.with_name(f".{out.name}.unfinished")


def _in_cache(streams: Sequence[Stream]) -> Path:
    from wlt.bulk.journal import fingerprint
    from wlt.data.cache import cache_folder

    return cache_folder() / "unfinished" / f"{hashlib.sha256(fingerprint(streams).encode()).hexdigest()[:24]}.sqlite"


@contextmanager
def _filled(path: Path, streams: Sequence[Stream], skip: bool, workers: int, ray: str | None) -> Iterator[Journal]:
    """A journal that has all keys. It is removed when all was done with it, and kept otherwise."""
    from wlt.bulk.journal import Journal, fingerprint
    from wlt.bulk.keys import keys_of_streams

    new = not path.exists()
    try:
        journal = Journal(path, fingerprint(streams))
    except KeyboardInterrupt:
        if new:  # what is said then, that no file was written, is true
            path.unlink(missing_ok=True)
        raise
    try:
        if journal.count():
            say(f"{count(journal.count(), 'key')} of an earlier run are taken from {path}")
        with advancing("keys", streams) as advance:
            for done in keys_of_streams(streams, skip=skip, place=place_of_work(workers, ray), done=journal.has):
                journal.add(*done)
                advance(done.result.size, len(done.result.rows))
        yield journal
    except BaseException as error:
        keys = journal.count()
        if not keys:
            journal.discard()
            raise
        journal.close()
        kept = f"{count(keys, 'key')} are kept in {path}; the same command goes on from there"
        if isinstance(error, KeyboardInterrupt):
            raise KeyboardInterrupt(kept) from None
        say(kept)
        raise
    journal.discard()
