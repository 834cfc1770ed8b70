"""Print what is not tidy: ``python -m tests.house``. The status is 1 where anything is."""

import sys

from tests.house import structure, suites, unused


def main() -> int:
    """Every list with its entries; 1 when one of them has any."""
    entries = 0
    for title, listed in {**structure.LISTS, **suites.LISTS, **unused.LISTS}.items():
        found = listed()
        entries += len(found)
        sys.stdout.write(f"{title}: {len(found) or 'none'}\n")
        for line in found:
            sys.stdout.write(f"  {line}\n")
    return int(entries > 0)


if __name__ == "__main__":
    sys.exit(main())
