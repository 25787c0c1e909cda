"""What docs/json.md describes is what the commands print: no field more, none less."""

from __future__ import annotations

import json
import re
from pathlib import Path

import networkx as nx
import pytest

from wlt import WLTClassifier
from wlt.cli import main
from wlt.cli.console import JSON_SCHEMA

PAGE = (Path(__file__).parents[2] / "docs" / "json.md").read_text("utf-8")


def described(command: str) -> set[str]:
    """The fields that the page names in the section of a command, and in that of all of them."""
    common, *sections = PAGE.split("\n## ")
    (section,) = [text for text in sections if text.startswith(f"`wlt {command} ")]
    rows = [line.split("|")[1] for line in (common + section).splitlines() if line.startswith("| `")]
    names = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    kinds = re.findall(r"`(\w+)`", re.search(r"\nX is (.*?),? as in", section)[1]) if "\nX is " in section else []
    spelled = {name for name in names if not name.endswith("_X")}
    return spelled | {name.replace("_X", f"_{kind}") for name in names - spelled for kind in kinds}


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("compare", ["EhEG", "EwCW", "--k", "2"]),
        ("inspect", ["EhEG"]),
        ("audit", ["two.g6"]),
        ("duplicates", ["two.g6"]),
        ("expressiveness", ["csl", "--policy", "1-WL"]),
        ("explain", ["model", "two.g6:1"]),
        ("train", ["graphs", "--target=y", "--out=m", "--hidden=4", "--epochs=1", "--folds=2", "--workers=1"]),
    ],
)
def test_fields(
    command: str,
    arguments: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    Path("two.g6").write_text("EhEG\nEwCW\nEhEG\n")
    Path("graphs").mkdir()
    for i in range(8):
        Path(f"graphs/{i}.g6").write_text("EhEG\n" if i % 2 else "EwCW\n")
    Path("graphs/labels.csv").write_text("file,y\n" + "".join(f"{i}.g6,{'ab'[i % 2]}\n" for i in range(8)))
    if command == "explain":
        graphs = [nx.cycle_graph(n) for n in range(4, 12)]
        WLTClassifier("gg", hidden=4, epochs=1, calibrate=False, random_state=0).fit(graphs, [0, 1] * 4).save("model")
    with pytest.raises(SystemExit):
        main([command, *arguments, "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert answer["schema"] == JSON_SCHEMA
    optional = {"distinct_wlt_one_draw"} if command == "audit" else {"ignored"}
    assert set(answer) - optional == described(command) - optional
