"""A small printed table: columns, rows and footnotes, as CSV, Markdown, LaTeX or a page; and a
result as a JSON object."""

import csv
import html
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from core.i18n import printed, printed_bounds, printed_time, tr

Cell = str | int | float | None
_STORED_BOUNDS = re.compile(r"^\[-?\d+\.?\d*, -?\d+\.?\d*\]")


class PValue(float):
    """A p-value: three digits when printed, and below 0.001 that it is, for no p is zero."""

    __slots__ = ()

    @classmethod
    def of(cls, value: float | None) -> "PValue | None":
        """A value as one; None where there is none."""
        return None if value is None else cls(value)


class Bounds(float):
    """The two bounds of an interval in one cell, as people read them; it sorts by the lower one."""

    __slots__ = ("high",)
    high: float

    @classmethod
    def of(cls, low: float, high: float) -> "Bounds":
        """Both bounds, in the unit of the column."""
        made = cls(low)
        made.high = high
        return made


class Moment(str):
    """A time (ISO 8601, UTC), as files keep it; printed by the clock of this machine."""

    __slots__ = ()


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


def printed_p(p: float) -> str:
    """How people read a p-value: three digits, and never 0."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


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
        if isinstance(cell, Bounds):
            return printed_bounds(cell, cell.high, self.digits)
        if isinstance(cell, PValue):
            return printed_p(cell)
        if isinstance(cell, float):
            return printed(cell, self.digits)
        if isinstance(cell, Moment):
            return printed_time(cell)
        if isinstance(cell, str):  # a name keeps its hyphens
            return _STORED_BOUNDS.sub(lambda found: found[0].replace("-", "−"), cell)
        return str(cell).replace("-", "−")

    def pasted_text(self, cell: Cell) -> str:
        """As ``text_of``, with the hyphen that spreadsheets take for a minus."""
        return cell if isinstance(cell, str) else self.text_of(cell, "").replace("−", "-")

    def to_csv(self) -> str:
        """CSV with a header; numbers in full precision, missing values empty."""
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
        shown = self.printed()
        numeric = [_is_numeric([row[i] for row in shown.rows]) for i in range(len(shown.columns))]
        lines = [
            f"**{markdown_text(self.title)}**",
            "",
            _markdown_row([markdown_text(column) for column in shown.columns]),
            _markdown_row(["---:" if number else "---" for number in numeric]),
            *(_markdown_row([markdown_text(self.text_of(c)) for c in row]) for row in shown.rows),
            *(line for note in self.notes for line in ("", markdown_text(note))),
        ]
        return "\n".join(lines) + "\n"

    def printed(self) -> "ReportTable":
        """The table as people read it, wherever they do: bounds side by side are one interval.

        What programs read (CSV, JSON and other files) keeps two numbers.
        """
        both = {
            (tr("Low"), tr("High")): tr("Interval"),
            (tr("Macro F1, low"), tr("Macro F1, high")): tr("Interval"),
        }
        heads: list[str] = []
        parts: list[Sequence[Cell]] = []
        cells = list(zip(*self.rows, strict=True)) or [()] * len(self.columns)
        for head, part in zip(self.columns, cells, strict=True):
            interval = both.get(("".join(heads[-1:]), head))
            if interval and (merged := _intervals(parts[-1], part)) is not None:
                heads[-1], parts[-1] = interval, merged
            else:
                heads.append(head)
                parts.append(part)
        rows = tuple(zip(*parts, strict=True))
        return replace(self, columns=tuple(heads), rows=rows)

    def to_latex(self) -> str:
        """A booktabs table with caption and footnotes, as a paper has it.

        A column without any value is left out, and so are remarks that stand in the notes anyway.
        """
        shown = self.printed()
        columns = [(head, [row[i] for row in shown.rows]) for i, head in enumerate(shown.columns)]
        kept = [(head, cells) for head, cells in columns if not self._says_nothing(head, cells)]
        rows = zip(
            *((self.text_of(cell, "--") for cell in cells) for _, cells in kept), strict=True
        )
        return latex_table(
            self.title,
            [head for head, _ in kept],
            [list(row) for row in rows],
            [_is_numeric(cells) for _, cells in kept],
            self.notes,
        )

    def _says_nothing(self, head: str, cells: Sequence[Cell]) -> bool:
        """Whether no cell has a value, or they are remarks that the notes have as well."""
        filled = {cell for cell in cells if cell not in (None, "")}
        noted = (any(str(cell) in note for note in self.notes) for cell in filled)
        return bool(cells) and (not filled or (head == tr("Remark") and all(noted)))

    def to_html(self) -> str:
        """A printable page of its own, UTF-8, without scripts or outside files."""
        shown = self.printed()
        return _PAGE.format(
            title=html.escape(self.title),
            head="".join(f"<th>{html.escape(column)}</th>" for column in shown.columns),
            body="\n".join(f"<tr>{self._html_cells(row)}</tr>" for row in shown.rows),
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


def _intervals(lows: Sequence[Cell], highs: Sequence[Cell]) -> tuple[Cell, ...] | None:
    """Bounds in one cell a row; None where a row has a bound alone, or a word."""
    pairs = list(zip(lows, highs, strict=True))
    if not all(
        (low is None and high is None) or (isinstance(low, float) and isinstance(high, float))
        for low, high in pairs
    ):
        return None
    return tuple(
        Bounds.of(low, high) if isinstance(low, float) and isinstance(high, float) else None
        for low, high in pairs
    )


def _is_numeric(cells: Sequence[Cell]) -> bool:
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


class JsonFields:
    """A dataclass whose JSON object holds its fields; ``_not_in_json`` are left out."""

    __slots__ = ()
    _not_in_json: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """One object: tuples as lists, mappings as objects, and parts by their own ``as_json``."""
        described: Any = self
        return {
            field.name: _plain(getattr(self, field.name))
            for field in fields(described)
            if field.name not in self._not_in_json
        }


def _plain(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    return value.as_json() if hasattr(value, "as_json") else value
