"""Articles of our own words, long enough for every format."""

import json
from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest

from core.generation.checking import check_file
from core.sources.articles.article import Article, Block, compose

SHARED_ARTICLES = Path(__file__).parents[4] / "shared" / "data" / "articles"

_SUBJECTS = (
    "gauge", "river", "sensor", "valley", "model", "storm", "bridge", "sample",
    "survey", "record", "filter", "basin", "pump", "meadow", "signal", "tower",
)  # fmt: skip
_VERBS = ("shows", "follows", "repeats", "explains", "limits", "measures", "replaces", "supports")
_PLACES = (
    "along the northern bank", "in the dry season", "before the second flood",
    "near the old weir", "during the night shift", "at the upper station",
    "under the heavy snow", "beside the new channel", "after the long drought",
)  # fmt: skip


def sentence(number: int) -> str:
    """One of many different sentences of about twenty words."""
    subject = _SUBJECTS[number % len(_SUBJECTS)]
    other = _SUBJECTS[(number * 5 + 3) % len(_SUBJECTS)]
    verb = _VERBS[(number * 3 + number // 7) % len(_VERBS)]
    place = _PLACES[(number * 2 + number // 5) % len(_PLACES)]
    weeks = number * 7 % 41 + 2
    far = _PLACES[(number * 4 + 1 + number // 3) % len(_PLACES)]
    return (
        f"Every {subject} numbered {number} {verb} what the {other} recorded {place}, "
        f"although readings {far} remained {verb.rstrip('s')}ed by hand for {weeks} weeks."
    )


def prose(paragraphs: int = 24, sentences: int = 7, first: int = 0) -> list[Block]:
    """Headings and paragraphs of running text."""
    blocks = [Block("Readings", "heading", 1)]
    for index in range(paragraphs):
        begin = first + index * sentences
        blocks.append(Block(" ".join(sentence(n) for n in range(begin, begin + sentences))))
    return blocks


def article(blocks: list[Block], name: str = "0001.00001") -> Article:
    """An article of these blocks."""
    return compose(blocks, path=f"{name}.tex", article_id=name, title="Rain", version="v1")


@pytest.fixture(scope="session")
def rain() -> Article:
    return article(prose())


@pytest.fixture(scope="session")
def chinese() -> Article:
    things = "甲乙丙丁戊己庚辛壬癸子丑寅卯辰巳午未申酉戌亥"
    blocks = [Block("方法", "heading", 1)]
    for part in range(10):
        lines = []
        for number in range(8):
            one, other = things[(part + number * 3) % 22], things[(part * 5 + number) % 22]
            lines.append(
                f"第{part * 8 + number}次测量表明{one}站的水位比{other}站高出{number + part}厘米，"
                f"因此我们重新校准了{other}号仪器并记录{one}组的误差。"
            )
        blocks.append(Block("".join(lines)))
    return article(blocks, "zh-article")


@pytest.fixture(scope="session")
def real_articles() -> tuple[Article, ...]:
    if not SHARED_ARTICLES.is_dir():
        pytest.skip("the example articles beside the project are absent")
    from core.sources.articles.read_paths import read_paths

    return read_paths([SHARED_ARTICLES]).articles


def check_items(items, articles=None):
    """The report on a file of these items."""
    with NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        file.writelines(json.dumps(item.as_json()) + "\n" for item in items)
        file.flush()
        return check_file(Path(file.name), articles=articles)
