"""A static report: one HTML page that needs no network, with its data files beside it.

Every table is there as CSV and as LaTeX, every figure as SVG. Tables sort by a click or the
keyboard on a column's head; without scripts they are still whole. The name of a run leads to its
row in the table of runs, where there is one.
"""

import html
import json
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.analysis.site_files import known_files, replace_files
from core.analysis.svg import Figure
from core.errors import InputError
from core.i18n import language, tr
from core.report_table import Cell, ReportTable


@dataclass(frozen=True)
class ReportSection:
    """One chapter: a table and the figures that go with it. ``runs`` are what it is made of."""

    name: str
    table: ReportTable
    figures: tuple[Figure, ...] = ()
    runs: tuple[str, ...] = ()


RUNS = "runs"
"""The section whose table has a row for every run, with its name first."""
_MOST_ROWS = 2000  # a page of more opens and sorts too slowly; its CSV has them all


@dataclass(frozen=True)
class WrittenSite:
    """What was written: the page, and every file by its path in the folder."""

    page: Path
    files: tuple[str, ...]


def write_site(
    folder: Path,
    title: str,
    sections: Sequence[ReportSection],
    made: str = "",
    notes: Sequence[str] = (),
) -> WrittenSite:
    """Write the report; ``made`` is the day it says, ``notes`` are what it says first.

    InputError where the folder is no place.

    What an earlier report wrote there and this one has no longer goes; other files stay.
    """
    texts: dict[str, str] = {}
    for section in sections:
        texts[f"data/{section.name}.csv"] = section.table.to_csv()
        texts[f"data/{section.name}.tex"] = section.table.to_latex()
        for figure in section.figures:
            texts[f"data/{figure.name}.svg"] = figure.svg + "\n"
    sources = {section.name: list(section.runs) for section in sections}
    texts["data/runs.json"] = json.dumps(sources, ensure_ascii=False, indent=1) + "\n"
    _refuse_foreign(folder, texts)
    try:
        replace_files(folder, texts, page(title, sections, made, notes))
    except OSError as error:
        raise InputError.tr(
            "Could not write the report to “{path}”: {reason}.",
            path=folder,
            reason=error.strerror or error,
        ) from error
    return WrittenSite(folder / "index.html", ("index.html", *texts))


def _refuse_foreign(folder: Path, texts: Iterable[str]) -> None:
    """An earlier report is written over; a page or a file of somebody else is not."""
    path = folder / "index.html"
    try:
        text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else None
    except OSError as error:
        raise InputError.tr("Could not read “{path}”.", path=path) from error
    if text is not None and _MARK not in text:
        raise InputError.tr(
            "“{path}” is a page that does not belong to a Benchseal report; choose another "
            "folder.",
            path=path
        )  # fmt: skip
    if text is not None:
        return
    known = known_files(folder)
    if foreign := [name for name in texts if name not in known and (folder / name).exists()]:
        raise InputError.tr(
            "“{path}” already exists and does not belong to a report; choose another folder.",
            path=folder / foreign[0]
        )  # fmt: skip


def page(
    title: str, sections: Sequence[ReportSection], made: str, notes: Sequence[str] = ()
) -> str:
    """The HTML of the whole report."""
    contents = "".join(
        f'<li><a href="#{s.name}">{html.escape(s.table.title)}</a></li>' for s in sections
    )
    runs = {str(row[0]) for s in sections if s.name == RUNS for row in s.table.rows}
    body = "\n".join(_section(section, runs) for section in sections)
    if not sections:
        nothing = tr("Nothing to report yet.")
        body = f"<p>{html.escape(nothing)}</p>"
    return _PAGE.format(
        language="zh-CN" if language() == "zh" else "en",
        title=html.escape(title),
        made='</p>\n<p class="note">'.join(html.escape(note) for note in (made, *notes)),
        contents=contents,
        body=body,
        style=_STYLE,
        script=_SCRIPT,
        mark=_MARK,
    )


def _section(section: ReportSection, runs: Collection[str]) -> str:
    table = section.table.printed()
    heads = "".join(
        f'<th scope="col" aria-sort="none"><button type="button">{html.escape(name)}</button></th>'
        for name in table.columns
    )
    rows = "\n".join(_row(section, table, row, runs) for row in table.rows[:_MOST_ROWS])
    figures = "".join(
        f"<figure>{f.svg}<figcaption>{html.escape(f.title)} "
        f'(<a href="data/{f.name}.svg">SVG</a>)</figcaption></figure>'
        for f in section.figures
    )
    remarks = list(table.notes)
    if len(table.rows) > _MOST_ROWS:
        remarks.append(
            tr("The page shows the first {n} of {all} rows; the CSV file has all of them.",
               n=_MOST_ROWS, all=len(table.rows))
        )  # fmt: skip
    notes = "".join(f'<p class="note">{html.escape(note)}</p>' for note in remarks)
    made_of = ""
    if section.runs and section.name != RUNS:
        named = _linked(", ".join(section.runs), runs)
        heading = tr("Based on these runs:")
        made_of = f'<p class="note">{html.escape(heading)} {named}</p>'
    return (
        f'<section id="{section.name}"><h2>{html.escape(table.title)}</h2>'
        f'<div class="wide"><table><thead><tr>{heads}</tr></thead><tbody>\n{rows}\n'
        f"</tbody></table></div>{notes}{figures}{made_of}"
        f'<p class="note"><a href="data/{section.name}.csv">CSV</a> · '
        f'<a href="data/{section.name}.tex">LaTeX</a></p></section>'
    )


