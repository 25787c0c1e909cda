"""The models of examples/models print what docs/recipes.md shows, and see what theory says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from wlt.data import ladder

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "recipes.md").read_text("utf-8")
SHOWN = dict(
    re.findall(r"^    python examples/models/(\w+)\.py\n\n```text\n(.*?)\n```$", PAGE, re.MULTILINE | re.DOTALL)
)


def without_time(printed: str) -> str:
    return re.sub(r"^time .*$", "", printed, flags=re.MULTILINE).strip()


@pytest.mark.parametrize(
    "name",
    [
        "gin",
        "fingerprint",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("ppgn", "ds_gnn", "random_features")),
    ],
)
def test_a_recipe_prints_what_the_page_shows(name: str) -> None:
    run = subprocess.run(
        [sys.executable, f"examples/models/{name}.py"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert without_time(run.stdout) == without_time(SHOWN[name])
    assert run.stderr == ""


def test_every_recipe_is_on_the_page() -> None:
    assert set(SHOWN) == {path.stem for path in (ROOT / "examples" / "models").glob("*.py")}


@pytest.mark.parametrize(("name", "blind_from"), [("gin", 1), ("ppgn", 2), ("ds_gnn", 2)])
def test_no_recipe_sees_more_than_it_can(name: str, blind_from: int) -> None:
    """GIN is bounded by WL, PPGN by 2-FWL, and node marking by 2-FWL too (Frasca et al., arXiv:2206.11140)."""
    rows = dict(re.findall(r"^rung (\d) +\d+ +(\d+)$", SHOWN[name], re.MULTILINE))
    assert [rows[str(rung)] for rung in range(blind_from, 4)] == ["0"] * (4 - blind_from)
    assert int(rows[str(blind_from - 1)]) > 0


def test_the_page_of_the_ladder_draws_every_family() -> None:
    page = (ROOT / "docs" / "ladder.md").read_text("utf-8")
    steps = ladder()
    for rung, family in sorted(set(zip(steps.rungs.tolist(), steps.families, strict=True))):
        part = page.partition(f"## Rung {rung}:")[2].partition("## Rung")[0]
        assert f"**{family}**" in part
    drawn = re.findall(r'src="(ladder/[^"]+)"', page)
    assert len(drawn) == len(set(drawn)) == 2 * len(set(zip(steps.rungs.tolist(), steps.families, strict=True)))
    assert all((ROOT / "docs" / file).read_text("utf-8").startswith("<svg") for file in drawn)
