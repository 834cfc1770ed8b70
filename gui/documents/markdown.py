"""Markdown as a text document shows it: pages of help, and the guidelines that people write."""

import re

LOOK = """
.title { font-size: 22px; font-weight: 600; margin-top: 0; margin-bottom: 12px; }
p, li { line-height: 112%; margin-top: 0; margin-bottom: 10px; }
table { margin-bottom: 12px; }
th, td { padding: 5px 24px 5px 0; }
th { font-weight: 400; text-align: left; }
b { font-weight: 600; }
.part { font-size: 18px; font-weight: 600; margin-top: 18px; }
.point { font-size: 16px; font-weight: 600; margin-top: 14px; }
pre { font-family: monospace; font-size: 12px; margin-bottom: 10px; }
"""
"""The style sheet of a page of help."""


_PROGRAM = re.compile(r"<pre><code[^>]*>")


def as_html(markdown: str, *, trusted: bool = True) -> str:
    """Markdown as HTML that Qt reads, tables included.

    What is not ``trusted`` was written by people: its tags stay letters, and no picture is loaded.
    """
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": trusted, "breaks": not trusted}).enable("table")
    if not trusted:
        reader.disable("image")
    made = str(reader.render(markdown))
    made = _PROGRAM.sub("<pre>", made).replace("</code></pre>", "</pre>")
    # Qt scales its own headings, and what a page of help has as code are keys: merely bold here
    code = (("code", "b"),) if trusted else ()
    for tag, plain in (
        ("h1", 'p class="title"'), ("h2", 'p class="part"'), ("h3", 'p class="point"'), *code,
    ):  # fmt: skip
        made = made.replace(f"<{tag}>", f"<{plain}>").replace(f"</{tag}>", f"</{plain.split()[0]}>")
    return made
