"""Everything that reads files which others have written, as targets of the campaign: seeds, and what may come of it."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
from mutate import mutated

import wlt
from wlt.io.files import READERS


class Target(NamedTuple):
    """Something that reads."""

    seeds: Callable[[], list[bytes]]
    attempt: Callable[[bytes, Path], None]
    """Read these bytes, in files of this folder if need be. What it raises, but for `refusals`, is a failure."""
    refusals: tuple[type[Exception], ...]
    share: int
    """Of a million inputs, how many are for this one."""


def graphs() -> list[nx.Graph[Any]]:
    named = nx.relabel_nodes(nx.house_graph(), dict(enumerate("abcde")))
    nx.set_node_attributes(named, {"a": "C", "b": "N", "c": "C", "d": "O", "e": "C"}, "kind")
    nx.set_edge_attributes(named, {edge: i % 2 for i, edge in enumerate(named.edges)}, "bond")
    directed = nx.DiGraph([(0, 1), (1, 2), (2, 0), (2, 3)])
    multi = nx.MultiGraph([(0, 1), (0, 1), (1, 2), (2, 2)])
    return [nx.petersen_graph(), named, directed, multi, nx.empty_graph(3), nx.path_graph(2)]


def _written(write: Callable[[nx.Graph[Any], io.BytesIO], Any]) -> list[bytes]:
    texts = []
    for graph in graphs():
        stream = io.BytesIO()
        try:
            write(graph, stream)
        except (nx.NetworkXException, TypeError, KeyError):
            continue  # this format has no such graphs
        texts.append(stream.getvalue())
    return texts


def _graph6_seeds() -> list[bytes]:
    plain = [nx.petersen_graph(), nx.path_graph(70), nx.empty_graph(0), nx.complete_graph(5)]
    lines = [nx.to_graph6_bytes(graph, header=False) for graph in plain]
    sparse = [nx.to_sparse6_bytes(graph, header=False) for graph in [*plain, nx.MultiGraph([(0, 1), (0, 1), (1, 1)])]]
    return [*lines, *sparse, b"".join(lines + sparse), b"&C?_G", b"&DI?AO?", b">>graph6<<\n" + lines[0]]


def _dimacs_seeds() -> list[bytes]:
    return [b"c a comment\np edge 5 4\ne 1 2\ne 2 3\ne 3 4\nn 1 7\ne 4 5\n", b"p col 2 1\ne 1 2\n"]


SEEDS: dict[str, Callable[[], list[bytes]]] = {
    ".g6": _graph6_seeds,
    ".graphml": lambda: _written(nx.write_graphml),
    ".gml": lambda: _written(partial(nx.write_gml, stringizer=str)),
    ".mtx": lambda: [
        b"%%MatrixMarket matrix coordinate pattern symmetric\n% c\n4 4 3\n2 1\n3 1\n4 3\n",
        b"%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 1.5\n2 3 2\n",
        b"%%MatrixMarket matrix array integer symmetric\n2 2\n0\n1\n0\n",
    ],
    ".gexf": lambda: _written(nx.write_gexf),
    ".net": lambda: _written(nx.write_pajek),
    ".col": _dimacs_seeds,
    ".dot": lambda: [
        b"graph g { 0 -- 1; 1 -- 2 [bond=2]; 3; a [kind=C]; }",
        b'digraph { "a b" -> c -> "d"; subgraph x { e -> f } }',
        b"strict graph { 0 -- {1 2} }",
    ],
    ".adjlist": lambda: _written(nx.write_adjlist),
    ".json": lambda: [json.dumps(nx.node_link_data(graph, edges="edges")).encode() for graph in graphs()],
    ".edges": lambda: [b"# c\n0 1\n1 2\n2 0\n", b"a b 1.5\nb c 2\n", b"1 2\n2 3\n", b"0 1 x {'w': 1}\n"],
    ".csv": lambda: [b"source,target,bond\na,b,1\nb,c,2\n", b"0,1\n1,2\n", b"from;to\n1;2\n", b'"a, b",c\nc,"d"\n'],
}
SHARES = {".g6": 200_000, ".edges": 150_000, ".csv": 100_000, ".col": 100_000, ".mtx": 60_000, ".dot": 10_000}


def _read(suffix: str, data: bytes, folder: Path) -> None:
    for source in READERS[suffix](data)[:5]:
        graph = wlt.as_graph(source)
        assert graph.num_nodes == len(graph.offsets) - 1
        if graph.num_nodes < 200:
            wlt.closure(graph)


def _sniff(data: bytes, folder: Path) -> None:
    """A file whose name says nothing."""
    path = folder / "no_suffix"
    path.write_bytes(data)
    wlt.read_graphs(path)


def _table(data: bytes, folder: Path) -> None:
    from wlt.data import read_molecules

    path = folder / "table.csv"
    path.write_bytes(data)
    read_molecules(path, "y")


TU_PARTS = {
    "A": b"1, 2\n2, 1\n2, 3\n3, 2\n1, 3\n3, 1\n5, 6\n6, 5\n4, 3\n",
    "graph_indicator": b"1\n1\n1\n1\n2\n2\n",
    "graph_labels": b"7\n-1\n",
    "node_labels": b"3\n3, 1\n3\n8\n8\n8\n".replace(b"3, 1", b"3"),
    "node_attributes": b"0.5, 1\n0.5, 1.0\n0.5,1e0\n2, 2\n2, 2\n-0.0, 2\n",
    "edge_labels": b"1\n1\n2\n2\n1\n1\n2\n2\n1\n",
}


def archive(parts: dict[str, bytes], kind: int = zipfile.ZIP_STORED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", kind) as file:
        for part, text in parts.items():
            file.writestr(f"T/T_{part}.txt", text)
    return stream.getvalue()


def _tu_seeds() -> list[bytes]:
    return [archive(TU_PARTS, kind) for kind in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2)]


def _tu(data: bytes, folder: Path) -> None:
    from wlt.data.tu import read

    path = folder / "T.zip"
    path.write_bytes(data)
    for kind in ("labels", "features"):
        read(path, kind)  # type: ignore[arg-type]


def _tu_text(data: bytes, folder: Path) -> None:
    """Sound archives of changed texts: the first byte says which."""
    from wlt.data.tu import read

    names = list(TU_PARTS)
    part = names[data[0] % len(names)] if data else "A"
    path = folder / "T.zip"
    path.write_bytes(archive({**TU_PARTS, part: data[1:]}))
    read(path, "features" if part == "node_attributes" else "labels")


@cache
def _cached(folder: Path) -> tuple[Path, Any, bytes]:
    """A dataset, read, and the file of its cache."""
    path = folder / "C.zip"
    path.write_bytes(archive(TU_PARTS))
    graphs = wlt.data.load(path)
    (file,) = (folder / "cache").rglob("*.npz")
    return file, graphs, file.read_bytes()


def _cache_seeds() -> list[bytes]:
    return [b""]  # made where the folder is known


def _cache_attempt(data: bytes, folder: Path) -> None:
    """Raw bytes of the file, or arrays in a file with right checksums: what is read is what was there."""
    file, sound, original = _cached(folder)
    number = int.from_bytes(data[:8], "little")
    if number % 2:
        file.write_bytes(mutated([original], number, 77))
    else:
        random = np.random.default_rng(number)
        with np.load(io.BytesIO(original)) as stored:
            arrays = {name: stored[name].copy() for name in stored.files}
        name = ["offsets", "neighbors", "starts", "arcs"][int(random.integers(4))]
        array = arrays[name]
        for _ in range(int(random.integers(1, 4))):
            wrong = [-1, 0, 1, 10**9, 2**31 - 1, -(2**31), int(random.integers(-9, 99))]
            array[int(random.integers(len(array)))] = wrong[int(random.integers(len(wrong)))]
        arrays[name] = array[: int(random.integers(len(array) + 1))] if random.random() < 0.2 else array
        np.savez(file, **arrays)
    again = wlt.data.load(folder / "C.zip")
    wlt.audit(again)
    if number % 2 == 0:  # whoever writes right checksums may write other labels, too; but no kernel may crash
        return
    assert again.union.edges().tolist() == sound.union.edges().tolist()
    assert again.union.arcs.tolist() == sound.union.arcs.tolist()
    assert again.codes.tolist() == sound.codes.tolist()
    assert again.union.starts.tolist() == sound.union.starts.tolist()


@cache
def _results() -> Any:
    from wlt.data import Statistics
    from wlt.reproduce.environment import Environment
    from wlt.reproduce.record import Curve, Facts, Record, Results
    from wlt.reproduce.spec import Spec

    spec = Spec("T", "wlt", "WLT", "gggrgg", epochs=2)
    curve = Curve((8, 6, 6), (5, 4), (3, 4), (7, 7), (4, 4), (), (5, 5))
    records = [Record(spec, fold, curve, Environment("m", "v", "c"), 1.5, "2026-01-01 00:00:00") for fold in range(3)]
    facts = Facts("d" * 32, Statistics(30, 300, 400, (10, 20), 0, 1, 2), {"ceiling_wl": 99.5, "conclusion": "So."})
    return Results(records, {"T": facts})


def _store_seeds() -> list[bytes]:
    import tempfile

    from wlt.reproduce.store import FILE, Store

    with tempfile.TemporaryDirectory() as folder:
        with Store(folder) as store:
            store.add_all(*_results())
        return [(Path(folder) / FILE).read_bytes()]


def _store(data: bytes, folder: Path) -> None:
    from wlt.reproduce.store import FILE, read

    place = folder / "store"
    place.mkdir(exist_ok=True)
    for path in place.iterdir():
        path.unlink()
    (place / FILE).write_bytes(data)
    assert read(place) == _results()


def _text_seeds() -> list[bytes]:
    import tempfile

    from wlt.reproduce import textform

    with tempfile.TemporaryDirectory() as folder:
        old = {"checksum": None}
        texts = []
        for path in textform.write(folder, _results()):
            lines = path.read_text()
            texts.append((b"d" if path.suffix == ".json" else b"r") + lines.encode())
            if path.suffix == ".jsonl":  # as wlt 0.1 wrote it: no checksum stops a change
                header, *rest = lines.splitlines()
                plain = [json.dumps({k: v for k, v in json.loads(line).items() if k not in old}) for line in rest]
                texts.append(b"r" + "\n".join([header.replace('"format":2', '"format":1'), *plain]).encode())
        return texts


def _text(data: bytes, folder: Path) -> None:
    from wlt.reproduce import textform
    from wlt.reproduce.report.tables import tables
    from wlt.reproduce.report.text import as_text, datasets_text, provenance

    place = folder / "text"
    if not place.exists():
        textform.write(place, _results())
    runs = place / textform.file_name(_results().records[0].spec)
    file = place / textform.DATASETS if data[:1] == b"d" else runs
    before = file.read_bytes()
    try:
        file.write_bytes(data[1:])
        results = textform.read_any(place)
        if results.records:
            for table in tables(results):
                as_text(table, results.datasets)
            datasets_text(results)
            provenance(results)
    finally:
        file.write_bytes(before)


@cache
def _model() -> tuple[bytes, dict[str, Any], dict[str, str]]:
    import tempfile

    import safetensors
    import safetensors.torch

    graphs = [nx.path_graph(n) for n in range(3, 9)] + [nx.cycle_graph(n) for n in range(3, 9)]
    model = wlt.WLTClassifier(structure="grg", hidden=3, epochs=1, random_state=0).fit(graphs, [0] * 6 + [1] * 6)
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "m")
        data = (Path(folder) / "m").read_bytes()
        with safetensors.safe_open(Path(folder) / "m", framework="pt") as file:
            information = dict(file.metadata())
    return data, safetensors.torch.load(data), information


def _model_seeds() -> list[bytes]:
    data, _, information = _model()
    return [b"f" + data, *[b"c" + information["contents"].encode()] * 3]


def _model_file(data: bytes, folder: Path) -> None:
    """Bytes of a file, or a description of the model with a right checksum."""
    import safetensors.torch

    from wlt.estimator import modelfile

    path = folder / "model"
    content = data[1:]
    if data[:1] == b"c":
        text = content.decode("utf-8", "replace")
        _, tensors, information = _model()
        information = {**information, "contents": text, "sha256": modelfile.checksum(text, tensors)}
        content = safetensors.torch.save(tensors, information)
    path.write_bytes(content)
    wlt.WLTClassifier.load(path).predict_proba([nx.path_graph(4), nx.star_graph(5)])


def _journal_seeds() -> list[bytes]:
    import tempfile

    from wlt.bulk.journal import Journal
    from wlt.bulk.work import Result, Row
    from wlt.data.stream import Problem

    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(Path(folder) / "j", "about")
        for chunk in range(3):
            rows = [Row(str(4 * chunk + i), f"key{i % 3}") for i in range(4)]
            journal.add(0, chunk, Result(rows, [Problem("9", "no graph")], ["a remark"], 40))
        journal.close()
        return [(Path(folder) / "j").read_bytes()]


def _journal(data: bytes, folder: Path) -> None:
    from wlt.bulk.journal import Journal

    path = folder / "journal"
    for old in folder.glob("journal*"):
        old.unlink()
    path.write_bytes(data)
    journal = Journal(path, "about")
    try:
        journal.has(0, 1)
        journal.count()
        list(journal.graphs())
        list(journal.problems())
        journal.remarks()
        journal.distinct(0)
        list(journal.copies(False))
    finally:
        journal.close()


def _argument(data: bytes, folder: Path) -> None:
    """A graph, or DATA, on the command line."""
    from wlt.cli.argument import read_argument
    from wlt.cli.console import BadInput
    from wlt.cli.source import recognize

    text = data.decode("utf-8", "surrogateescape").replace("/", "_")
    if text in ("-", "_dev_stdin"):
        return
    refused: ValueError | None = None
    try:
        recognize(text, str(folder))
    except ValueError as error:
        refused = error
    try:
        read_argument(text)
    except BadInput as error:
        raise ValueError(f"{error}; {refused}") from None
    if refused is not None:
        raise refused


def _survey(data: bytes, folder: Path) -> None:
    from wlt.expressiveness.survey import survey

    path = folder / "results"
    path.write_bytes(data)
    list(survey(None, 0, path, runs=[]))


def _notation(data: bytes, folder: Path) -> None:
    text = data.decode("utf-8", "replace")
    refused = []
    for notation in (wlt.Structure, wlt.Recolor):
        try:
            notation(text)
        except (ValueError, TypeError) as error:
            refused.append(str(error))
    if len(refused) == 2:
        raise ValueError("; ".join(refused))


def _errors() -> dict[str, tuple[type[Exception], ...]]:
    from wlt.bulk.journal import JournalError
    from wlt.estimator.modelfile import ModelFileError
    from wlt.reproduce.store import StoreError

    return {
        "store": (StoreError,),
        "text form": (StoreError,),
        "model file": (ModelFileError, ValueError),
        "journal": (JournalError,),
    }


@cache
def targets() -> dict[str, Target]:
    bad = (ValueError,)
    named = _errors()
    smiles = b"smiles,y\nCCO,0\nc1ccccc1,1\n[Na+].[Cl-],0\nC[C@H](N)C(=O)O,1\n"
    return {
        **{suffix: Target(SEEDS[suffix], partial(_read, suffix), bad, SHARES.get(suffix, 25_000)) for suffix in SEEDS},
        "unnamed": Target(lambda: [seed for make in SEEDS.values() for seed in make()], _sniff, bad, 25_000),
        "table of molecules": Target(lambda: [smiles], _table, bad, 20_000),
        "TU archive": Target(_tu_seeds, _tu, bad, 30_000),
        "TU text": Target(
            lambda: [bytes([i]) + text for i, text in enumerate(TU_PARTS.values())], _tu_text, bad, 40_000
        ),
        "array cache": Target(_cache_seeds, _cache_attempt, (), 10_000),
        "store": Target(_store_seeds, _store, named["store"], 10_000),
        "text form": Target(_text_seeds, _text, named["text form"], 15_000),
        "model file": Target(_model_seeds, _model_file, named["model file"], 5_000),
        "journal": Target(_journal_seeds, _journal, named["journal"], 5_000),
        "argument": Target(
            lambda: [b"EhEG", b"A_", b"x.g6:2", b"MUTAG", b"&C?_G", b":Fa@x^", b"no such file"], _argument, bad, 60_000
        ),
        "survey": Target(lambda: [b'{"run": "[]", "benchmark": "csl"}\n'], _survey, bad, 10_000),
        "notation": Target(
            lambda: [b"gggrgg", b"g8(rg8)3", b"draws:8", b"100%", b"0.5,draws:2"], _notation, bad, 25_000
        ),
    }


def make(name: str, number: int) -> bytes:
    """Input `number` of a target."""
    if name == "array cache":
        return number.to_bytes(8, "little")
    return mutated(_seeds(name), number, sum(name.encode()))


@cache
def _seeds(name: str) -> list[bytes]:
    return targets()[name].seeds()
