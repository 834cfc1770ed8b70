"""Where text comes from: articles (LaTeX, arXiv HTML, text, Markdown, JSON) and their metadata.

``core.sources.articles.read_paths.read_paths`` is the entry;
``core.sources.articles.article`` holds its values.
"""
