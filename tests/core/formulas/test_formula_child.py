"""The child that sets formulas answers everything within its limits."""

import json
import subprocess

from core.own_process import module_command, module_environment


def answers(*questions: list[object]) -> list[list[object]]:
    lines = "".join(json.dumps(question) + "\n" for question in questions)
    done = subprocess.run(
        module_command("core.formulas.formula_child"),
        input=lines.encode(),
        capture_output=True,
        env=module_environment(),
        timeout=120,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_child_answers_everything_and_survives_what_takes_too_long():
    hard = "{" * 8 + r"\sqrt{x}" * 200 + "}" * 8
    told = answers(
        [1, "x", False], [2, hard, False], [3, r"\frac{a", False], [4, "x" * 5000, False],
        [5, "y", True],
    )  # fmt: skip
    assert [number for number, _ in told] == [1, 2, 3, 4, 5]
    assert [drawn is None for _, drawn in told] == [False, True, True, True, False]
