"""Pandoc as a reader of many formats, and as the second reader of LaTeX."""
