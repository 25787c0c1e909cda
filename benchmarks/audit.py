"""The audit of 10^4, 10^5 and 10^6 graphs like molecules: time and memory for each graph.

    python benchmarks/audit.py [--graphs N ...]

Seconds are those of the clock, and those of the processor, which other work on the machine disturbs less and which are
without the process in which igraph searches. Each size is a process of its own, which makes the graphs (not timed),
audits some of them, so that everything is compiled, and then all. Memory is the peak of the process (Linux:
VmHWM), and what it was before the audit, when the graphs were there; their own arrays are part of both."""

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
    begin, of_processor = time.perf_counter(), time.process_time()
    found = audit(graphs)
    seconds, of_processor = time.perf_counter() - begin, time.process_time() - of_processor
    distinct = found.bounds["isomorphism"].distinct
    of_time = {"seconds": seconds, "of_processor": of_processor}
    return {**of_time, "before": before, "peak": peak(), "distinct": distinct or 0}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", type=int, nargs="+", default=[10**4, 10**5, 10**6])
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measure(arguments.graphs[0])))
        return
    print("| graphs | distinct | audit | of the processor | a graph | memory before | peak | added for each graph |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|")
    for count in arguments.graphs:
        command = [sys.executable, __file__, "--one", "--graphs", str(count)]
        found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        seconds, before, most = found["seconds"], found["before"], found["peak"]
        of_time = f"{seconds:.2f} s | {found['of_processor']:.2f} s | {found['of_processor'] / count * 1e6:.1f} µs"
        of_memory = f"{before:.0f} MB | {most:.0f} MB | {(most - before) / count * 1e6:.0f} B"
        print(f"| {count:,} | {found['distinct']:,} | {of_time} | {of_memory} |", flush=True)


if __name__ == "__main__":
    main()
