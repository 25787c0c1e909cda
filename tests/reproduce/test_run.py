"""The driver: only what is missing, whoever runs it; and the command line in front of it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from small import DATASETS, FULLERENES, jobs, write_tu

from wlt.auditing.audit import audit
from wlt.reproduce import textform
from wlt.reproduce.datasets import Loaded, audit_datasets, describe_datasets, load_all
from wlt.reproduce.environment import Environment
from wlt.reproduce.job import Failed, Finished, Job, Lost, Outcome, Running, run_job
from wlt.reproduce.plan import Plan
from wlt.reproduce.progress import Estimate
from wlt.reproduce.record import Curve, Facts, Record
from wlt.reproduce.run import run
from wlt.reproduce.store import Store, StoreError, read
from wlt.work import calls as works
from wlt.work.calls import Began, Call, Done
from wlt.work.processes import Processes


class Here:
    """This process as a place for jobs; `begun` has what came to it."""

    def __init__(self) -> None:
        self.begun: list[Job] = []

    def at_once(self) -> int:
        return 1

    def events(
        self, calls: Iterable[Call], shared: Mapping[str, Any] | None = None, ahead: int | None = None
    ) -> Generator[Any, None, None]:
        assert shared is not None
        for number, call in enumerate(calls):
            job = Job(*call.arguments)
            self.begun.append(job)
            yield Began(number)
            yield Done(number, Outcome(run_job(*job, shared[call.shared]), 0.5, "machine", "versions"))


def curves(folder: Path) -> dict[tuple[str, int], object]:
    return {record.job: record.curve for record in read(folder).records}


def test_same_curves_from_processes_as_from_here(tmp_path: Path) -> None:
    """Two workers; one worker is in test_faults, a cluster in test_ray."""
    some = jobs(folds=2)
    for folder, place in {"here": Here(), "processes": Processes(2)}.items():
        with Store(tmp_path / folder) as store:
            assert run(some, DATASETS, store, place) == []
    assert curves(tmp_path / "processes") == curves(tmp_path / "here")
    assert len(curves(tmp_path / "here")) == len(some)


def test_only_what_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    some = jobs(folds=3, epochs=1)
    with Store(tmp_path) as store:
        run(some[::2], DATASETS, store, Here())
        second, third = Here(), Here()
        run(some, DATASETS, store, second)
        assert second.begun == some[1::2]
        run(some, DATASETS, store, third)
        assert third.begun == []
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(some)
    assert lines[0].startswith(f"[1/6] {some[0]}: test accuracy")
    assert lines[-1].startswith(f"[12/12] {some[-1]}")
    assert lines[-1].endswith("; done")


def test_failed_and_lost_jobs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    some = jobs(folds=1, epochs=1)

    class Faulty(Here):
        def events(self, calls: Iterable[Call], *others: Any, **options: Any) -> Generator[Any, None, None]:
            yield works.Lost(0, "its worker was killed by signal 9")
            for event in super().events(calls, *others, **options):
                if event == Began(1):
                    yield works.Failed(1, "Traceback\n...\nMemoryError: too much")
                elif event.call != 1:
                    yield event

    with Store(tmp_path) as store:
        failed = run(some, DATASETS, store, Faulty())
        assert [event.job for event in failed] == [some[1]]
        assert len(store.jobs()) == 3
    output = capsys.readouterr().out
    assert f"{some[0]}: its worker was killed by signal 9; it will be restarted" in output
    assert f"{some[1]} failed: MemoryError: too much" in output


def test_workers_end_when_the_store_fails(tmp_path: Path) -> None:
    closed = []

    class Closing(Here):
        def events(self, *arguments: Any, **options: Any) -> Generator[Any, None, None]:
            try:
                yield from super().events(*arguments, **options)
            finally:
                closed.append(True)

    with Store(tmp_path) as store:
        some = jobs(folds=1, epochs=1)
        with pytest.raises(StoreError, match="UNIQUE") as caught:
            run([some[0], some[1], some[0]], DATASETS, store, Closing())
        assert closed == [True], "at once, although the traceback still holds the iterator"
        assert caught.tb
        assert len(store.jobs()) == 2


def test_other_data_of_the_same_name(tmp_path: Path) -> None:
    plan = Plan("table1")
    with Store(tmp_path) as store:
        describe_datasets(store, Loaded(DATASETS, {"REDDIT-MULTI-5K": "not at hand", "mine": "no file"}), plan)
        assert store.datasets()["fullerenes"].statistics is not None
        assert set(store.datasets()) == {"fullerenes", "REDDIT-MULTI-5K"}
        other = {FULLERENES.name: FULLERENES.take(range(20))}
        with pytest.raises(StoreError, match="different data named 'fullerenes'"):
            describe_datasets(store, Loaded(other, {}), plan)


def test_loading(tmp_path: Path) -> None:
    write_tu(tmp_path / "a", "TWIN")
    write_tu(tmp_path / "b", "TWIN", graphs=30)
    write_tu(tmp_path / "few", "FEW", graphs=12)
    plan = Plan("table1")
    found = load_all([str(tmp_path / "a"), str(tmp_path / "few"), str(tmp_path / "none")], None, plan)
    assert list(found.datasets) == ["TWIN"]
    few, none = found.missing.values()
    assert few.endswith("class 0 has 6 graphs, too few for 10 folds")
    assert "neither an existing file" in none
    assert list(load_all([str(tmp_path / "few")], None, Plan("table2")).datasets) == ["FEW"]
    assert list(load_all([str(tmp_path / "a")], None, Plan("table1", degrees="normalized")).datasets) == ["TWIN"]
    nodes = len((tmp_path / "a" / "TWIN_graph_indicator.txt").read_text().split())
    (tmp_path / "a" / "TWIN_node_labels.txt").write_text("3\n" * nodes)
    assert list(load_all([str(tmp_path / "a")], None, Plan("table1", degrees="one-hot")).datasets) == ["TWIN"]
    with pytest.raises(ValueError, match="TWIN: its nodes have labels, which models see instead of degrees"):
        load_all([str(tmp_path / "a")], None, Plan("table1", degrees="normalized"))
    with pytest.raises(ValueError, match="two different datasets are called 'TWIN'"):
        load_all([str(tmp_path / "a"), str(tmp_path / "b")], None, plan)


def test_estimate_of_the_end() -> None:
    slow, fast = jobs(folds=2, epochs=10)[:2], jobs(folds=2, epochs=10)[6:]
    estimate = Estimate([*slow, *fast], workers=2)
    assert estimate.seconds() != estimate.seconds(), "nothing is known"
    estimate.update(Running(slow[0], 5, 50.0))
    assert estimate.seconds() == pytest.approx((5 + 10 + 10 + 10) * 10 / 2)
    estimate.update(Running(fast[0], 5, 5.0))
    assert estimate.seconds() == pytest.approx((5 * 10 + 10 * 10 + 5 * 1 + 10 * 1) / 2)
    estimate.update(Lost(slow[0], ""))
    assert estimate.left[slow[0]] == 10
    estimate.update(Failed(slow[0], ""))
    assert slow[0] not in estimate.left


def test_estimate_on_a_busy_machine() -> None:
    """Earlier runs and workers tell processor time; here it takes three times as long on the clock."""
    first, second, *_ = some = jobs(folds=3, epochs=10)[:3]
    now = 100.0
    curve = Curve((8, 6, 6), (1,) * 10, (1,) * 10, (1,) * 10, (1,) * 10, (), (1,) * 10)
    done = [Record(first.spec, 9, curve, Environment("m", "v", "c"), 20.0, "")]
    estimate = Estimate(some, 1, done, clock=lambda: now)
    assert estimate.seconds() == pytest.approx(3 * 20), "as long as nothing is known of this run"
    estimate.update(Running(first, 0, 0.0))
    now += 30
    estimate.update(Running(first, 5, 10.0))
    assert estimate.seconds() == pytest.approx(3 * (5 + 10 + 10) * 2)
    now += 30
    estimate.update(Finished(first, Outcome(curve, 20.0, "", "")))
    assert estimate.seconds() == pytest.approx(3 * (10 + 10) * 2)
    estimate.update(Running(second, 0, 0.0))
    now += 20
    estimate.update(Finished(second, Outcome(curve, 20.0, "", "")))
    assert estimate.seconds() == pytest.approx(2 * 10 * 2), "80 seconds on the clock for 40 of the processor"


class Ended(NamedTuple):
    code: object
    output: str
    errors: str


@pytest.fixture
def wlt(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """The command line, in this process."""
    from wlt.cli import main

    def call(*arguments: object) -> Ended:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main(list(map(str, arguments)))
        return Ended(ended.value.code, *capsys.readouterr())

    return call


HOSTILE = "<script>alert(1)<script>& $x$ |"


def test_hostile_dataset_from_run_to_report(tmp_path: Path, wlt: Callable[..., Ended]) -> None:
    """A dataset whose name is an attack; its files lie in a folder that a user names."""
    folder = write_tu(tmp_path / "data", HOSTILE)
    run_ = ["reproduce", "table1", "--dataset", folder, "--method", "wlt", "--epochs", 1, "--folds", 1, "--hidden", 4]
    done = wlt(*run_, "--workers", 1, "--out", tmp_path / "runs")
    assert done.code == 0, done.errors
    assert "1 of 1 job stored" in done.output
    (found,) = read(tmp_path / "runs").records
    assert found.spec.dataset == HOSTILE
    assert wlt("report", tmp_path / "runs").code == 0
    page = (tmp_path / "runs" / "report.html").read_text()
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "<script" not in (tmp_path / "runs" / "report.md").read_text()
    assert wlt("export-runs", tmp_path / "runs", tmp_path / "text").code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "runs", "text"]
    assert wlt("import-runs", tmp_path / "text", tmp_path / "imported").code == 0
    again = wlt(*run_, "--workers", 1, "--out", tmp_path / "imported")
    assert again.code == 0
    assert wlt("import-runs", tmp_path / "text", tmp_path / "again").output.startswith("1 run imported into")
    assert "[1/1]" not in again.output, "an imported job is not run again"
    assert textform.read_any(tmp_path / "text") == read(tmp_path / "imported")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["reproduce", "table3"], "table3"),
        (["reproduce", "table1", "--method", "gat"], "gat"),
        (["reproduce", "table1", "--epochs", "0"], "epochs"),
        (["reproduce", "table2", "--folds", "3"], "use --runs"),
        (["reproduce", "table1", "--degrees", "two"], "degrees"),
        (["reproduce", "table1", "--dropout", "1"], "dropout must be in [0, 1), not 1"),
        (["reproduce", "table1", "--dropout", "nan"], "dropout must be in [0, 1), not nan"),
        (["reproduce", "table1", "--dataset", "../../x"], "none of the datasets can be used"),
        (["reproduce", "table1", "--workers", "2", "--ray", "auto"], "use only one of them"),
        (["reproduce", "table1", "--out", "FILE"], "cannot write in"),
        (["report", "nowhere"], "no runs here"),
        (["export-runs", "nowhere", "anywhere"], "no runs here"),
        (["import-runs", "nowhere", "anywhere"], "datasets.json cannot be read"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input_is_one_line(
    tmp_path: Path, arguments: list[str], message: str, wlt: Callable[..., Ended], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "FILE").write_text("mine")
    ended = wlt(*arguments)
    assert ended.code == 2
    line = ended.errors.splitlines()[-1]
    assert line.startswith("wlt: ")
    assert message in line
    assert (tmp_path / "FILE").read_text() == "mine"


def test_a_typo_leaves_nothing_behind(tmp_path: Path, wlt: Callable[..., Ended]) -> None:
    out = tmp_path / "new" / "runs"
    ended = wlt("reproduce", "table1", "--dataset", tmp_path / "MUTGA", "--out", out)
    assert ended.code == 2
    assert "neither an existing file" in ended.errors
    assert ended.errors.splitlines()[-1] == "wlt: none of the datasets can be used"
    assert list(tmp_path.iterdir()) == []


def test_a_cluster_that_is_not_there_leaves_nothing_behind(tmp_path: Path, wlt: Callable[..., Ended]) -> None:
    data = write_tu(tmp_path / "RINGS", "RINGS")
    ended = wlt("reproduce", "table1", "--dataset", data, "--ray", "127.0.0.1:1", "--out", tmp_path / "runs")
    assert ended.code == 2
    (line,) = ended.errors.splitlines()
    assert line.startswith(("wlt: no Ray cluster at '127.0.0.1:1'", "wlt: Ray is not installed"))
    assert [path.name for path in tmp_path.iterdir()] == ["RINGS"]


def test_data_not_at_hand_are_noted_in_a_store_that_is_there(tmp_path: Path, wlt: Callable[..., Ended]) -> None:
    command = ["reproduce", "table1", "--dataset", "REDDIT-MULTI-5K", "--data", tmp_path / "empty", "--out"]
    with Store(tmp_path / "old") as store:
        assert store.datasets() == {}
    for folder in ("old", "new"):
        assert wlt(*command, tmp_path / folder).code == 2
    assert read(tmp_path / "old").datasets == {"REDDIT-MULTI-5K": Facts()}
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("option", ["--html", "--markdown"])
def test_report_to_a_folder_or_below_a_file(tmp_path: Path, option: str, wlt: Callable[..., Ended]) -> None:
    spec, fold = jobs(folds=1)[0]
    with Store(tmp_path / "runs") as store:
        describe_datasets(store, Loaded(DATASETS, {}), Plan("table1"))
        store.add(Record(spec, fold, run_job(spec, fold, FULLERENES), Environment("m", "v", "c"), 1.0, "now"))
    (tmp_path / "file").write_text("mine")
    for target, message in {
        "": "wlt: . is a folder; name the file",
        str(tmp_path): f"wlt: {tmp_path} is a folder; name the file",
        str(tmp_path / "file" / "x"): f"wlt: {tmp_path / 'file' / 'x'} cannot be written: ",
    }.items():
        ended = wlt("report", tmp_path / "runs", option, target)
        assert ended.code == 2
        (line,) = ended.errors.splitlines()
        assert line.startswith(message)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "runs"]


def test_leaks_are_counted_in_the_folds_of_the_runs(tmp_path: Path) -> None:
    said: list[str] = []
    with Store(tmp_path) as store:
        describe_datasets(store, Loaded(DATASETS, {}), Plan("table1", seed=3))
        audit_datasets(store, DATASETS, 3, said.append)
        found = store.datasets()[FULLERENES.name].audit
        audit_datasets(store, DATASETS, 4, said.append)
        assert store.datasets()[FULLERENES.name].audit == found, "made once"
    assert said == [f"auditing {FULLERENES.name}"]
    assert found["seed"] == 3
    assert found["leaks"] == audit(FULLERENES, seed=3).copies.leaks


def test_as_a_new_user_would_try_it(data_dir: Path, tmp_path: Path, wlt: Callable[..., Ended]) -> None:
    command = ["reproduce", "table1", "--dataset", "MUTAG", "--epochs", 3, "--folds", 2, "--data", data_dir]
    done = wlt(*command, "--method", "wlt", "--method", "gcn", "--hidden", 16, "--out", tmp_path / "runs")
    assert done.code == 0, done.errors
    assert "10 of 10 jobs stored" in done.output
    report = wlt("report", tmp_path / "runs", "--html", tmp_path / "page.html", "--markdown", tmp_path / "page.md")
    assert report.code == 0, report.errors
    assert "Protocol of Table 1 on other datasets with 16 hidden units, 3" in report.output
    lines = (tmp_path / "page.md").read_text().splitlines()
    titles = [line for line in lines if line.startswith("## ") and "accuracy in percent" in line]
    protocol = "## Protocol of Table 1 on other datasets with 16 hidden units, 3 epochs"
    assert titles == [f"{protocol}: test accuracy in percent"], "one run, one table"
    assert "grid points" not in report.output
    assert "2 folds" in (tmp_path / "page.html").read_text()
    assert "MUTAG" in (tmp_path / "page.md").read_text()
