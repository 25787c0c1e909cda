"""`make fuzz`: a million mutated inputs for everything that reads files. No traceback, no hang, no memory beyond a
bound, no file outside the folder given.

    python tests/fuzz/campaign.py [--inputs 1000000] [--target NAME] [--results FILE]

Every target runs in processes of its own, fifty thousand inputs at a time, whose memory the operating system limits,
and whose every input has a time limit. Input n of a target is always the same, so a failure is tried again by
`--target NAME --number N`. Results are added to FILE as they come, and what it has is not run again.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

SECONDS = 20
"""Of processor time: an input that takes longer is a hang. Most take less than a millisecond."""
MEMORY = 3 << 30
"""Bytes that a process may have beyond what Python and its libraries need."""
PART = 50_000
"""Inputs for one process."""
SHOWN = 400


class Outside(Exception):
    """Something was written outside the folder given."""


def watch(folder: Path) -> None:
    """Whatever is opened for writing, made, moved or removed from now on is inside this folder."""
    allowed = (str(folder), "/dev/null", "/dev/shm", "/proc/")

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, mode, flags = arguments
            writes = bool(isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
            if isinstance(path, int) or not (writes or (isinstance(mode, str) and set(mode) & set("wax+"))):
                return
            paths = [path]
        elif event in ("os.mkdir", "os.remove", "os.rmdir", "os.rename", "os.link", "os.symlink", "os.truncate"):
            paths = [each for each in arguments if isinstance(each, (str, bytes))]
        else:
            return
        for path in map(os.fsdecode, paths):
            whole = os.path.abspath(path)
            if not whole.startswith(allowed) and "__pycache__" not in whole:
                raise Outside(f"{event}: {whole}")

    sys.addaudithook(hook)


def run_part(name: str, first: int, number: int) -> dict[str, Any]:
    """In a process of its own: so many inputs of a target, from the first on. The number of the one that is tried
    stands in the file behind stderr, for the case that the process dies of it."""
    place_of_number = sys.stderr.fileno()
    from targets import make, targets

    warnings.simplefilter("ignore")
    target = targets()[name]
    failures = []
    refused = 0
    slowest = (0.0, first)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        os.environ.update(XDG_CACHE_HOME=str(folder / "cache"), HOME=str(folder), TMPDIR=str(folder))
        os.chdir(folder)
        tempfile.tempdir = str(folder)
        with_seeds = make(name, 0)  # compiles and imports
        with suppress(*target.refusals):
            target.attempt(with_seeds, folder)
        used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
        watch(folder)
        start = time.process_time()
        for i in range(first, first + number):
            data = make(name, i)
            begin = time.process_time()
            os.pwrite(place_of_number, f"{i:12}".encode(), 0)
            signal.setitimer(signal.ITIMER_PROF, SECONDS)  # ends the process, even in the middle of compiled code
            try:
                target.attempt(data, folder)
            except target.refusals as error:
                refused += 1
                message = str(error)
                if "\n" in message.strip() or len(message) > 3000:
                    failures.append({"number": i, "what": f"a message of {len(message)} letters: {message[:SHOWN]!r}"})
            except BaseException as error:  # whatever it is: it is what the campaign looks for
                failures.append({"number": i, "what": f"{type(error).__name__}: {str(error)[:SHOWN]}"})
            signal.setitimer(signal.ITIMER_PROF, 0)
            slowest = max(slowest, (time.process_time() - begin, i))
        seconds = time.process_time() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {
        "target": name,
        "first": first,
        "inputs": number,
        "refused": refused,
        "seconds": round(seconds, 1),
        "slowest": round(slowest[0], 3),
        "slowest_number": slowest[1],
        "peak_bytes": peak,
        "failures": failures,
    }


def started(name: str, first: int, number: int) -> dict[str, Any]:
    """That part in a new process; one that dies is a failure of its own."""
    command = [sys.executable, __file__, "--target", name, "--first", str(first), "--part", str(number)]
    with tempfile.TemporaryFile("w+") as errors:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=errors, text=True, check=False)
        errors.seek(0)
        told = " | ".join(errors.read().split("\n"))[:1500]
    if done.returncode:
        what = f"the process ended with {done.returncode}: {told}"
        return {"target": name, "first": first, "inputs": number, "failures": [{"number": None, "what": what}]}
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--target")
    parser.add_argument("--number", type=int, help="try this input alone")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--part", type=int, help="run this many in this process")
    parser.add_argument("--results", type=Path)
    options = parser.parse_args()
    if options.part is not None or options.number is not None:
        first, number = (options.first, options.part) if options.number is None else (options.number, 1)
        print(json.dumps(run_part(options.target, first, number)))
        return 0
    from targets import targets

    known = []
    if options.results is not None and options.results.exists():
        known = [json.loads(line) for line in options.results.read_text().splitlines()]
    done = {(each["target"], each["first"], each["inputs"]) for each in known}
    parts = []
    for name, target in targets().items():
        wanted = target.share * options.inputs // 1_000_000
        if options.target in (None, name):
            parts += [(name, first, min(PART, wanted - first)) for first in range(0, wanted, PART)]
    failed = sum(len(each["failures"]) for each in known)
    for part in sorted(parts, key=lambda part: part[1]):  # all targets have had some when the first has had all
        if part in done:
            continue
        result = started(*part)
        failed += len(result["failures"])
        if options.results is not None:
            with options.results.open("a") as file:
                print(json.dumps(result), file=file)
        print(f"{part[0]}: {part[1]} to {part[1] + part[2]}, {len(result['failures'])} failures", flush=True)
        for failure in result["failures"][:5]:
            print(f"  {failure['number']}: {failure['what']}", flush=True)
    print(f"{sum(part[2] for part in parts)} inputs, {failed} failures")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
