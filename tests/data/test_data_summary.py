"""What `wlt datasets` shows."""

from __future__ import annotations

import pytest

from wlt.data import PAPER_DATASETS, PUBLISHED, summary


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def write_set(root, name, **changes):
    """Two graphs: an edge with a loop, listed twice in one direction, and a single node."""
    parts = {"A": "1, 2\n2, 1\n1, 2\n1, 1\n", "graph_indicator": "1\n1\n2\n", "graph_labels": "1\n2\n"} | changes
    folder = root / "tu" / name / "raw"
    folder.mkdir(parents=True)
    for part, text in parts.items():
        (folder / f"{name}_{part}.txt").write_text(text)


def test_paper_first_then_what_is_at_hand(root):
    write_set(root, "OWN")
    write_set(root, "MUTAG", node_labels="4\n4\n9\n")
    write_set(root, "BROKEN", graph_labels="1\nx\n")
    rows = summary(root=root)
    assert [row.name for row in rows] == [*PAPER_DATASETS, "BROKEN", "MUTAG", "OWN"]
    for row in rows[:7]:
        assert row.counts is None
        assert row.problem == f"not in {root / 'tu'}"
        assert row.published == PUBLISHED[row.name]
    broken, mutag, own = rows[7:]
    assert broken.counts is None
    assert "BROKEN_graph_labels.txt, line 2" in broken.problem
    assert own.published is None
    assert own.problem == ""
    assert own.counts is not None
    assert (own.counts.graphs, own.counts.nodes, own.counts.edges, own.counts.class_sizes) == (2, 3, 1, (1, 1))
    assert (own.counts.removed_loops, own.counts.removed_repeats, own.counts.node_labels) == (1, 1, 0)
    assert mutag.counts is not None
    assert mutag.counts.node_labels == 2


def test_named_sets_only_and_no_folder(root):
    (row,) = summary(["NCI1"], root / "nowhere")
    assert row.counts is None


def test_real_sets_have_the_published_statistics(data_dir, root):
    compared = 0
    for row in summary(["MUTAG", "PROTEINS", "NCI1", "IMDB-BINARY", "IMDB-MULTI", "REDDIT-BINARY"], data_dir):
        if row.counts is None:
            continue
        compared += 1
        found, published = row.counts, row.published
        assert published is not None
        assert (found.graphs, len(found.class_sizes)) == (published.graphs, published.classes)
        assert round(found.nodes / found.graphs, 2) == published.nodes
        assert found.edges / found.graphs == pytest.approx(published.edges, abs=0.0051)
    if not compared:
        pytest.skip("none of the sets is at hand")
