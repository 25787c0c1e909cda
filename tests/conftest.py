"""Fixtures that several test files share."""

from __future__ import annotations

import os
import signal
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("wlt", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("wlt")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in the background: tests of Ctrl-C would wait forever
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder with `tu/` and `expressiveness/`; tests that need real data are skipped where it is absent."""
    root = os.environ.get("WLT_DATA")
    if not root or not Path(root).is_dir():
        pytest.skip("no real data here: set WLT_DATA to the folder that contains tu/ and expressiveness/")
    return Path(root)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """With several processes (`make test`) a file's tests run in one of them, and all that start Ray in the same one:
    two clusters at once would ask for the same ports."""
    for item in items:
        starts_ray = "ray" in item.path.stem.split("_")
        item.add_marker(pytest.mark.xdist_group("ray" if starts_ray else str(item.path)))


@pytest.fixture(autouse=True)
def nothing_is_said_about_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    """What commands say must not depend on what earlier tests have left compiled."""

    def silent(_call: Any) -> Any:
        return nullcontext()

    monkeypatch.setattr("wlt.cli.before_compiling", silent)


@pytest.fixture(autouse=True)
def output_has_no_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """What commands print must not depend on the terminal of whoever runs the tests."""
    monkeypatch.delenv("COLUMNS", raising=False)
