"""Where text comes from: articles (LaTeX, arXiv HTML, text, Markdown, JSON) and their metadata.

``core.sources.reading.read_paths`` is the entry; ``core.sources.article`` holds its values.
"""
