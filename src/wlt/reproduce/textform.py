"""The text form of a store: a folder of JSON lines that version control can keep and a person can read.

`datasets.json` holds the facts about the datasets. Every table, dataset and method has a file, whose first line holds
the specs and environments of its runs, and how many there are; each further line is one job. Every line has a checksum,
that of the row of the store. Equal stores give equal files, so two runs of a job can be compared as texts.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from wlt.io.atomic import replacing
from wlt.reproduce.environment import Environment
from wlt.reproduce.record import DAMAGE, WRONG, Curve, Facts, Record, Results, checksum, reason
from wlt.reproduce.spec import Spec, check_name
from wlt.reproduce.store import FILE as STORE
from wlt.reproduce.store import StoreError
from wlt.reproduce.store import read as read_store

FORMAT = 2
"""Format 1, which wlt 0.1 wrote, has no checksums and does not say how many runs there are."""
DATASETS = "datasets.json"

Entry = TypeVar("Entry", Spec, Environment)


def read_any(folder: str | os.PathLike[str]) -> Results:
    """The runs in a folder that contains a store or the text form of one."""
    path = Path(folder)
    if (path / STORE).exists():
        return _with_facts(read_store(path), path / STORE)
    if (path / DATASETS).exists():
        return read(path)
    raise StoreError(f"{path}: no runs here, neither {STORE} of `wlt reproduce` nor {DATASETS} of `wlt export-runs`")


def write(folder: str | os.PathLike[str], results: Results) -> list[Path]:
    """Write runs as text, in addition to the runs that the folder has already. Returns the files that were written."""
    path = Path(folder)
    if (path / DATASETS).exists():
        results = merged(read(path), results, (str(folder), "the new runs"))
    elif any(path.glob("*.jsonl")):  # runs that cannot be read without datasets.json, and would be overwritten
        raise StoreError(f"{path} has .jsonl files and no {DATASETS}: restore it, or choose another folder")
    groups: dict[str, list[Record]] = defaultdict(list)
    for record in results.records:
        groups[file_name(record.spec)].append(record)
    facts = [
        f"{json.dumps(name)}: {json.dumps({**facts.to_json(), 'checksum': checksum(facts.columns(name))})}"
        for name, facts in sorted(results.datasets.items())
    ]
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
    """Read runs from their text form."""
    path = Path(folder)
    place = path / DATASETS
    try:
        datasets = {name: _facts(name, facts) for name, facts in json.loads(place.read_text("utf-8")).items()}
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
    """The results; StoreError if there are runs on a dataset without facts."""
    unknown = {record.spec.dataset for record in results.records} - set(results.datasets)
    if unknown:
        raise StoreError(f"{place} says nothing about the dataset {min(unknown)!r}, which has runs")
    return results


def merged(first: Results, second: Results, names: tuple[str, str]) -> Results:
    """The runs of both, which must not contradict each other: a job has one curve, a dataset one digest.

    names: what error messages call the two."""
    datasets = dict(first.datasets)
    for name, facts in second.datasets.items():
        known = datasets.get(name)
        if known and known.digest and facts.digest and known.digest != facts.digest:
            raise StoreError(f"{names[0]} and {names[1]} have different data named {name!r}")
        if known is None or not known.digest or (facts.digest and facts.audit):
            datasets[name] = facts if known is None else facts.asked_too(known.asked)
        else:
            datasets[name] = known.asked_too(facts.asked)
    records = {record.job: record for record in first.records}
    for record in second.records:
        same = records.setdefault(record.job, record)
        if same.curve != record.curve:
            job = f"{record.spec.dataset!r} {record.spec.method} fold {record.fold}"
            raise StoreError(f"{names[0]} and {names[1]} have different curves for the same job, {job}")
    return Results(list(records.values()), datasets)


def file_name(spec: Spec) -> str:
    """A safe name whatever the dataset is called: it cannot point outside the folder, nor be a hidden file."""
    return f"table{1 if spec.folds else 2}-{quote(spec.dataset, safe='')}-{quote(spec.method, safe='')}.jsonl"


def _lines(records: list[Record]) -> str:
    """A header line, then one line per job, in the order of spec and fold."""
    specs = sorted({record.spec.key() for record in records})
    environments = sorted({record.environment for record in records})
    header = {
        "format": FORMAT,
        "loss_unit": "1e-5",
        "runs": len(records),
        "specs": [json.loads(spec) for spec in specs],
        "environments": [environment._asdict() for environment in environments],
    }
    lines: list[dict[str, Any]] = [header]
    for record in sorted(records, key=lambda record: record.job):
        references = {"spec": specs.index(record.spec.key()), "environment": environments.index(record.environment)}
        when = {"fold": record.fold, "seconds": record.seconds, "finished": record.finished}
        lines.append({**references, **when, **record.curve.to_json(), "checksum": checksum(record.columns())})
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)


def _records(path: Path, lines: list[str]) -> list[Record]:
    header: Any = json.loads(lines[0]) if lines else {}
    if header.get("format") not in (1, FORMAT):
        raise ValueError(f"it has format {header.get('format')!r}, this version of wlt reads 1 to {FORMAT}")
    if header["format"] == FORMAT and header["runs"] != len(lines) - 1:
        raise ValueError(f"it has {len(lines) - 1} runs, and its first line says {header['runs']!r}: some are lost")
    specs = [Spec.from_json(spec) for spec in header["specs"]]
    environments = [Environment(**environment) for environment in header["environments"]]
    records = []
    for number, text in enumerate(lines[1:], start=2):
        try:
            line = json.loads(text)
            known = line.pop("checksum", None)
            spec, environment = _entry(specs, line.pop("spec")), _entry(environments, line.pop("environment"))
            fold, seconds, finished = line.pop("fold"), float(line.pop("seconds")), str(line.pop("finished"))
            record = Record(spec, fold, Curve.from_json(line), environment, seconds, finished).checked()
            if known != (None if header["format"] == 1 else checksum(record.columns())):
                raise ValueError(WRONG)
            records.append(record)
        except DAMAGE as error:
            raise ValueError(f"line {number}: {reason(error)}") from None
    return records


def _facts(name: str, fields: Any) -> Facts:
    """The facts about a dataset; those that wlt 0.1 wrote have no checksum."""
    check_name(name)
    facts = Facts.from_json(fields)
    if "checksum" in fields and fields["checksum"] != checksum(facts.columns(name)):
        raise ValueError(f"dataset {name!r}: {WRONG}")
    return facts


def _entry(entries: list[Entry], index: Any) -> Entry:
    """The entry of the header that a line refers to."""
    if type(index) is not int or not 0 <= index < len(entries):
        raise ValueError(f"the first line has no entry {index!r}")
    return entries[index]
