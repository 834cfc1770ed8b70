"""Where text comes from: articles (LaTeX, arXiv HTML, text, Markdown, JSON) and their metadata."""
