"""The words of made-up texts, all of which the tiny model's tokenizer knows."""

WORDS = (
    "the", "a", "model", "reads", "text", "answers", "passage", "order", "next", "river", "stone",
    "tree", "cloud", "light",
)  # fmt: skip
