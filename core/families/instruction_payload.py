"""Payloads of the instruction family: CIF-Bench triplets and instruction variants (§3, table 1).

The models are lenient: ``core.families.instruction_checks`` says what is wrong with an item.
"""

from core.families.payload import Payload

TRIPLET = "triplet"
VARIANT = "instruction"
FORMATS = (TRIPLET, VARIANT)


class TripletPayload(Payload):
    """An instruction, an input and the output that a good answer gives.

    ``alternatives`` are other outputs that are as good. ``labels`` is the label space of a
    classification task and ``label`` the item's own; both are empty where the output is free text.
    ``instruction_id`` names the instruction variant in use, ``language`` is a code such as ``zh``.
    """

    instruction: str
    input: str = ""
    output: str
    alternatives: tuple[str, ...] = ()
    label: str = ""
    labels: tuple[str, ...] = ()
    instruction_id: str = ""
    language: str = "zh"


class VariantPayload(Payload):
    """One wording of a task's instruction, with the same meaning as the others.

    ``public`` is set for the wording that is released with the public half.
    """

    text: str
    instruction_id: str = ""
    public: bool = False
    language: str = "zh"
