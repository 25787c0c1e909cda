"""What a recoloring does, as a value."""

from __future__ import annotations

import copy
import pickle
import re
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wlt import Recolor


@pytest.mark.parametrize(
    ("recolor", "kind", "amount", "draws", "text"),
    [
        (1, "number", 1, 1, "one"),
        ("1", "number", 1, 1, "one"),
        ("one", "number", 1, 1, "one"),
        (3, "number", 3, 1, "3"),
        ("3", "number", 3, 1, "3"),
        (np.int64(2), "number", 2, 1, "2"),
        (0.5, "share", 0.5, 1, "half"),
        ("0.5", "share", 0.5, 1, "half"),
        ("half", "share", 0.5, 1, "half"),
        ("50%", "share", 0.5, 1, "half"),
        (np.float32(0.5), "share", 0.5, 1, "half"),
        (0.25, "share", 0.25, 1, "0.25"),
        ("12.5%", "share", 0.125, 1, "0.125"),
        (1e-9, "share", 1e-9, 1, "1e-09"),
        ("100%", "share", 1.0, 1, "100%"),
        ("all", "all", 0, 1, "all"),
        (np.str_("all"), "all", 0, 1, "all"),
        ("nodes", "nodes", 0, 1, "nodes"),
        ("canonical", "canonical", 0, 1, "canonical"),
        ("draws:8", "number", 1, 8, "draws:8"),
        ("one,draws:8", "number", 1, 8, "draws:8"),
        ("3,draws:8", "number", 3, 8, "3,draws:8"),
        ("half,draws:8", "share", 0.5, 8, "half,draws:8"),
        ("100%,draws:2", "share", 1.0, 2, "100%,draws:2"),
        ("draws:1", "number", 1, 1, "one"),
        ("draws:4096", "number", 1, 4096, "draws:4096"),
    ],
)
def test_what_is_read(recolor: Any, kind: str, amount: float, draws: int, text: str) -> None:
    parsed = Recolor(recolor)
    assert (parsed.kind, parsed.number + parsed.share, parsed.draws) == (kind, amount, draws)
    assert (type(parsed.number), type(parsed.share), type(parsed.draws)) == (int, float, int)
    assert parsed.is_random == (kind in ("number", "share"))
    assert (str(parsed), repr(parsed)) == (text, f"Recolor({text!r})")
    for twin in (Recolor(text), Recolor(parsed), copy.deepcopy(parsed), pickle.loads(pickle.dumps(parsed))):
        assert twin == parsed
        assert hash(twin) == hash(parsed)


@pytest.mark.parametrize("recolor", [1.0, np.float64(1), "1.0", "1.00", "1.0,draws:2", Decimal("1.0")])
def test_one_point_zero_is_refused_with_what_to_write_instead(recolor: Any) -> None:
    message = f"recolor {recolor!r} is ambiguous; write 1 for one node or '100%' for the whole class"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Recolor(recolor)


@pytest.mark.parametrize(
    "recolor",
    [
        *(True, False, np.True_, None, [1]),
        *(10**30, 2**63, 0, -1, 0.0, -0.5, 1.5, 2.0, float("nan"), float("inf")),
        *("", "some", "One", "none", "0", "-1", "0%", "101%", "%", "nan"),
        *(",draws:8", "some,draws:8", "half,half", "half,", "draws", "1,2,draws:3"),
    ],
)
def test_anything_else_is_refused_with_what_is_allowed(recolor: Any) -> None:
    allowed = r"recolor must be a number of nodes .* a share of the class .* 'all', 'nodes' or 'canonical', .* not "
    with pytest.raises(ValueError, match=f"^{allowed}{re.escape(repr(recolor))}$"):
        Recolor(recolor)


@pytest.mark.parametrize("draws", ["0", "-2", "2.5", "a", "", "4097", "1" + "0" * 5000])
def test_impossible_draws_are_refused(draws: str) -> None:
    with pytest.raises(ValueError, match="draws must be a whole number from 1 to 4096, not "):
        Recolor(f"half,draws:{draws}")


@pytest.mark.parametrize("kind", ["all", "nodes", "canonical"])
def test_what_is_not_random_has_no_draws(kind: str) -> None:
    with pytest.raises(ValueError, match=f"'{kind}' is not random, so it takes no draws"):
        Recolor(f"{kind},draws:2")
    assert Recolor(f"{kind},draws:1") == Recolor(kind)


@given(st.integers(1, 10**6) | st.floats(0, 1, exclude_min=True, exclude_max=True), st.integers(1, 4096))
def test_the_text_of_any_number_or_share_says_it_exactly(amount: float, draws: int) -> None:
    parsed = Recolor(f"{amount},draws:{draws}")
    assert (parsed.number + parsed.share, parsed.draws) == (amount, draws)
    assert Recolor(str(parsed)) == parsed
    assert Recolor(amount) == Recolor(str(amount))


@given(st.text("0123456789.,%:edrawshlfonict ", max_size=12))
def test_any_text_is_a_recoloring_or_one_line(text: str) -> None:
    message = ""
    try:
        parsed = Recolor(text)
    except ValueError as error:
        message = str(error)
    if message:
        assert message.startswith("recolor ")
    else:
        assert Recolor(str(parsed)) == parsed


def test_it_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Recolor(1).draws = 2  # type: ignore[misc]
