"""The report as one HTML file, without scripts or external files, and with every name escaped."""

from __future__ import annotations

import math
from html import escape
from itertools import groupby

from wlt.reproduce import paper
from wlt.reproduce.record import Results
from wlt.reproduce.report import plots
from wlt.reproduce.report.summary import findings, remarks
from wlt.reproduce.report.tables import ResultTable, tables
from wlt.reproduce.report.text import (
    Text,
    as_text,
    control_text,
    cost_text,
    datasets_text,
    edge_labels_text,
    provenance,
)
from wlt.reproduce.spec import METHODS
from wlt.wording import duration

CSS = """
:root {
  color-scheme: light dark;
  --ground: #f6f7f8; --paper: #ffffff; --ink: #1d232a; --soft: #45505b; --quiet: #59636e; --faint: #7a858f;
  --rule: #dfe3e7; --strong: #c9d0d6; --accent: #0072b2; --warn: #8a5a00;
  --near: #e3f3ea; --off: #fdf3d6; --far: #fbe3dd;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #12161a; --paper: #1b2026; --ink: #e8ebee; --soft: #c0c8d0; --quiet: #a9b3bd; --faint: #8b96a1;
    --rule: #38414a; --strong: #56616c; --accent: #7cc4f0; --warn: #f0b95c;
    --near: #1d3a2c; --off: #45391a; --far: #46251d;
  }
}
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground); margin: 0; }
main { max-width: 1180px; margin: 0 auto; padding: 28px 24px 60px; }
h1 { font-size: 27px; line-height: 1.2; margin: 0 0 4px; }
h2 { font-size: 20px; margin: 44px 0 10px; }
h3 { font-size: 16px; margin: 26px 0 6px; }
.source { color: var(--quiet); margin: 0 0 18px; }
.numbers { display: flex; flex-wrap: wrap; gap: 12px; margin: 18px 0; padding: 0; list-style: none; }
.numbers li { background: var(--paper); border: 1px solid var(--rule); border-radius: 8px; padding: 8px 16px; }
.numbers b { display: block; font-size: 21px; }
.numbers span { color: var(--quiet); font-size: 13px; }
.findings { background: var(--paper); border-left: 4px solid var(--accent); padding: 10px 20px; font-size: 16px; }
.findings p { margin: 8px 0; }
.scroll { overflow-x: auto; width: fit-content; max-width: 100%; }
.scroll, figure { background: var(--paper); border: 1px solid var(--rule); border-radius: 8px; }
table { border-collapse: collapse; font-size: 14px; font-variant-numeric: tabular-nums; }
th, td { padding: 4px 12px; text-align: right; white-space: nowrap; }
thead th { border-bottom: 2px solid var(--strong); vertical-align: bottom; }
th.name, td.name { text-align: left; }
tbody tr.first > * { border-top: 1px solid var(--rule); }
tbody th { text-align: left; vertical-align: top; font-weight: 600; }
tr.paper td { color: var(--quiet); }
tr.default td { font-weight: 600; }
.near { background: var(--near); }
.off { background: var(--off); }
.far { background: var(--far); }
tr td.none { color: var(--faint); font-weight: 400; }
td small { display: block; color: var(--warn); font-weight: 400; }
.notes { color: var(--soft); font-size: 13.5px; padding-left: 18px; }
.key span { padding: 1px 8px; border-radius: 4px; margin-right: 6px; }
figure { margin: 14px 0; padding: 12px; overflow-x: auto; }
figure svg { display: block; max-width: 100%; height: auto; margin: 0 auto; font-family: system-ui, sans-serif; }
figure svg { background: #fff; } /* matplotlib draws in black */
figcaption { color: var(--soft); font-size: 13.5px; margin-top: 8px; }
@media (max-width: 700px) {
  main { padding: 16px 12px 40px; }
  figure svg { max-width: none; } /* moved sideways: as narrow as a phone nothing on it could be read */
}
"""


def page(results: Results) -> str:
    """The whole report."""
    all_tables = tables(results)
    body = [
        _header(results, all_tables),
        *(_table_section(table, results) for table in all_tables),
        "<h2>Datasets</h2>" + _grid(datasets_text(results)),
        "<h2>How long it took</h2>",
        *(f"<h3>{escape(table.label)}</h3>{_grid(cost_text(table))}" for table in all_tables),
        "<h2>Where these figures come from</h2>" + _list(provenance(results)),
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title(all_tables))}</title>\n<style>{CSS}</style>\n</head>\n"
        f"<body>\n<main>\n{''.join(body)}\n</main>\n</body>\n</html>\n"
    )


