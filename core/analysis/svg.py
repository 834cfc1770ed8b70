"""Figures as inline SVG with a title, a text alternative, and nothing from outside.

Colours are those of Okabe and Ito, which colour-blind readers can tell apart; every series also
has a mark of its own, up to 32 of them, and a mark says its name where the pointer rests on it.
"""

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.i18n import joined_clauses, listed, printed, tr

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D31")
_WIDTH, _HEIGHT = 640, 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 170, 30, 55
_ENTRY = 18


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawn figure; ``alternative`` says in words what it shows."""

    name: str
    title: str
    alternative: str
    svg: str


def _frame(name: str, title: str, alternative: str, body: Sequence[str], entries: int) -> Figure:
    """The figure around its body; as high as ``entries`` in the legend need."""
    inside = "\n".join(body)
    height = max(_HEIGHT, _TOP + 14 + _ENTRY * entries)
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" '
        f'aria-labelledby="{name}-t {name}-d" font-family="sans-serif" font-size="12">\n'
        f'<title id="{name}-t">{html.escape(title)}</title>\n'
        f'<desc id="{name}-d">{html.escape(alternative)}</desc>\n{inside}\n</svg>'
    )
    return Figure(name, title, alternative, svg)


def line_figure(
    name: str,
    title: str,
    lines: Mapping[str, Sequence[tuple[float, float | None]]],
    axes: tuple[str, str],
    ticks: Mapping[float, str] | None = None,
    order: Sequence[str] = (),
) -> Figure:
    """Lines over a numeric axis; ``ticks`` names positions, such as evaluation periods.

    ``order`` gives models their looks, so that they have the same ones in several figures.
    """
    points = [(x, y) for line in lines.values() for x, y in line if y is not None]
    scale = _Scale.over(points, zero=False)
    body = scale.axes(axes, ticks)
    for entry, (label, line) in enumerate(lines.items()):
        drawn = [(scale.x(x), scale.y(y)) for x, y in line if y is not None]
        place, colour = _look(label, order or tuple(lines))
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in drawn)
        body.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        body += [_mark(place, x, y, colour, label) for x, y in drawn]
        body.append(_legend(entry, place, label, colour))
    sentences = [
        tr("{name}: {values}", name=label, values=listed(
            f"{(ticks or {}).get(x, _tick(x))} {printed(y, 2)}" for x, y in line if y is not None))
        for label, line in lines.items()
    ]  # fmt: skip
    return _frame(name, title, joined_clauses(sentences) or tr("No data."), body, len(lines))


def scatter_figure(
    name: str,
    title: str,
    points: Mapping[str, tuple[float, float]],
    axes: tuple[str, str],
    spans: Mapping[str, tuple[float, float]] | None = None,
    order: Sequence[str] = (),
) -> Figure:
    """One named point per model, with its interval along y where ``spans`` has one.

    ``order`` is as for lines.
    """
    spans = {label: span for label, span in (spans or {}).items() if label in points}
    ends = [(points[label][0], end) for label, span in spans.items() for end in span]
    scale = _Scale.over([*points.values(), *ends], zero=False)
    body = scale.axes(axes, None)
    for entry, (label, (x, y)) in enumerate(points.items()):
        place, colour = _look(label, order or tuple(points))
        if label in spans:
            low, high = (scale.y(end) for end in spans[label])
            body.append(
                f'<line x1="{scale.x(x):.1f}" x2="{scale.x(x):.1f}" y1="{low:.1f}" '
                f'y2="{high:.1f}" stroke="{colour}" stroke-width="6" stroke-opacity="0.3"/>'
            )
        body.append(_mark(place, scale.x(x), scale.y(y), colour, label))
        body.append(_legend(entry, place, label, colour))
    sentences = [tr("{name}: {x} and {y}", name=n, x=printed(x, 2), y=printed(y, 2))
            for n, (x, y) in points.items()]  # fmt: skip
    return _frame(name, title, joined_clauses(sentences) or tr("No data."), body, len(points))


SPOKES = range(3, 17)
"""So many spokes make a radar that can be read."""
_MIDDLE, _RADIUS = (230.0, 205.0), 150.0


def radar_figure(
    name: str,
    title: str,
    models: Mapping[str, Mapping[str, float | None]],
    order: Sequence[str] = (),
) -> Figure:
    """One polygon per model over the same spokes; values in percent.

    A spoke for which a model has no value has no corner. ``order`` is as for lines.
    """
    spokes = list(dict.fromkeys(part for parts in models.values() for part in parts))
    body = _web(spokes)
    for entry, (label, parts) in enumerate(models.items()):
        place, colour = _look(label, order or tuple(models))
        corners = [
            _on_spoke(number, len(spokes), min(1, max(0, value / 100)))
            for number, spoke in enumerate(spokes)
            if (value := parts.get(spoke)) is not None
        ]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
        body.append(
            f'<polygon points="{path}" fill="{colour}" fill-opacity="0.08" stroke="{colour}" '
            'stroke-width="2"/>'
        )
        body += [_mark(place, x, y, colour, label) for x, y in corners]
        body.append(_legend(entry, place, label, colour))
    sentences = [
        tr("{name}: {values}", name=label, values=listed(
            f"{part} {printed(value, 1)}" for part, value in parts.items() if value is not None))
        for label, parts in models.items()
    ]  # fmt: skip
    return _frame(name, title, joined_clauses(sentences) or tr("No data."), body, len(models))


def _on_spoke(number: int, spokes: int, share: float) -> tuple[float, float]:
    angle = 2 * math.pi * number / max(1, spokes) - math.pi / 2
    x, y = _MIDDLE
    return x + _RADIUS * share * math.cos(angle), y + _RADIUS * share * math.sin(angle)


def _web(spokes: Sequence[str]) -> list[str]:
    """Rings with their values, and the names of the spokes."""
    body = []
    for share in (0.25, 0.5, 0.75, 1.0):
        corners = (_on_spoke(number, len(spokes), share) for number in range(len(spokes)))
        ring = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
        body.append(f'<polygon points="{ring}" fill="none" stroke="#bbb"/>')
        x, y = _on_spoke(0, len(spokes), share)
        body.append(
            f'<text x="{x + 4:.1f}" y="{y + 12:.1f}" fill="#666" font-size="10">'
            f"{100 * share:g}</text>"
        )
    for number, spoke in enumerate(spokes):
        x, y = _on_spoke(number, len(spokes), 1.13)
        body.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle">{html.escape(spoke)}</text>'
        )
    return body


@dataclass(frozen=True, slots=True)
class _Scale:
    low: tuple[float, float]
    high: tuple[float, float]

    @classmethod
    def over(cls, points: Sequence[tuple[float, float]], *, zero: bool) -> "_Scale":
        """Bounds around the points, never of width zero."""
        bounds = []
        for axis in (0, 1):
            values = [p[axis] for p in points] or [0.0, 1.0]
            low, high = min(values), max(values)
            if zero and axis == 1:
                low = min(0.0, low)
            room = 0.06 * (high - low) or max(0.5, abs(high) * 0.1)
            bounds.append((low - room, high + room))
        return cls((bounds[0][0], bounds[1][0]), (bounds[0][1], bounds[1][1]))

    def x(self, value: float) -> float:
        share = (value - self.low[0]) / (self.high[0] - self.low[0])
        return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)

    def y(self, value: float) -> float:
        share = (value - self.low[1]) / (self.high[1] - self.low[1])
        return _HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM)

    def axes(self, names: tuple[str, str], ticks: Mapping[float, str] | None) -> list[str]:
        """Frame, grid, numbers and names of the axes."""
        right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
        body = [
            f'<rect x="{_LEFT}" y="{_TOP}" width="{right - _LEFT}" height="{bottom - _TOP}" '
            'fill="none" stroke="#666"/>'
        ]
        along = ticks or {v: _tick(v) for v in _round_values(self.low[0], self.high[0])}
        for value, label in along.items():
            body.append(
                f'<text x="{self.x(value):.1f}" y="{bottom + 16}" text-anchor="middle">'
                f"{html.escape(label)}</text>"
            )
        for value in _round_values(self.low[1], self.high[1]):
            y = self.y(value)
            body.append(
                f'<line x1="{_LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
            )
            body.append(
                f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{_tick(value)}</text>'
            )
        middle = (_LEFT + right) / 2
        body.append(
            f'<text x="{middle}" y="{bottom + 40}" text-anchor="middle">'
            f"{html.escape(names[0])}</text>"
        )
        body.append(
            f'<text transform="translate(18 {(_TOP + bottom) / 2}) rotate(-90)" '
            f'text-anchor="middle">{html.escape(names[1])}</text>'
        )
        return body


def _round_values(low: float, high: float) -> list[float]:
    """Four to ten round numbers within the bounds."""
    step = 10 ** math.floor(math.log10((high - low) / 2))
    for factor in (1, 2, 5, 10):
        if (high - low) / (step * factor) <= 8:
            step *= factor
            break
    first = math.ceil(low / step)
    return [round(n * step, 10) for n in range(first, math.floor(high / step) + 1)]


def _mark(place: int, x: float, y: float, colour: str, label: str = "") -> str:
    """A circle, square, triangle or diamond, with its name to rest the pointer on."""
    shape = (place + place // len(_COLOURS)) % 4
    corners = [(0, -5), (5, 4), (-5, 4)] if shape == 2 else [(0, -5), (5, 0), (0, 5), (-5, 0)]
    path = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
    drawn = {
        0: f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4"',
        1: f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8"',
    }.get(shape, f'<polygon points="{path}"')
    name = f"<title>{html.escape(label)}</title>" if label else ""
    return f'<g fill="{colour}">{name}{drawn}/></g>'


def _tick(value: float) -> str:
    """A round number as it stands at an axis."""
    return f"{value + 0.0:g}".replace("-", "−")


def _look(label: str, order: Sequence[str]) -> tuple[int, str]:
    """Place and colour of a series."""
    place = order.index(label) if label in order else len(order)
    return place, _COLOURS[place % len(_COLOURS)]


def _legend(entry: int, place: int, label: str, colour: str) -> str:
    y = _TOP + 14 + _ENTRY * entry
    x = _WIDTH - _RIGHT + 14
    shown = label if len(label) <= 22 else label[:21] + "…"
    return f'{_mark(place, x, y - 4, colour)}<text x="{x + 10}" y="{y}">{html.escape(shown)}</text>'
