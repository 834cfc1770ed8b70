"""Articles: LaTeX, arXiv HTML, Markdown, plain text and JSON, with their metadata."""
