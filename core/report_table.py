"""A small printed table: columns, rows and footnotes, as CSV, Markdown, LaTeX or a page."""

import csv
import html
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.i18n import tr

Cell = str | int | float | None


class PValue(float):
    """A p-value: three digits when printed, and below 0.001 that it is, for no p is zero."""

    __slots__ = ()

    @classmethod
    def of(cls, value: float | None) -> "PValue | None":
        """A value as one; None where there is none."""
        return None if value is None else cls(value)


_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}
_MARKDOWN = re.compile(r"[\\`*_\[\]<>|#~&$]|^(?=[-+]\s|\d+[.)]\s)")
_BEGIN_FORMULAS = ("=", "+", "-", "@", "\t", "\n", "＝", "＋", "－", "＠")
_LAST_LATIN = 0x024F
_WIDE_HEAD = 9  # characters; a number with its interval is about as wide
# what pdflatex has no text for
_SYMBOLS = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "θ": "theta", "κ": "kappa",
    "λ": "lambda", "μ": "mu", "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau", "φ": "phi",
    "χ": "chi", "Δ": "Delta", "Σ": "Sigma", "≤": "leq", "≥": "geq", "≠": "neq", "≈": "approx",
    "→": "to", "←": "leftarrow", "√": "surd", "∞": "infty",
}  # fmt: skip
_LATEX = str.maketrans(
    _SPECIAL | {sign: rf"$\{name}$" for sign, name in _SYMBOLS.items()} | {"−": "$-$", "–": "--"}
)


@dataclass(frozen=True, slots=True)
class ReportTable:
    """``rows`` hold words, whole numbers, numbers printed with ``digits``, and None for nothing.

    ``undefined``, where given, says of every row why it has no number; CSV has it as a last column,
    since it has no notes.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    digits: int = 3
    undefined: tuple[str, ...] | None = None

    def text_of(self, cell: Cell, empty: str = "–") -> str:
        """How a cell is printed."""
        if cell is None:
            return empty
        if isinstance(cell, PValue):
            return "< 0.001" if cell < 0.001 else f"{cell:.3f}"
        if isinstance(cell, float):
            return f"{cell:z.{self.digits}f}"
        return str(cell)

    def to_csv(self) -> str:
        """CSV with a header; numbers in full precision, empty where there is no value."""
        columns, rows = self.with_reasons()
        return csv_text([columns, *rows])

    def with_reasons(self) -> tuple[tuple[str, ...], tuple[tuple[Cell, ...], ...]]:
        """Columns and rows, with what ``undefined`` says as a last column where it is given."""
        if self.undefined is None:
            return self.columns, self.rows
        rows = zip(self.rows, self.undefined, strict=True)
        return (
            (*self.columns, tr("Undefined")),
            tuple((*row, reason or None) for row, reason in rows),
        )

    def to_markdown(self) -> str:
        """A table of GitHub's Markdown under its title, with the notes below it."""
        numeric = [_is_numeric([row[i] for row in self.rows]) for i in range(len(self.columns))]
        lines = [
            f"**{markdown_text(self.title)}**",
            "",
            _markdown_row([markdown_text(column) for column in self.columns]),
            _markdown_row(["---:" if number else "---" for number in numeric]),
            *(_markdown_row([markdown_text(self.text_of(c)) for c in row]) for row in self.rows),
            *(line for note in self.notes for line in ("", markdown_text(note))),
        ]
        return "\n".join(lines) + "\n"

    def to_latex(self) -> str:
        """A booktabs table with caption and footnotes, as a paper has it.

        Bounds side by side become one interval; a column without any value is left out, and so are
        remarks that stand in the notes anyway.
        """
        shown = list(self._paper_columns())
        rows = zip(*(map(self._latex_cell, cells) for _, cells, _ in shown), strict=True)
        return latex_table(
            self.title,
            [head for head, _, _ in shown],
            [list(row) for row in rows],
            [numeric for _, _, numeric in shown],
            self.notes,
        )

    def _paper_columns(self) -> Iterator[tuple[str, list[Cell], bool]]:
        """(head, cells, whether they are numbers) of what a paper's table shows."""
        bounds = {
            (tr("Low"), tr("High")): tr("Interval"),
            (tr("Macro F1, low"), tr("Macro F1, high")): tr("Interval"),
        }
        place = 0
        while place < len(self.columns):
            head, cells = self.columns[place], [row[place] for row in self.rows]
            place += 1
            if interval := bounds.get((head, "".join(self.columns[place : place + 1]))):
                highs = [row[place] for row in self.rows]
                yield interval, [*map(self._interval, cells, highs)], True
                place += 1
            elif not self._says_nothing(head, cells):
                yield head, cells, _is_numeric(cells)

    def _interval(self, low: Cell, high: Cell) -> Cell:
        if low is None and high is None:
            return None
        return f"[{self._latex_cell(low)}, {self._latex_cell(high)}]"

    def _says_nothing(self, head: str, cells: list[Cell]) -> bool:
        """Whether no cell has a value, or they are remarks that the notes have as well."""
        filled = {cell for cell in cells if cell not in (None, "")}
        noted = (any(str(cell) in note for note in self.notes) for cell in filled)
        return bool(cells) and (not filled or (head == tr("Remark") and all(noted)))

    def _latex_cell(self, cell: Cell) -> str:
        """As ``text_of``, with a minus rather than a hyphen before a number."""
        text = self.text_of(cell, "--")
        return text if cell is None or isinstance(cell, str) else text.replace("-", "−")

    def to_html(self) -> str:
        """A printable page of its own, UTF-8, without scripts or outside files."""
        return _PAGE.format(
            title=html.escape(self.title),
            head="".join(f"<th>{html.escape(column)}</th>" for column in self.columns),
            body="\n".join(f"<tr>{self._html_cells(row)}</tr>" for row in self.rows),
            notes="".join(f"<p>{html.escape(note)}</p>" for note in self.notes),
        )

    def _html_cells(self, row: tuple[Cell, ...]) -> str:
        return "".join(
            f'<td class="{"word" if isinstance(cell, str) else "number"}">'
            f"{html.escape(self.text_of(cell))}</td>"
            for cell in row
        )


