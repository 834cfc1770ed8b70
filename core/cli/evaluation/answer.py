"""``evaluate … --engine people`` and ``answer``: people answer a split's questions."""

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from core.cli.commands import add_command, open_workspace, the_person
from core.cli.console import Console, columns
from core.cli.options import add_given, is_given
from core.errors import UsageError
from core.i18n import tr, trn

if TYPE_CHECKING:
    from core.evaluation.params import EvaluateParams
    from core.workflow.evaluation.people_answers import OpenQuestion


def add_people(parser: argparse.ArgumentParser) -> None:
    """Who answers with the engine ``people``."""
    parser.add_argument("--people", metavar="A,B,…", default="",
                        help=tr("engine people: who answers, by name"))  # fmt: skip


def begin_sitting(
    arguments: argparse.Namespace, console: Console, params: "EvaluateParams"
) -> bool:
    """Begin a sitting where the engine is people; whether it is."""
    from core.evaluation.report_parts.human_ceiling import ENGINE

    if params.engine != ENGINE:
        if arguments.people:
            raise UsageError.tr("--people requires --engine people.")
        return False
    from core.workflow.evaluation import people_answers

    if arguments.wait or arguments.dry_run or len(arguments.model) > 1:
        raise UsageError.tr("--engine people takes neither --wait nor --dry-run nor many models.")
    params = params.model_copy(update={"model": "".join(arguments.model)})
    ws = open_workspace(arguments, console)
    people = arguments.people.split(",")
    spec = people_answers.begin(ws, params, people, the_person(ws)).spec()
    console.emit(
        {"run": spec.id, "questions": spec.total},
        trn("1 question waits in run {run}: benchseal answer {run} --user NAME",
            "{n} questions wait in run {run}: benchseal answer {run} --user NAME",
            spec.total, run=spec.id),
    )  # fmt: skip
    return True


def _add_answer(commands: Any) -> None:
    text = tr("answer the questions of a split as a person, for the human ceiling")
    parser = add_command(commands, "answer", text, _answer)
    parser.add_argument("run", metavar="RUN", nargs="?", default="",
                        help=tr("run; if omitted, list those that wait for you"))  # fmt: skip
    parser.add_argument("--question", metavar="ID", default="",
                        help=tr("the question to answer; if omitted, show the next "
                                "one"))  # fmt: skip
    given = add_given(parser)
    given.add_argument("--close", action="store_true",
                       help=tr("end the run; what is not answered counts as missing"))  # fmt: skip


def _answer(arguments: argparse.Namespace, console: Console) -> None:
    from core.workflow.evaluation import people_answers

    answered = is_given(arguments)
    without_run = not arguments.run and (answered or arguments.close)
    if without_run or answered != bool(arguments.question):
        raise UsageError.tr(
            "Use: answer RUN --question ID with --choice, --text or --unknown, answer RUN, or "
            "answer RUN --close."
        )  # fmt: skip
    ws = open_workspace(arguments, console)
    if not arguments.run:
        waiting = people_answers.sittings(ws)
        rows = [(one.run, one.split, one.done, one.total) for one in waiting]
        heads = (tr("run"), tr("split"), tr("answered"), tr("questions"))
        listed = {"runs": [asdict(one) for one in waiting]}
        console.emit(listed, columns(rows, heads) if rows else tr("Nothing waits for you."))
        return
    if arguments.close:
        summary = people_answers.close(ws, arguments.run)
        console.emit(summary, tr("Run {run} is closed.", run=arguments.run))
        return
    sitting = None
    if answered:
        sitting = people_answers.answer(
            ws, arguments.run, arguments.question, text=arguments.text, choice=arguments.choice,
            unknown=arguments.unknown,
        )  # fmt: skip
    question = None
    if sitting is None or sitting.done < sitting.total:
        question = people_answers.next_question(ws, arguments.run)
    document = {"question": asdict(question) if question else None}
    console.emit(document, _shown(question) if question else tr("You have answered everything."))


def _shown(question: "OpenQuestion") -> str:
    """A question for people: where one is, its words, and how to answer."""
    sitting = question.sitting
    far = tr("{done} of {total} answered.", done=sitting.done, total=sitting.total)
    lines = [far, question.prompt, ""]
    if question.choices:
        lines.append(tr("Choices: {choices}", choices=" · ".join(question.choices)))
    lines.append(
        tr("benchseal answer {run} --question {id} {how}", run=sitting.run, id=question.id,
           how="--choice …" if question.choices else "--text …")
    )  # fmt: skip
    return "\n".join(lines)


COMMANDS = (_add_answer,)
