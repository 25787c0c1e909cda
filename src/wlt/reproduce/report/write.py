"""The files of the report."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from wlt.io.atomic import replacing
from wlt.reproduce.record import Results
from wlt.reproduce.report import plots
from wlt.reproduce.report.markdown import escaped, listed, markdown
from wlt.reproduce.report.page import page, source, title
from wlt.reproduce.report.summary import findings, remarks
from wlt.reproduce.report.tables import tables
from wlt.reproduce.report.text import (
    Text,
    as_text,
    control_text,
    cost_text,
    datasets_text,
    edge_labels_text,
    provenance,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def write_html(results: Results, path: Path) -> Path:
    """Write the page."""
    with replacing(path) as file:
        file.write(page(results).encode())
    return path


def write_markdown(results: Results, path: Path, folder: Path) -> list[Path]:
    """Write findings and tables, and next to that file the figures as PNG and PDF. Returns all files.

    folder: where the results come from."""
    all_tables = tables(results)
    written = [path]

    def image(figure: Figure, name: str, caption: str) -> str:
        for suffix in (".png", ".pdf"):
            with replacing(path.with_name(name + suffix)) as file:
                plots.save(figure, file, suffix[1:])
            written.append(path.with_name(name + suffix))
        return f"![{caption}]({name}.png)\n\nThe same as [PDF]({name}.pdf).\n"

    command = shlex.join(["wlt", "report", str(folder), "--markdown", str(path)])
    parts = [
        f"# {escaped(title(all_tables))}\n",
        f"Made by `{command}` from the stored curves; nothing here is typed by hand.\n{escaped(source(all_tables))}\n",
        *(f"{escaped(line)}\n" for line in findings(all_tables, results.datasets)),
    ]
    comparison = plots.beside_paper(all_tables[0]) if all_tables[0].number == 1 else None
    if comparison:
        parts.append(image(comparison, "beside-the-paper", f"{all_tables[0].label}: ours beside the paper's"))
    curves = 0
    for table in all_tables:
        main, *others = [as_text(table, results.datasets), control_text(table), edge_labels_text(table)]
        parts.append(markdown(main, remarks(table)))
        parts += [markdown(text) for text in others if text]
        if table.number == 2:
            curves += 1
            name = "training-curves" if curves == 1 else f"training-curves-{curves}"
            parts.append(image(plots.training_curves(table), name, f"{table.title}: accuracy and loss against epochs"))
    texts: list[Text] = [datasets_text(results), *map(cost_text, all_tables)]
    parts += map(markdown, texts)
    parts.append("## Where these figures come from\n\n" + listed(provenance(results)))
    with replacing(path) as file:
        file.write("\n".join(parts).encode())
    return written
