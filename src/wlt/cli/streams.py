"""DATA of commands that read graphs chunk by chunk: streams, their progress, and what is told of them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from wlt.cli.console import BadInput, reading_input, say
from wlt.cli.source import check_options, edge_labels_of, recognize
from wlt.wording import count

if TYPE_CHECKING:
    from wlt.data.stream import Reading, Stream
    from wlt.work.calls import Place

SHOWN = 20
"""Graphs that cannot be read, and groups of copies, that are shown."""

WorkersOption = Annotated[int, typer.Option(min=1, metavar="N", help="Processes.")]
RayOption = Annotated[
    str | None, typer.Option("--ray", metavar="ADDRESS", help="Work on a Ray cluster, such as auto or host:6379.")
]
SkipOption = Annotated[
    bool, typer.Option("--skip-unreadable", help="Go on without graphs that cannot be read, and list them.")
]


@contextmanager
def streams_of(
    data: Sequence[str],
    smiles: str | None,
    node_labels: str,
    edge_labels: str,
    atoms: Literal["all", "element"],
    root: str | None,
    target: str | None = None,
) -> Iterator[list[Stream]]:
    """The streams of DATA; whatever a user can mend is one line."""
    from wlt.bulk.journal import JournalError
    from wlt.cluster import RayError
    from wlt.data.stream import Reading
    from wlt.work.calls import GivenUp

    with reading_input(), tempfile.TemporaryDirectory() as folder:
        reading = Reading(node_labels, edge_labels_of(edge_labels), smiles, root, atoms, target)
        if len(set(data)) < len(data):
            raise ValueError("the same DATA twice")
        try:
            yield [_stream(each, reading, Path(folder)) for each in data]
        except (JournalError, RayError, GivenUp) as error:
            raise BadInput(str(error)) from error


def place_of_work(workers: int, ray: str | None) -> Place | None:
    """Where --workers and --ray say that the work is done; None is this process."""
    from wlt.work.places import place_for

    return place_for(None if ray else workers, ray)


def _stream(data: str, reading: Reading, folder: Path) -> Stream:
    """What a DATA argument is, as a stream. What is piped in, or is text that describes a graph, is put
    into a file of this folder first."""
    from wlt.data.stream import Stream
    from wlt.io.content import file_bytes, suffix_of
    from wlt.io.files import GRAPH6

    source = recognize(data, reading.root, reading.smiles)
    check_options(source, reading.target, reading.smiles, reading.node_labels, reading.edge_labels, labelled=False)
    if "content" in source.why:
        say(f"{data} is taken for {source.why}")
    path, suffix = source.data, source.suffix
    if source.kind in ("TU dataset", "set of molecules"):
        return Stream("TU dataset", path, reading)
    if source.kind == "folder of graph files":
        return Stream("folder", path, reading)
    if source.kind in ("SMILES", "graph6 text"):
        text = folder / ("text.smi" if source.kind == "SMILES" else "text.g6")
        text.write_text(path, "utf-8")
        return Stream("SMILES" if source.kind == "SMILES" else "graph6 lines", str(text), reading, text.suffix)
    if not Path(path).is_file():
        piped = folder / f"stdin{suffix or suffix_of(path) or '.csv'}"
        piped.write_bytes(file_bytes(path))
        path = str(piped)
    if source.kind == "table of molecules":
        return Stream("SMILES", path, reading)
    return Stream("graph6 lines" if suffix in GRAPH6 else "graph file", path, reading, suffix)


@contextmanager
def advancing(what: str, streams: Sequence[Stream]) -> Iterator[Callable[[int, int], None]]:
    """One progress bar for all streams, by bytes of text, where their size is known."""
    from wlt.progress import progress_bar

    files = [file for stream in streams for file in stream.files()]
    known = all(stream.kind != "TU dataset" for stream in streams) and not any(file.suffix == ".gz" for file in files)
    total = sum(file.stat().st_size for file in files) if known else None
    graphs = 0
    with progress_bar(what, total, unit="bytes") as advance:

        def more(size: int, rows: int) -> None:
            nonlocal graphs
            graphs += rows
            advance(size, count(graphs, "graph"))

        yield more


def tell(
    problems: Iterator[tuple[int, str, str]], remarks: Sequence[str], streams: Sequence[Stream], more: int = 0
) -> int:
    """What was left out, and what was not looked at; how many were left out. more: so many that nobody has kept."""
    from wlt.bulk.keys import place_of

    number = 0
    for number, (data, place, reason) in enumerate(problems, 1):
        if number <= SHOWN:
            say(f"{place_of(streams[data], place)}: {reason}")
    number += more
    if number > SHOWN:
        say(f"and {number - SHOWN} more")
    if number:
        say(f"{count(number, 'graph')} left out")
    for remark in remarks:
        say(remark)
    return number
