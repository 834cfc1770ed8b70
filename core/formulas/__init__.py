"""Formulas in running text: where they stand, and the outlines by which they are drawn.

``finding`` is pure and quick. ``outlines`` sets a formula with ziamath, which takes milliseconds
and reads whatever people wrote; so it runs in a child of its own, ``formula_child``, within limits.
"""
