"""``analyze``: rugged scores, stability, correlation, items, lengths, CIF-Bench and CoreEval."""

import argparse
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli.analysis import bank, exposure, public_scores
from core.cli.commands import (
    add_command,
    add_group,
    at_most,
    consenting,
    count,
    open_workspace,
    per_article,
    positive,
)
from core.cli.console import Console
from core.cli.options import (
    add_resamples,
    add_seed,
    add_sheet,
    add_tables,
    print_tables,
    table_text,
)
from core.errors import InputError, UsageError
from core.i18n import listed, tr

if TYPE_CHECKING:
    from core.evaluation.scoring import Report
    from core.report_table import ReportTable


_MOST_RESAMPLES = 100_000


def _add_analyze(commands: Any) -> None:
    text = tr("analyze scores: rugged scores, stability, items, contamination")
    kinds = add_group(commands, "analyze", text, tr("ANALYSIS"))
    for add in (
        _add_rs,
        public_scores.add_public,
        _add_stability,
        _add_correlate,
        _add_items,
        _add_lengths,
        _add_robustness,
        _add_calibration,
        exposure.add_overlap,
        exposure.add_exposure,
        bank.add_bank,
        _add_cif,
        _add_coreeval,
    ):
        add(kinds)


def _as_table(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    form = parser.add_mutually_exclusive_group()
    add_tables(form)
    return parser


def resamples(text: str) -> int:
    """A number of resamples, 0 for none, for argparse: so many that they fit into memory."""
    return at_most(count(text), _MOST_RESAMPLES)


def _emit(
    arguments: argparse.Namespace,
    console: Console,
    document: dict[str, Any],
    *tables: "ReportTable",
) -> None:
    if not print_tables(arguments, console, *tables):
        console.emit(document, "\n\n".join(table_text(table) for table in tables))


def _add_rs(kinds: Any) -> None:
    parser = _as_table(
        add_command(kinds, "rs", tr("rugged scores: public compared with private"), _rs)
    )
    parser.add_argument("--private", nargs="+", metavar="RUN", default=[],
                        help=tr("runs on private splits"))  # fmt: skip
    parser.add_argument("--public", nargs="+", metavar="SOURCE", default=[],
                        help=tr("runs, CSV files or lm_eval results; default: those stored in the "
                            "workspace"))  # fmt: skip
    parser.add_argument("--pairs", type=Path, metavar="FILE",
                        help=tr("file that maps each domain to public benchmarks"))  # fmt: skip
    parser.add_argument("--table", type=Path, metavar="FILE.csv",
                        help=tr("columns model, set, domain, accuracy"))  # fmt: skip
    add_sheet(parser)
    parser.add_argument("--without-expired", action="store_true",
                        help=tr("exclude the models' scores on expired splits"))  # fmt: skip
    add_resamples(parser, resamples)
    add_seed(parser, count)


def _rs(arguments: argparse.Namespace, console: Console) -> None:
    from core.analysis.benchmark_pairs import read_pairs
    from core.analysis.ranking_tables import rugged_table

    pairs = read_pairs(arguments.pairs)
    notes: tuple[str, ...] = ()
    if arguments.table is not None:
        if arguments.private or arguments.public:
            raise UsageError.tr("Give either --table, or --private and --public.")
        from core.analysis.accuracies import read_accuracies
        from core.analysis.rugged_notes import rugged_notes
        from core.analysis.rugged_table import RuggedOptions, rs_table

        options = RuggedOptions(pairs=pairs, seed=arguments.seed, resamples=arguments.resamples)
        table = read_accuracies(arguments.table, sheet=arguments.sheet)
        models = rs_table(table.rows, options, table.models)
        notes = (*table.notes, *rugged_notes(table.rows))
    else:
        if not arguments.private:
            raise UsageError.tr("Give --private RUN, or --table FILE.csv.")
        from core.workflow.analysis import analyze
        from core.workflow.evaluation import public_score_files

        ws = open_workspace(arguments, console)
        public_files, off = ([], []) if arguments.public else public_score_files.usable_files(ws)
        analysis = analyze.rugged(
            ws,
            arguments.private,
            arguments.public or public_files,
            pairs,
            seed=arguments.seed,
            resamples=arguments.resamples,
            expired=not arguments.without_expired,
        )
        models, notes = list(analysis.models), (*off, *analysis.notes)
    for note in notes:
        console.say(note)
    document = {"models": [row.as_json() for row in models], "notes": list(notes)}
    _emit(arguments, console, document, rugged_table(models))


def _add_stability(kinds: Any) -> None:
    parser = _as_table(
        add_command(
            kinds,
            "stability",
            tr("regenerate several times and measure how scores vary"),
            _stability,
        )
    )
    parser.add_argument("--sources", nargs="+", type=Path, required=True, metavar="PATH",
                        help=tr("articles: files or folders"))  # fmt: skip
    parser.add_argument("--seeds", type=positive, default=32, metavar="N",
                        help=tr("number of repetitions"))  # fmt: skip
    add_seed(parser, count, help=tr("first seed"))
    parser.add_argument("--engine", default="baseline:tfidf", metavar="E",
                        help=tr("see: benchseal engines"))  # fmt: skip
    parser.add_argument("--model", default="", metavar="M", help=tr("name or folder of the model"))
    parser.add_argument("--base-url", default="", metavar="U", help=tr("address of the server"))
    parser.add_argument(
        "--formats", default="s,c,p", metavar="s,c,p", help=tr("formats to generate")
    )
    parser.add_argument("--per-article", type=per_article, default=20, metavar="N",
                        help=tr("items of each format"))  # fmt: skip


def _stability(arguments: argparse.Namespace, console: Console) -> None:
    from core.analysis.ranking_tables import stability_table
    from core.evaluation.types import EngineParams
    from core.generation.spec import FORMAT_LETTERS, ScpSpec
    from core.workflow.analysis import analyze

    letters = [letter.strip().lower() for letter in arguments.formats.split(",") if letter.strip()]
    unknown = [letter for letter in letters if letter not in FORMAT_LETTERS]
    if unknown or not letters:
        raise UsageError.tr("--formats must be a list of s, c and p.")
    spec = ScpSpec.model_validate(
        {
            "formats": [FORMAT_LETTERS[letter] for letter in dict.fromkeys(letters)],
            "seed": arguments.seed,
            "per_article": arguments.per_article,
        }
    )
    params = EngineParams(
        engine=arguments.engine, model=arguments.model, base_url=arguments.base_url
    )
    with tempfile.TemporaryDirectory() as folder, consenting(console, arguments.base_url):
        analysis = analyze.stability_of(
            arguments.sources, spec, params, Path(folder), seeds=arguments.seeds
        )
    document = {
        "engine": arguments.engine,
        "model": arguments.model,
        "seeds": arguments.seeds,
        "formats": [row.as_json() for row in analysis],
    }
    _emit(arguments, console, document, stability_table(analysis))


def _add_correlate(kinds: Any) -> None:
    parser = _as_table(
        add_command(kinds, "correlate", tr("correlation with an external ranking"), _correlate)
    )
    parser.add_argument("runs", nargs="*", metavar="RUN", help=tr("default: all finished runs"))
    parser.add_argument("--with", dest="reference", type=Path, metavar="FILE",
                        help=tr("a table with the columns model and score or rank"))  # fmt: skip
    parser.add_argument("--scores", type=Path, metavar="FILE.csv",
                        help=tr("scores in a table: model and a column per format"))  # fmt: skip
    add_sheet(parser)
    add_seed(parser, count)
    add_resamples(parser, resamples)


def _correlate(arguments: argparse.Namespace, console: Console) -> None:
    from core.analysis.ranking_tables import correlation_rows
    from core.analysis.score_correlation import correlation_table, matched_or_refused, read_ranking

    scores, used, notes = _scores(arguments, console)
    if len(scores) < 2 and arguments.reference is None:
        raise UsageError.tr(
            "There is only one column of scores, so there is nothing to correlate it with. "
            "Give --with FILE."
        )
    reference, title = None, ""
    if arguments.reference is not None:
        models = list(dict.fromkeys(model for values in scores.values() for model in values))
        reference = matched_or_refused(
            models, read_ranking(arguments.reference, arguments.sheet), arguments.reference
        )
        title = arguments.reference.stem
        if left := [model for model in models if model not in reference]:
            notes.append(
                tr("Not in “{path}” and excluded there: {names}.",
                   path=arguments.reference, names=listed(left))
            )  # fmt: skip
    rows = correlation_table(
        scores, reference, title, seed=arguments.seed, resamples=arguments.resamples
    )
    for note in notes:
        console.say(note)
    document = {
        "correlations": [row.as_json() for row in rows],
        "matched": reference or {},
        "runs": used,
        "notes": notes,
    }
    _emit(arguments, console, document, correlation_rows(rows))


def _scores(
    arguments: argparse.Namespace, console: Console
) -> tuple[dict[str, dict[str, float]], list[str], list[str]]:
    """Scores by column and model, the runs that they are from, and what was noticed."""
    if arguments.scores is not None:
        from core.analysis.score_correlation import read_scores

        if arguments.runs:
            raise UsageError.tr("Give either runs or --scores FILE.csv.")
        return read_scores(arguments.scores, arguments.sheet), [], []
    from core.workflow.analysis import analyze

    ws = open_workspace(arguments, console)
    reports, notes = analyze.reports_of_one_split(ws, arguments.runs)
    table = analyze.scores_by_format(reports)
    used = [str(report.origin.get("run", "")) for report in reports]
    return {name or tr("all"): values for name, values in table.items()}, used, notes


def _add_items(kinds: Any) -> None:
    parser = _as_table(add_command(kinds, "items", tr("item analysis of a split"), _items))
    parser.add_argument("split", metavar="SPLIT", help=tr("name of the split"))


def _items(arguments: argparse.Namespace, console: Console) -> None:
    from core.analysis.ranking_tables import item_rows
    from core.workflow.analysis import analyze

    ws = open_workspace(arguments, console)
    analysis = analyze.items_of(ws, arguments.split)
    document = {"split": arguments.split, **analysis.as_json()}
    _emit(arguments, console, document, item_rows(analysis))


def _add_lengths(kinds: Any) -> None:
    parser = _as_table(
        add_command(kinds, "lengths", tr("lengths and domains of the items of a split"), _lengths)
    )
    parser.add_argument("split", metavar="SPLIT", help=tr("name of the split"))


def _lengths(arguments: argparse.Namespace, console: Console) -> None:
    from core.analysis.lengths import domain_counts, length_table
    from core.analysis.ranking_tables import lengths_table
    from core.workflow.splits import freeze

    ws = open_workspace(arguments, console)
    contents = [member.content for member in freeze.members_of(ws, arguments.split)]
    rows = length_table(contents)
    document = {
        "split": arguments.split,
        "lengths": [row.as_json() for row in rows],
        "domains": domain_counts(contents),
    }
    _emit(arguments, console, document, lengths_table(rows))


def _add_robustness(kinds: Any) -> None:
    text = tr("how far scores depend on instructions, templates and option orders")
    parser = _as_table(add_command(kinds, "robustness", text, _robustness))
    parser.add_argument("runs", nargs="+", metavar="RUN",
                        help=tr("runs with several ways of asking"))  # fmt: skip


def _name_of(report: "Report") -> str:
    return f"{report.model or report.engine} · {report.origin['run']}"


def _robustness(arguments: argparse.Namespace, console: Console) -> None:
    from core.evaluation.robustness import robustness, robustness_table
    from core.workflow.analysis import analyze

    ws = open_workspace(arguments, console)
    reports = analyze.reports_of(ws, list(dict.fromkeys(arguments.runs)))
    found = {_name_of(report): robustness(report) for report in reports}
    document = {"runs": {name: one.as_json() for name, one in found.items()}}
    _emit(arguments, console, document, robustness_table(found))


def _add_calibration(kinds: Any) -> None:
    text = tr("calibration of likelihoods: reliability, and scores by the length of options")
    parser = _as_table(add_command(kinds, "calibration", text, _calibration))
    parser.add_argument("runs", nargs="+", metavar="RUN",
                        help=tr("runs with --answer-by loglikelihood"))  # fmt: skip


def _calibration(arguments: argparse.Namespace, console: Console) -> None:
    from core.evaluation.report_parts.calibration import reliability_table
    from core.workflow.analysis import analyze

    ws = open_workspace(arguments, console)
    reports = analyze.reports_of(ws, list(dict.fromkeys(arguments.runs)))
    found = {
        _name_of(report): report.origin["calibration"]
        for report in reports
        if report.origin.get("calibration")
    }
    if not found:
        raise InputError.tr(
            "None of these runs has likelihoods; evaluate with --answer-by loglikelihood."
        )
    tables = [reliability_table(name, one) for name, one in found.items()]
    _emit(arguments, console, {"runs": found}, *tables)


def _add_cif(kinds: Any) -> None:
    parser = _as_table(add_command(kinds, "cif", tr("CIF-Bench analysis"), _cif))
    parser.add_argument("runs", nargs="*", metavar="RUN", help=tr("runs on the private part"))
    parser.add_argument("--public", nargs="+", metavar="RUN", default=[],
                        help=tr("runs on the public part"))  # fmt: skip
    parser.add_argument("--table", type=Path, metavar="FILE.csv",
                        help=tr("columns model, task, set, score"))  # fmt: skip
    parser.add_argument("--human", type=Path, metavar="FILE.csv",
                        help=tr("human ratings: item, faithful, preference"))  # fmt: skip
    add_sheet(parser)


def _cif(arguments: argparse.Namespace, console: Console) -> None:
    from core.analysis.cif import cif_analysis, read_task_scores
    from core.analysis.ranking_tables import cif_shift_table, cif_table

    if arguments.table is not None:
        scores = read_task_scores(arguments.table, arguments.sheet)
    elif arguments.runs or arguments.public:
        from core.workflow.analysis import cif_scores

        ws = open_workspace(arguments, console)
        scores = cif_scores.cif_scores(ws, arguments.runs, arguments.public)
    else:
        raise UsageError.tr("Give runs, or --table FILE.csv.")
    analysis = cif_analysis(scores)
    document: dict[str, Any] = {"models": [row.as_json() for row in analysis]}
    tables = [cif_table(analysis), cif_shift_table(analysis)]
    if arguments.human is not None:
        from core.analysis.human_ratings import (
            read_human_ratings,
            verification_table,
            verify_by_people,
        )

        people = verify_by_people(read_human_ratings(arguments.human, arguments.sheet), scores)
        document["human"] = [row.as_json() for row in people]
        tables.append(verification_table(people))
    _emit(arguments, console, document, *tables)


def _add_coreeval(kinds: Any) -> None:
    parser = _as_table(
        add_command(kinds, "coreeval", tr("zero-shot macro F1 and contamination"), _coreeval)
    )
    parser.add_argument("runs", nargs="+", metavar="RUN", help=tr("evaluations or simulations"))


def _coreeval(arguments: argparse.Namespace, console: Console) -> None:
    from core.analysis.contamination import deltas, spreads
    from core.analysis.ranking_tables import delta_table, spread_table, zero_shot_table
    from core.workflow.analysis import coreeval_scores

    ws = open_workspace(arguments, console)
    scores = coreeval_scores.coreeval(ws, arguments.runs)
    rows = deltas(scores.simulated)
    over = spreads(rows)
    document = {
        "zero_shot": [one.as_json() for one in scores.zero_shot],
        "deltas": [row.as_json() for row in rows],
        "spreads": [row.as_json() for row in over],
    }
    tables = []
    if scores.zero_shot:
        tables.append(
            zero_shot_table(
                (one.model, one.run, one.f1, one.intervals, one.caution) for one in scores.zero_shot
            )
        )
    if rows:
        tables += [delta_table(rows), spread_table(over)]
    _emit(arguments, console, document, *tables)


COMMANDS = (_add_analyze,)
