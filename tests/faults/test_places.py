"""Commands that write, where nothing can be written: a full disk, a folder that is read only, no home; and two of
them at once."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from commands import COMMANDS, WLT, environment, prepare, run, share

WRITERS = [name for name, command in COMMANDS.items() if command.outputs]
PLACES = {
    "full": "mount -t tmpfs -o size=64k tmpfs out && { yes | head -c 1000000 >out/there; true; } 2>/dev/null",
    "read-only": "mount -t tmpfs tmpfs out && echo y >out/there && mount -o remount,ro out",
}
"""What makes the folder `out` such a place, in a mount namespace of its own."""


def can_mount() -> bool:
    if shutil.which("unshare") is None:
        return False
    tried = subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True, check=False)
    return tried.returncode == 0


@pytest.mark.skipif(not can_mount(), reason="only root may mount a small disk")
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", share(WRITERS))
def test_where_nothing_can_be_written(name: str, place: str, there: Path) -> None:
    prepare(there, COMMANDS[name])
    out = there / "out"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    script = f'{PLACES[place]}; "$@"; code=$?; ls -A out; head -c 2 out/there; exit $code'
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script, "sh", *WLT, *COMMANDS[name].arguments],
        cwd=there,
        env=environment(there),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.strip().splitlines()[-1].startswith("wlt: "), done.stderr
    *_, was_there = done.stdout.splitlines()
    left = set(done.stdout.split("\n")) & {*COMMANDS[name].outputs} - {"lock", "runs.sqlite"}
    assert was_there == "y"
    assert left == set(), "no file that looks finished"


HOMES = {"none": None, "no-folder": "/dev/null/home"}


@pytest.mark.parametrize("home", HOMES)
@pytest.mark.parametrize("name", share(["compare", "audit", "keys", "train", "predict"]))
def test_no_home(name: str, home: str, there: Path) -> None:
    """As a user of some containers and services has it. Without a cache everything is compiled and parsed anew."""
    prepare(there, COMMANDS[name])
    out = there / "out"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    mine = {key: value for key, value in environment(there).items() if key not in ("HOME", "XDG_CACHE_HOME")}
    where = HOMES[home]
    done = subprocess.run(
        [*WLT, *COMMANDS[name].arguments],
        cwd=there,
        env=mine if where is None else {**mine, "HOME": where},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert {path.name for path in out.iterdir()} == set(COMMANDS[name].outputs)


@pytest.mark.parametrize("name", share(WRITERS))
def test_two_at_once(name: str, there: Path) -> None:
    """One of them may be told that the other is at work. What is there in the end is what one alone leaves."""
    out, command = there / "out", COMMANDS[name]
    prepare(there, command)

    def begin() -> None:
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()

    begin()
    alone = run(there, command.arguments)
    assert alone.returncode == 0, alone.stderr
    expected = {file: command.content(out / file) for file in command.outputs}
    begin()
    both = [
        subprocess.Popen(
            [*WLT, *command.arguments],
            cwd=there,
            env=environment(there),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    told = [process.communicate()[1] for process in both]
    codes = [process.returncode for process in both]
    assert 0 in codes
    assert set(codes) <= {0, 2}
    for code, text in zip(codes, told, strict=True):
        assert "Traceback" not in text, text
        if code == 2:
            assert text.strip().splitlines()[-1].startswith("wlt: "), text
    assert {path.name for path in out.iterdir()} == set(command.outputs)
    assert {file: command.content(out / file) for file in command.outputs} == expected
