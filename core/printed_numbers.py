"""A number as people read it; what programs read has Python's own."""


def printed(value: float, digits: int, *, plus: bool = False, thousands: bool = False) -> str:
    """``value`` with so many digits: a minus sign rather than a hyphen, and no negative zero.

    ``plus`` puts a sign before positive numbers too, ``thousands`` commas between thousands.
    """
    form = f"{'+' if plus else ''}z{',' if thousands else ''}.{digits}f"
    return format(value, form).replace("-", "−")


def printed_bounds(low: float, high: float, digits: int) -> str:
    """``[−0.12, 0.30]``: both bounds of an interval."""
    return f"[{printed(low, digits)}, {printed(high, digits)}]"


def stored_bounds(low: float, high: float, digits: int) -> str:
    """The same with hyphens, for a cell that files keep as well; printed tables set the minus."""
    return f"[{low:z.{digits}f}, {high:z.{digits}f}]"
