"""docs/paper_map.md leads to code and tests that are there."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "paper_map.md").read_text(encoding="utf-8")
NAMES = sorted(set(re.findall(r"`([a-z_]+(?:\.\w+)+)`", TEXT)) - set(re.findall(r"`(\w+\.py)`", TEXT)))
FILES = sorted(set(re.findall(r"`((?:\w+/)*\w+\.py)`", TEXT)))


@pytest.mark.parametrize("name", NAMES)
def test_code_that_the_map_names_is_there(name: str) -> None:
    parts = f"wlt.{name}".split(".")
    for length in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for attribute in parts[length:]:
            annotated = attribute in getattr(found, "__annotations__", {})
            found = None if annotated else getattr(found, attribute)
        return


@pytest.mark.parametrize("name", FILES)
def test_tests_that_the_map_names_are_there(name: str) -> None:
    assert (ROOT / "tests" / name).is_file()


def test_the_map_has_no_broken_table() -> None:
    """A row behind a blank line is no row of any table."""
    assert len(NAMES) > 40
    for before, line in zip(["", *TEXT.splitlines()], TEXT.splitlines(), strict=False):
        assert not (line.startswith("| (") and not before.startswith("|"))
