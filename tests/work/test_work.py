"""Calls give the same answers wherever they are made, whatever happens to those who make them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from wlt.work.calls import Began, Call, Done, Failed, GivenUp, Lost, Report, Reported, results
from wlt.work.processes import Processes, end_idle


def power(report: Report, shared: int, exponent: int) -> int:
    report(exponent)
    return int(shared) ** exponent


def refuse(report: Report, shared: None, number: int) -> int:
    if number == 2:
        raise KeyError("two")
    return number


def die_once(report: Report, shared: None, marks: Path, number: int) -> int:
    """The first process that comes here dies."""
    if number == 1 and not (marks / "died").exists():
        (marks / "died").touch()
        os._exit(9)
    return number


def process(report: Report, shared: None) -> int:
    return os.getpid()


def hard_to_send(report: Report, shared: None) -> Any:
    class Own(Exception):
        def __init__(self, one: int, two: int):
            super().__init__("own")

    raise Own(1, 2)


@pytest.mark.parametrize("place", [None, Processes(1), Processes(2)], ids=["here", "one", "two"])
def test_results_come_in_order_and_reports_come(place: Any) -> None:
    told: list[tuple[int, int]] = []
    calls = [Call(power, (exponent,), base) for exponent in range(7) for base in ("two", "three")]
    found = list(results(calls, {"two": 2, "three": 3}, place, lambda *both: told.append(both)))
    assert found == [base**exponent for exponent in range(7) for base in (2, 3)]
    assert sorted(told) == [(i, i // 2) for i in range(14)]


@pytest.mark.parametrize("place", [None, Processes(2)], ids=["here", "two"])
def test_exceptions_are_raised_here(place: Any) -> None:
    found = results([Call(refuse, (i,)) for i in range(4)], place=place)
    assert [next(found), next(found)] == [0, 1]
    with pytest.raises(KeyError, match="two"):
        next(found)


def test_exceptions_that_cannot_be_sent_are_told() -> None:
    with pytest.raises(RuntimeError, match=r"Own: own"):
        list(results([Call(hard_to_send)], place=Processes(1)))


def test_a_call_whose_process_dies_is_made_again(tmp_path: Path) -> None:
    events = list(Processes(2).events([Call(die_once, (tmp_path, i)) for i in range(4)]))
    assert [event.call for event in events if isinstance(event, Lost)] == [1]
    assert {event.call: event.value for event in events if isinstance(event, Done)} == {i: i for i in range(4)}
    assert [event.call for event in events if isinstance(event, Began)].count(1) == 2


def test_a_stream_without_end_is_taken_as_it_is_needed() -> None:
    taken = 0

    def stream() -> Iterator[Call]:
        nonlocal taken
        while True:
            taken += 1
            yield Call(power, (taken,), "two")

    found = results(stream(), {"two": 2}, Processes(2))
    assert [next(found) for _ in range(5)] == [2, 4, 8, 16, 32]
    found.close()  # type: ignore[attr-defined]
    assert taken <= 5 + 4 * 2 + 1


def test_no_call_begins_long_before_the_oldest_has_ended() -> None:
    oldest, running = 0, set[int]()
    for event in Processes(2).events((Call(power, (i,), "two") for i in range(12)), {"two": 2}, ahead=2):
        if isinstance(event, Began):
            running.add(event.call)
            assert event.call < min(running) + 2
        elif isinstance(event, Done):
            running.discard(event.call)
        assert not isinstance(event, Failed)
        oldest += isinstance(event, Reported)
    assert oldest == 12


def test_processes_stay_for_the_next_work() -> None:
    first = set(results([Call(process)] * 6, place=Processes(2)))
    second = set(results([Call(process)] * 6, place=Processes(2)))
    assert len(first | second) <= 2
    end_idle()
    assert not first & set(results([Call(process)], place=Processes(1)))


def test_one_that_kills_every_process_is_given_up() -> None:
    class Deadly:
        def __reduce__(self) -> Any:
            return os._exit, (7,)

    with pytest.raises(GivenUp, match="its worker ended with code 7, 3 times"):
        list(results([Call(refuse, (Deadly(),))], place=Processes(1)))


def test_a_script_needs_no_guard_and_may_have_values_of_its_own(tmp_path: Path) -> None:
    """Nothing of the script is run again, and the process ends with its driver."""
    script = tmp_path / "script.py"
    script.write_text(
        "from enum import Enum\n"
        "from wlt.work.calls import Call, results\n"
        "from wlt.work.processes import Processes\n"
        "import operator\n"
        "print('begun', flush=True)\n"
        "class Atom(Enum):\n    C = 6\n"
        "def own(report, shared, atom): return atom.value + shared\n"
        "print(*results([Call(own, (Atom.C,), 'one')] * 3, {'one': 1}, Processes(2)))\n"
    )
    ended = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=True)
    assert ended.stdout.split() == ["begun", "7", "7", "7"]
