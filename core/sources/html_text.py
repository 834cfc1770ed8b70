"""The text of a piece of HTML, as question banks and flashcards have it in their cells."""

import re
from html.parser import HTMLParser

_BREAKS = frozenset(
    {"br", "p", "div", "li", "tr", "table", "ul", "ol", "pre", "h1", "h2", "h3", "h4", "blockquote"}
)
_UNSEEN = frozenset({"script", "style"})


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.pictures: list[str] = []
        self.unseen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.unseen += tag in _UNSEEN
        if tag in _BREAKS:
            self.parts.append("\n")
        elif tag in ("td", "th"):
            self.parts.append(" ")
        elif tag == "img":
            self.pictures.append(dict(attrs).get("src") or "img")

    def handle_endtag(self, tag: str) -> None:
        self.unseen -= tag in _UNSEEN and self.unseen > 0
        if tag in _BREAKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self.unseen:
            self.parts.append(re.sub(r"\s+", " ", data))


def html_text(source: str) -> tuple[str, list[str]]:
    """The text with a line for each block, and the addresses of its pictures."""
    parser = _Text()
    parser.feed(source)
    parser.close()
    lines = (" ".join(line.split()) for line in "".join(parser.parts).split("\n"))
    return "\n".join(filter(None, lines)), parser.pictures
