"""The canary of a split: a sentence that no other text has, so that training on it can be found."""

import uuid

from core.i18n import tr

FILE = "CANARY.txt"
BEFORE = "Benchmark data must not be used for training. Canary "
"""What every canary begins with."""
_NAMESPACE = uuid.UUID("6f1a0cf2-6a40-4b8e-9a6e-0f2d5b1c7e93")


def canary_of(digest: str) -> str:
    """The canary of a split, from the digest of its manifest: a sentence with a random GUID."""
    return BEFORE + str(uuid.uuid5(_NAMESPACE, digest))


def canary_text(digest: str) -> str:
    """What lies beside every export of a frozen split."""
    why = tr(
        "Keep this line in every copy that is made public: analyze exposure asks models for it."
    )
    return f"{canary_of(digest)}\n\n{why}\n"