def _row(
    section: ReportSection, table: ReportTable, row: Sequence[Cell], runs: Collection[str]
) -> str:
    if section.name == RUNS:
        cells = "".join(_cell(table, cell, ()) for cell in row)
        return f'<tr id="run-{html.escape(str(row[0]))}">{cells}</tr>'
    return f"<tr>{''.join(_cell(table, cell, runs) for cell in row)}</tr>"


def _cell(table: ReportTable, cell: Cell, runs: Collection[str]) -> str:
    if isinstance(cell, str):
        return f"<td>{_linked(cell, runs)}</td>"
    value = "" if cell is None else f"{cell!r}"
    return f'<td class="number" data-value="{value}">{html.escape(table.text_of(cell))}</td>'


def _linked(text: str, runs: Collection[str]) -> str:
    """Text in which every name of a run, between commas, leads to its row."""
    return ", ".join(
        f'<a href="#run-{html.escape(part)}">{html.escape(part)}</a>'
        if part in runs
        else html.escape(part)
        for part in text.split(", ")
    )


def safe_name(text: str) -> str:
    """A file name from a title: ASCII letters, digits and dashes; never empty."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "table"


_MARK = '<meta name="generator" content="Benchseal">'
_STYLE = """
:root { color-scheme: light dark; --line: #8888; }
body { font-family: "Noto Sans", "Noto Sans CJK SC", system-ui, sans-serif; margin: 2em auto;
  max-width: 76em; padding: 0 1em; line-height: 1.45; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; border-top: 2px solid; border-bottom: 2px solid; }
th { border-bottom: 1px solid; text-align: left; vertical-align: bottom; }
th, td { padding: 0.25em 0.7em; }
td { white-space: nowrap; }
td:first-child { white-space: normal; max-width: 22em; overflow-wrap: break-word; }
td:last-child { white-space: normal; min-width: 12em; overflow-wrap: anywhere; }
td.number:last-child { min-width: 0; }
tr:target { outline: 2px solid; }
th button { font: inherit; font-weight: bold; border: 0; background: none; padding: 0;
  cursor: pointer; color: inherit; text-align: left; }
th[aria-sort=ascending] button::after { content: " ▲"; }
th[aria-sort=descending] button::after { content: " ▼"; }
tbody tr:nth-child(even) { background: #8881; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
figure { margin: 1.5em 0; } figure svg { width: 100%; max-width: 48em; background: #fff; }
.note { font-size: 0.9em; }
@media print {
  body { max-width: none; margin: 0; font-size: 9pt; }
  nav { display: none; }
  .wide { overflow: visible; }
  table { font-size: 0.8em; }
  th, td { padding: 0.15em 0.4em; }
  td { white-space: normal; overflow-wrap: anywhere; }
  td.number { white-space: nowrap; }
  td:last-child { min-width: 0; }
  tr, figure { break-inside: avoid; }
  h2 { break-after: avoid; }
  figure svg { max-width: 30em; }
}
"""

_SCRIPT = """
for (const table of document.querySelectorAll("table")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, place) => head.firstElementChild.addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "ascending";
    heads.forEach(other => other.setAttribute("aria-sort", "none"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const key = row => {
      const cell = row.cells[place], value = cell.dataset.value;
      if (value === undefined) return cell.textContent;
      return value === "" ? null : Number(value);
    };
    const rows = [...table.tBodies[0].rows];
    rows.sort((a, b) => {
      const x = key(a), y = key(b);
      if (x === null || y === null) return (x === null) - (y === null);
      const order = typeof x === "number" && typeof y === "number"
        ? x - y : String(x).localeCompare(String(y), undefined, {numeric: true});
      return down ? -order : order;
    });
    table.tBodies[0].append(...rows);
  }));
}
"""

_PAGE = """<!DOCTYPE html>
<html lang="{language}"><head><meta charset="utf-8">
{mark}
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><style>{style}</style></head><body>
<h1>{title}</h1>
<p class="note">{made}</p>
<nav><ul>{contents}</ul></nav>
{body}
<script>{script}</script>
</body></html>
"""
