"""What exact tests and WLT-GNN by exact colours separate on the ladder and on BREC.

    python benchmarks/references.py --data FOLDER

writes src/wlt/expressiveness/references.json, which figures and pages of `wlt expressiveness` show beside a user's
model. 3-FWL takes minutes, everything else seconds. A control that fails ends the run."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from wlt.expressiveness import evaluate
from wlt.expressiveness.references import OWN

FILE = Path(__file__).parents[1] / "src" / "wlt" / "expressiveness" / "references.json"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="folder that contains expressiveness/; else WLT_DATA")
    options = parser.parse_args()
    found: dict[str, dict[str, dict[str, int]]] = {"ladder": {}, "brec": {}}
    for benchmark, models in found.items():
        for model in OWN:
            result = evaluate(model, benchmark, data=options.data, progress="always")
            if result.total.control_failures:
                raise SystemExit(f"{model} on {benchmark}: {result.total.control_failures} controls failed")
            models[model] = {name: part.separated for name, part in result.parts.items()}
            print(f"{benchmark}, {model}: {result.total.separated} of {result.total.pairs}, {result.seconds:.1f} s")
    FILE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
