"""A bounded share of the campaign: everything that reads files refuses what it cannot read, in one line."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from targets import make, targets

PER_TARGET = 40


@pytest.mark.parametrize("name", targets())
def test_mutated_inputs_are_read_or_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    target = targets()[name]
    refused = 0
    for number in range(PER_TARGET):
        try:
            target.attempt(make(name, number), tmp_path)
        except target.refusals as error:
            refused += 1
            message = str(error)
            if "\n" in message.strip() or len(message) > 3000:
                pytest.fail(f"input {number}: no message for people: {message[:300]!r}")
    assert refused < PER_TARGET or name == "survey", "some inputs are seeds, and are read"


def test_the_same_number_is_the_same_input() -> None:
    for name in targets():
        if name != "model file":  # its seeds are trained anew
            assert make(name, 7) == make(name, 7)
            assert make(name, 7) != make(name, 8)


def test_a_million_inputs_are_shared_out() -> None:
    assert sum(target.share for target in targets().values()) >= 1_000_000
