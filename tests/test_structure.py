"""The notation "gggrgg" as a value."""

from __future__ import annotations

import copy
import pickle
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wlt import Structure


@pytest.mark.parametrize(
    ("notation", "layers"),
    [
        ("gggrgg", "gggrgg"),
        ("g", "g"),
        ("g5", "ggggg"),
        ("g3rg2", "gggrgg"),
        ("(gr)3g", "grgrgrg"),
        ("g2(rg3)2", "ggrgggrggg"),
        ("((gr)2g)2", "grgrggrgrg"),
        ("g12", "g" * 12),
        ("(g)", "g"),
    ],
)
def test_repetitions_are_written_out(notation: str, layers: str) -> None:
    structure = Structure(notation)
    assert structure == layers
    assert (structure.depth, structure.recolorings) == (layers.count("g"), layers.count("r"))


@pytest.mark.parametrize(
    ("notation", "blocks"),
    [
        ("gggrgg", (3, 2)),
        ("rgg", (0, 2)),
        ("ggr", (2,)),
        ("ggg", (3,)),
        ("grrg", (1, 0, 1)),
        ("g4(rg4)6", (4,) * 7),
        ("rgrr", (0, 1)),
    ],
)
def test_blocks_are_the_rounds_between_recolorings_that_anyone_sees(notation: str, blocks: tuple[int, ...]) -> None:
    structure = Structure(notation)
    assert structure.blocks == blocks
    assert structure.known_rounds == blocks[0]
    assert structure.without_recoloring == Structure("g" * sum(blocks))


@pytest.mark.parametrize(
    ("notation", "message"),
    [
        ("gggxgg", "structure 'gggxgg': unknown layer 'x' at position 3; use 'g' (GIN) or 'r' (recoloring)"),
        ("G", "structure 'G': unknown layer 'G' at position 0; use 'g' (GIN) or 'r' (recoloring)"),
        ("gg rg", "structure 'gg rg': unknown layer ' ' at position 2; use 'g' (GIN) or 'r' (recoloring)"),
        ("g²", "structure 'g²': unknown layer '²' at position 1; use 'g' (GIN) or 'r' (recoloring)"),
        ("3g", "structure '3g': number '3' without a layer or bracket before it at position 0"),
        ("(2g)", "structure '(2g)': number '2' without a layer or bracket before it at position 1"),
        ("gg)r", "structure 'gg)r': ')' without '(' at position 2"),
        ("g(rg(g)", "structure 'g(rg(g)': '(' without ')' at position 1"),
        ("g()", "structure 'g()': empty brackets at position 2"),
        ("gr0g", "structure 'gr0g': repetition 0 at position 2"),
        ("g(g9)999", "structure 'g(g9)999': more than 1000 layers at position 5"),
        ("", "structure '': no 'g' (GIN) layer; a readout needs at least one"),
        ("rrr", "structure 'rrr': no 'g' (GIN) layer; a readout needs at least one"),
    ],
)
def test_errors_name_the_position(notation: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Structure(notation)


@pytest.mark.parametrize("notation", [None, 5, ["g"], b"gg"])
def test_other_types_are_refused(notation: object) -> None:
    with pytest.raises(TypeError, match="a structure is a string such as 'gggrgg'"):
        Structure(notation)  # type: ignore[arg-type]


@given(st.text("gr", min_size=1).filter(lambda text: "g" in text))
def test_it_is_a_string_that_survives_copying(layers: str) -> None:
    structure = Structure(layers)
    assert structure == layers
    assert hash(structure) == hash(layers)
    assert repr(structure) == f"Structure({layers!r})"
    for twin in (pickle.loads(pickle.dumps(structure)), copy.deepcopy(structure), Structure(structure)):
        assert twin == structure
        assert isinstance(twin, Structure)
        assert twin.depth == layers.count("g")


@given(st.text("gr()0123456789xé", max_size=12))
def test_any_text_is_a_structure_or_a_value_error(notation: str) -> None:
    refused = ""
    try:
        structure = Structure(notation)
    except ValueError as error:
        refused = str(error)
    if refused:
        assert refused.startswith(f"structure {notation!r}: ")
    else:
        assert set(structure) <= set("gr")
        assert structure.depth > 0