def _header(results: Results, all_tables: list[ResultTable]) -> str:
    records = results.records
    numbers = {
        "runs": f"{len(records):,}",
        "epochs": f"{sum(record.curve.epochs for record in records):,}",
        "of one core": duration(sum(record.seconds for record in records)),
        "cells of the tables": str(sum(len(table.cells) for table in all_tables)),
    }
    items = "".join(f"<li><b>{escape(value)}</b><span>{escape(name)}</span></li>" for name, value in numbers.items())
    sentences = "".join(f"<p>{escape(line)}</p>" for line in findings(all_tables, results.datasets))
    return (
        f'<h1>{escape(title(all_tables))}</h1><p class="source">{escape(source(all_tables))}</p>'
        f'<div class="findings">{sentences}</div>'
        f'{_comparison(all_tables[0])}<ul class="numbers">{items}</ul>'
    )


def title(all_tables: list[ResultTable]) -> str:
    """The paper's experiments only where some of them were run."""
    if any(table.of_paper for table in all_tables):
        return "WLT-GNN: the paper's experiments, run again"
    names = sorted({name for table in all_tables for name in table.datasets})
    return f"WLT-GNN: the paper's protocol on {', '.join(names)}"


def source(all_tables: list[ResultTable]) -> str:
    """What the figures are shown beside."""
    if any(table.of_paper for table in all_tables):
        return f"Our figures are shown next to those of {paper.SOURCE}."
    return f"The protocol is that of {paper.SOURCE}. The paper has no figures for these datasets."


def _comparison(table: ResultTable) -> str:
    """The one figure that the report begins with: ours beside the paper's; nothing where the paper has none."""
    figure = plots.beside_paper(table) if table.number == 1 else None
    caption = f"{table.label}: our results by the three rules that choose an epoch, next to the paper's."
    return _figure(plots.to_svg(figure), caption) if figure else ""


def _table_section(table: ResultTable, results: Results) -> str:
    parts = [f"<h2>{escape(table.title)}</h2>", _list(remarks(table)), _results_grid(table, results)]
    if table.number == 1:
        caption = "Mean test accuracy over the folds after every epoch, from which the rules choose."
        parts.append(_figure(plots.to_svg(plots.mean_curves(table)), caption))
        for text in (control_text(table), edge_labels_text(table)):
            if text:
                parts.append(f"<h3>{escape(text.title)}</h3>{_grid(text)}")
    else:
        caption = (
            "The paper's figure: training accuracy and loss against epochs, in evaluation mode. Lines are means over "
            "the runs, bands go from the lowest run to the highest."
        )
        parts.append(_figure(plots.to_svg(plots.training_curves(table)), caption))
    return "".join(parts)


def _results_grid(table: ResultTable, results: Results) -> str:
    """The table of results, tinted by the distance from the paper's figures."""
    text = as_text(table, results.datasets)
    rows = []
    for name, group in groupby(text.rows, key=lambda row: row[0]):
        lines = list(group)
        method = next((key for key, value in METHODS.items() if value == name), "")
        for i, (_, rule, *words) in enumerate(lines):
            head = f'<th rowspan="{len(lines)}">{escape(name)}</th>' if i == 0 else ""
            cells = "".join(
                _value(word, table.distance(method, dataset, rule) if rule in table.rules else math.nan)
                for dataset, word in zip(table.datasets, words, strict=True)
            )
            kinds = {"first": i == 0, "paper": rule == "paper", "default": rule == table.rules[0]}
            kind = " ".join(name for name, applies in kinds.items() if applies)
            rows.append(f'<tr class="{kind}">{head}<td class="name">{escape(rule)}</td>{cells}</tr>')
    key = ""
    if table.number == 1 and any(not math.isnan(table.distance(*cell, table.rules[0])) for cell in table.cells):
        key = (
            '<p class="key notes"><span class="near">within one</span><span class="off">within two</span>'
            '<span class="far">beyond two</span> of the paper\'s standard deviations</p>'
        )
    return _framed(text, rows) + key + _list(list(text.notes))


def _value(word: str, distance: float) -> str:
    number, _, note = word.partition(" (")
    if not number or not number[0].isdigit():
        return f'<td class="none">{escape(word)}</td>'
    tint = "" if math.isnan(distance) else "near" if abs(distance) <= 1 else "off" if abs(distance) <= 2 else "far"
    small = f"<small>{escape(note.rstrip(')'))}</small>" if note else ""
    return f'<td class="{tint}">{escape(number)}{small}</td>'


def _grid(text: Text) -> str:
    rows = [f"<tr>{_cells('td', row, text.names)}</tr>" for row in text.rows]
    return _framed(text, rows) + _list(list(text.notes))


def _framed(text: Text, rows: list[str]) -> str:
    """A table with the head of `text` above these rows."""
    head = _cells("th", text.head, text.names)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'


def _cells(tag: str, words: tuple[str, ...], names: int) -> str:
    return "".join(f"<{tag}{' class=name' if i < names else ''}>{escape(word)}</{tag}>" for i, word in enumerate(words))


def _list(lines: list[str], kind: str = "notes") -> str:
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f'<ul class="{kind}">{items}</ul>' if lines else ""


def _figure(svg: str, caption: str) -> str:
    return f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>"
