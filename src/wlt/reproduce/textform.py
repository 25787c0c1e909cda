"""The text form of a store: a folder of JSON lines that version control can keep and a person can read.

`datasets.json` has what is known about the datasets; a file for each table, dataset and method has a first line with
the specs and environments of its runs, and then a line for every job. Equal stores are equal files: a job run again is
compared by comparing texts.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from wlt.io.atomic import replacing
from wlt.reproduce.record import DAMAGE, Curve, Environment, Facts, Record, Results, reason
from wlt.reproduce.spec import Spec
from wlt.reproduce.store import FILE as STORE
from wlt.reproduce.store import StoreError
from wlt.reproduce.store import read as read_store

FORMAT = 1
DATASETS = "datasets.json"

Entry = TypeVar("Entry", Spec, Environment)


def read_any(folder: str | os.PathLike[str]) -> Results:
    """The runs of a folder that holds a store, or the text form of one."""
    path = Path(folder)
    if (path / STORE).exists():
        return _with_facts(read_store(path), path / STORE)
    if (path / DATASETS).exists():
        return read(path)
    raise StoreError(f"{path}: no runs here, neither {STORE} of `wlt reproduce` nor {DATASETS} of `wlt export-runs`")


def write(folder: str | os.PathLike[str], results: Results) -> list[Path]:
    """Write runs as text; what the folder holds already is kept. The files that were written."""
    path = Path(folder)
    if (path / DATASETS).exists():
        results = merged(read(path), results, (str(folder), "the new runs"))
    elif any(path.glob("*.jsonl")):  # runs that cannot be read without it, and would be written over
        raise StoreError(f"{path} has .jsonl files and no {DATASETS}: bring that back, or choose another folder")
    groups: dict[str, list[Record]] = defaultdict(list)
    for record in results.records:
        groups[file_name(record.spec)].append(record)
    facts = [f"{json.dumps(name)}: {json.dumps(facts.to_json())}" for name, facts in sorted(results.datasets.items())]
    texts = {name: _lines(records) for name, records in groups.items()}
    texts[DATASETS] = "{\n" + ",\n".join(facts) + "\n}\n"
    written = []
    try:
        for name in sorted(texts):
            with replacing(path / name) as file:
                file.write(texts[name].encode())
            written.append(path / name)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from None
    return written


def read(folder: str | os.PathLike[str]) -> Results:
    """Runs from their text form."""
    path = Path(folder)
    place = path / DATASETS
    try:
        datasets = {name: Facts.from_json(facts) for name, facts in json.loads(place.read_text("utf-8")).items()}
        records: list[Record] = []
        for place in sorted(path.glob("*.jsonl")):
            records += _records(place, place.read_text("utf-8").splitlines())
    except OSError as error:
        raise StoreError(f"{place} cannot be read: {error.strerror}") from None
    except DAMAGE as error:
        raise StoreError(f"{place} is not the text form of a store: {reason(error)}") from None
    _with_facts(Results(records, datasets), path / DATASETS)
    return merged(Results([], datasets), Results(records, {}), (str(path), str(path)))


def _with_facts(results: Results, place: Path) -> Results:
    """The results, if there are facts about every dataset of which there are runs."""
    strange = {record.spec.dataset for record in results.records} - set(results.datasets)
    if strange:
        raise StoreError(f"{place} says nothing about {min(strange)!r}, of which there are runs")
    return results


def merged(first: Results, second: Results, names: tuple[str, str]) -> Results:
    """The runs of both. A job that both have must have one curve, a dataset one digest; `names` are for the message."""
    datasets = dict(first.datasets)
    for name, facts in second.datasets.items():
        known = datasets.get(name)
        if known and known.digest and facts.digest and known.digest != facts.digest:
            raise StoreError(f"{names[0]} and {names[1]} call different data {name!r}")
        if known is None or not known.digest or (facts.digest and facts.audit):
            datasets[name] = facts
    records = {record.job: record for record in first.records}
    for record in second.records:
        same = records.setdefault(record.job, record)
        if same.curve != record.curve:
            job = f"{record.spec.dataset!r} {record.spec.method} fold {record.fold}"
            raise StoreError(f"{names[0]} and {names[1]} have different curves for one job, {job}")
    return Results(list(records.values()), datasets)


def file_name(spec: Spec) -> str:
    """Safe whatever the dataset is called: it neither leads out of the folder nor hides in it."""
    return f"table{1 if spec.folds else 2}-{quote(spec.dataset, safe='')}-{quote(spec.method, safe='')}.jsonl"


def _lines(records: list[Record]) -> str:
    """A header line, then a line per job in the order of spec and fold."""
    specs = sorted({record.spec.key() for record in records})
    environments = sorted({record.environment for record in records})
    header = {
        "format": FORMAT,
        "loss_unit": "1e-5",
        "specs": [json.loads(spec) for spec in specs],
        "environments": [environment._asdict() for environment in environments],
    }
    lines: list[dict[str, Any]] = [header]
    for record in sorted(records, key=lambda record: record.job):
        place = {"spec": specs.index(record.spec.key()), "environment": environments.index(record.environment)}
        when = {"fold": record.fold, "seconds": record.seconds, "finished": record.finished}
        lines.append({**place, **when, **record.curve.to_json()})
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)


def _records(path: Path, lines: list[str]) -> list[Record]:
    header: Any = json.loads(lines[0]) if lines else {}
    if header.get("format") != FORMAT:
        raise ValueError(f"it has format {header.get('format')!r}, this version of wlt reads {FORMAT}")
    specs = [Spec.from_json(spec) for spec in header["specs"]]
    environments = [Environment(**environment) for environment in header["environments"]]
    records = []
    for number, text in enumerate(lines[1:], start=2):
        try:
            line = json.loads(text)
            spec, environment = _entry(specs, line.pop("spec")), _entry(environments, line.pop("environment"))
            fold, seconds, finished = line.pop("fold"), float(line.pop("seconds")), str(line.pop("finished"))
            records.append(Record(spec, fold, Curve.from_json(line), environment, seconds, finished).checked())
        except DAMAGE as error:
            raise ValueError(f"line {number}: {reason(error)}") from None
    return records


def _entry(entries: list[Entry], index: Any) -> Entry:
    """What a line refers to in the header."""
    if type(index) is not int or not 0 <= index < len(entries):
        raise ValueError(f"the first line has no entry {index!r}")
    return entries[index]