def csv_text(rows: list[tuple[Cell, ...]]) -> str:
    """Rows as CSV that can be read again: lines end with \\n alone, and there are no NULs.

    A word that a spreadsheet would run as a formula gets a quote before it.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    for row in rows:
        writer.writerow([_harmless(cell) for cell in row])
    return buffer.getvalue()


def _harmless(cell: Cell) -> Cell:
    if not isinstance(cell, str):
        return cell
    text = cell.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    # a full-width sign is as good to a spreadsheet of East Asia
    if text.lstrip(" ")[:1] in _BEGIN_FORMULAS:
        try:
            float(text)
        except ValueError:
            return "'" + text
    return text


def markdown_text(text: str) -> str:
    """Text on one line in which nothing is a mark of Markdown or HTML."""
    return " ".join(_MARKDOWN.sub(r"\\\g<0>", text).split())


def _markdown_row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def latex_text(text: str) -> str:
    """Text with LaTeX's special characters written out, on one line, without control characters."""
    shown = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(shown.translate(_LATEX).split())


def _latex_heads(heads: list[str], numeric: list[bool]) -> str:
    r"""The row of heads; those over numbers in two lines where that makes them narrower."""
    cells = [latex_text(head) for head in heads]
    for place, (head, number) in enumerate(zip(heads, numeric, strict=True)):
        words = head.split()
        if number and len(head) > _WIDE_HEAD and len(words) > 1:
            halves = ((" ".join(words[:n]), " ".join(words[n:])) for n in range(1, len(words)))
            upper, lower = min(halves, key=lambda both: max(map(len, both)))
            cells[place] = rf"\shortstack[r]{{{latex_text(upper)}\\{latex_text(lower)}}}"
    row = " & ".join(cells) + r" \\"
    return "{}" + row if row[:1] in ("[", "*") else row


def _latex_row(cells: list[str]) -> str:
    r"""A row; a first cell such as ``[…`` or ``*`` would else be read as an option of ``\\``."""
    row = " & ".join(latex_text(cell) for cell in cells) + r" \\"
    return "{}" + row if row[:1] in ("[", "*") else row


def _other_scripts(texts: list[str]) -> list[str]:
    """A comment where a text has letters that pdflatex has no fonts for, such as Chinese ones."""
    if any(c.isalpha() and ord(c) > _LAST_LATIN and c not in _SYMBOLS for c in "".join(texts)):
        return [
            "% " + tr("Compile this with XeLaTeX or LuaLaTeX and a font that has these characters.")
        ]
    return []


def latex_table(
    caption: str,
    columns: list[str],
    rows: list[list[str]],
    numeric: list[bool],
    notes: tuple[str, ...] = (),
) -> str:
    """A complete table environment, made smaller where it is wider than the text; needs the
    packages booktabs and graphicx."""
    layout = "".join("r" if number else "l" for number in numeric)
    every = [caption, *columns, *(cell for row in rows for cell in row), *notes]
    lines = [
        *_other_scripts(every),
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{latex_text(caption)}}}",
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"\begin{{tabular}}{{{layout}}}",
        r"\toprule",
        _latex_heads(columns, numeric),
        r"\midrule",
        *(_latex_row(row) for row in rows),
        r"\bottomrule",
        r"\end{tabular}}",
        *(rf"\par\raggedright\footnotesize {latex_text(note)}" for note in notes),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _is_numeric(cells: list[Cell]) -> bool:
    return bool(cells) and not any(isinstance(cell, str) for cell in cells)


_PAGE = """<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>{title}</title><style>
body {{ font-family: "Noto Sans", "Noto Sans CJK SC", sans-serif; color: #111; margin: 2em; }}
table {{ border-collapse: collapse; border-top: 2px solid; border-bottom: 2px solid; }}
th {{ border-bottom: 1px solid; text-align: left; }}
th, td {{ padding: 0.3em 0.8em; }}
td.number {{ text-align: right; font-variant-numeric: tabular-nums; }}
p {{ font-size: 0.85em; }}
</style></head><body>
<h1>{title}</h1>
<table><thead><tr>{head}</tr></thead>
<tbody>
{body}
</tbody></table>
{notes}
</body></html>
"""
