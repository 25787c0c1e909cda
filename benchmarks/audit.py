"""The audit of 10^4, 10^5 and 10^6 graphs like molecules: time and memory for each graph.

    python benchmarks/audit.py [--graphs N ...]

Each size is a process of its own, which makes the graphs (not timed), audits a hundred of them, so that everything is
compiled and imported, and then all. Memory is the peak of the whole process (Linux: VmHWM), and what it was before the
audit, when the graphs were there; the graphs' own arrays are part of both."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

from molecule_like import molecule_like
from wlt import audit


def peak(reset: bool = False) -> float:
    """The most resident memory that this process has had, in MB."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def measure(count: int) -> dict[str, float]:
    graphs = molecule_like(count)
    audit(graphs[:5000])
    before = peak(reset=True)
    begin = time.perf_counter()
    found = audit(graphs)
    seconds = time.perf_counter() - begin
    distinct = found.bounds["isomorphism"].distinct
    return {"graphs": count, "seconds": seconds, "before": before, "peak": peak(), "distinct": distinct or 0}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", type=int, nargs="+", default=[10**4, 10**5, 10**6])
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measure(arguments.graphs[0])))
        return
    print("| graphs | distinct | audit | a graph | memory before | peak | added for each graph |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    for count in arguments.graphs:
        command = [sys.executable, __file__, "--one", "--graphs", str(count)]
        found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        seconds, before, most = found["seconds"], found["before"], found["peak"]
        each = (
            f"{seconds / count * 1e6:.1f} µs | {before:.0f} MB | {most:.0f} MB | {(most - before) / count * 1e6:.0f} B"
        )
        print(f"| {count:,} | {found['distinct']:,} | {seconds:.2f} s | {each} |", flush=True)


if __name__ == "__main__":
    main()
