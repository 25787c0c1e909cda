"""The files of the report."""

from __future__ import annotations

import shlex
from pathlib import Path

from wlt.io.atomic import replacing
from wlt.reproduce import paper
from wlt.reproduce.record import Results
from wlt.reproduce.report import plots
from wlt.reproduce.report.markdown import markdown
from wlt.reproduce.report.page import page
from wlt.reproduce.report.summary import summary
from wlt.reproduce.report.tables import tables
from wlt.reproduce.report.text import Text, as_text, control_text, cost_text, datasets_text, provenance


def write_html(results: Results, path: Path) -> Path:
    """Write the page."""
    with replacing(path) as file:
        file.write(page(results).encode())
    return path


def write_markdown(results: Results, path: Path, source: Path) -> list[Path]:
    """Write the tables, and next to that file the figures of Table 2 as PNG and PDF. Returns all files."""
    all_tables = tables(results)
    texts: list[Text] = []
    figures: list[tuple[str, str]] = []
    written = []
    for table in all_tables:
        texts += [text for text in (as_text(table, results.datasets), control_text(table)) if text]
        if table.number == 2:
            name = "training-curves" if not figures else f"training-curves-{len(figures) + 1}"
            for suffix in (".png", ".pdf"):
                with replacing(path.with_name(name + suffix)) as file:
                    plots.save(plots.training_curves(table), file, suffix[1:])
                written.append(path.with_name(name + suffix))
            figures.append((table.title, name))
    texts += [datasets_text(results), *map(cost_text, all_tables)]
    images = "".join(
        f"\n![{title}: accuracy and loss against epochs]({name}.png)\n\nThe same as [PDF]({name}.pdf).\n"
        for title, name in figures
    )
    command = shlex.join(["wlt", "report", str(source), "--markdown", str(path)])
    head = (
        "# The paper's experiments, run again\n\n"
        f"Made by `{command}` from the stored curves; nothing here is typed by hand.\n"
        f"The paper: {paper.SOURCE}.\n\n{markdown([], summary(all_tables))}"
    )
    with replacing(path) as file:
        file.write(f"{head}\n{markdown(texts)}{images}\n## Where these figures come from\n\n".encode())
        file.write(markdown([], provenance(results)).encode())
    return [path, *written]
