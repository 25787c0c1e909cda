"""Files that appear whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from wlt.io.atomic import replacing


def files_under(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_failed_write_leaves_nothing(tmp_path: Path) -> None:
    target = tmp_path / "folder" / "file"

    def write(content: bytes, fail: bool) -> None:
        with replacing(target) as file:
            file.write(content)
            if fail:
                raise RuntimeError

    with pytest.raises(RuntimeError):
        write(b"half", fail=True)
    assert files_under(tmp_path) == []
    write(b"first", fail=False)
    with pytest.raises(RuntimeError):
        write(b"second", fail=True)
    assert target.read_bytes() == b"first"
    assert files_under(tmp_path) == ["folder/file"]
