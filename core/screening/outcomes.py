"""How the screening of one item can end."""

from typing import Literal, get_args

Outcome = Literal["passed", "screened_out", "invalid", "truncated", "refused", "failed"]
"""``invalid``: no readable verdict after all asks; ``truncated``: the token limit cut the reply;
``refused``: the model would not answer; ``failed``: no reply at all, or an unreadable item."""

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
