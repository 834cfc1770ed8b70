"""``run.py`` of a locked export: runs a harness so that no item lands in its logs.

The harness keeps its samples in memory; they leave it locked under the export's own key, and
``benchseal import-results`` reads them. What is written in the clear are figures alone.
"""

import json

from core.i18n import tr
from core.release.export_lock import ExportLock
from core.release.locked_export import KEY_VARIABLE

RUNNER = "run.py"

_BEGIN = '''\
"""Runs the tasks of this locked export. CANARY"""

import argparse
import json
import os
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
LOCK = json.loads(LOCK_TEXT)


def write_results(out, harness, model, rows, figures, seal, key):
    """Samples, locked, and figures, both under one name; returns their paths."""
    out.mkdir(parents=True, exist_ok=True)
    stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
    samples, results = out / f"samples_{stamp}.jsonl.locked", out / f"results_{stamp}.json"
    head = {**LOCK, "file": samples.name, "harness": harness, "model": model}
    with open(os.open(samples, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as handle:
        handle.writelines(seal(rows, key, head))
    said = {"canary": LOCK["canary"], "model_name": model, **figures}
    results.write_text(json.dumps(said, indent=1, default=str) + "\\n", encoding="utf-8")
    print(samples, results, sep="\\n")
'''

LM_EVAL_RUNNER = (
    _BEGIN
    + """

def main():
    parser = argparse.ArgumentParser(description="lm-evaluation-harness over a locked export")
    parser.add_argument("--model", required=True)
    parser.add_argument("--model_args", default="")
    parser.add_argument("--tasks", default=NAME)
    parser.add_argument("--batch_size", default=None)
    parser.add_argument("--limit", type=int, default=None)
    parser.add_argument("--gen_kwargs", default=None)
    parser.add_argument("--apply_chat_template", action="store_true")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()

    sys.path.insert(0, str(HERE))
    import benchseal_rows

    key = benchseal_rows.export_key()
    sys._benchseal_guarded = True
    import lm_eval
    from lm_eval.tasks import TaskManager

    found = lm_eval.simple_evaluate(
        model=options.model,
        model_args=options.model_args,
        tasks=options.tasks.split(","),
        task_manager=TaskManager(include_path=str(HERE), include_defaults=False),
        batch_size=options.batch_size,
        limit=options.limit,
        gen_kwargs=options.gen_kwargs,
        apply_chat_template=options.apply_chat_template,
        log_samples=True,
    )
    samples = [{**row, "task": name} for name, rows in found["samples"].items() for row in rows]
    told = ("results", "groups", "n-samples", "versions", "higher_is_better")
    figures = {name: found[name] for name in told if name in found}
    model = dict(part.split("=", 1) for part in options.model_args.split(",") if "=" in part)
    named = model.get("model") or model.get("pretrained") or options.model
    plain = (json.loads(json.dumps(row, default=str)) for row in samples)
    write_results(
        options.out, "lm_eval", named, plain, figures, benchseal_rows.locked_lines, key
    )


if __name__ == "__main__":
    main()
"""
)

INSPECT_RUNNER = (
    _BEGIN
    + """

def main():
    parser = argparse.ArgumentParser(description="Inspect over a locked export")
    parser.add_argument("--model", required=True)
    parser.add_argument("--model_base_url", default=None)
    parser.add_argument("-M", dest="model_args", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--limit", type=int, default=None)
    parser.add_argument("--max_connections", type=int, default=None)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()

    sys.path.insert(0, str(HERE))
    import tasks

    key = tasks.export_key()
    sys._benchseal_guarded = True
    import inspect_ai

    more = {"max_connections": options.max_connections} if options.max_connections else {}
    logs = inspect_ai.eval(
        [getattr(tasks, name)() for name in TASKS],
        model=options.model,
        model_base_url=options.model_base_url,
        model_args=dict(part.split("=", 1) for part in options.model_args),
        limit=options.limit,
        display="none",
        log_dir="memory://benchseal",
        log_format="json",
        log_realtime=False,
        log_samples=True,
        log_model_api=False,
        **more,
    )
    failed = [log.eval.task for log in logs if log.status != "success"]
    rows = (sample.model_dump(mode="json") for log in logs for sample in log.samples or ())
    figures = {
        "status": {log.eval.task: log.status for log in logs},
        "results": {
            log.eval.task: log.results.model_dump(mode="json") for log in logs if log.results
        },
    }
    write_results(
        options.out, "inspect", options.model, rows, figures, tasks.locked_lines, key
    )
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
"""
)


def runner(text: str, name: str, lock: ExportLock, tasks: tuple[str, ...] = ()) -> str:
    """The text of ``run.py`` for an export; every text in it is a Python literal."""
    return (
        text.replace("LOCK_TEXT", repr(json.dumps(lock.head)))
        .replace("CANARY", lock.canary)
        .replace("default=NAME", f"default={name!r}")
        .replace("in TASKS", f"in {tasks!r}")
    )


def locked_readme(title: str, harness: str, command: str, tasks: str, lock: ExportLock) -> str:
    """The README of a locked export."""
    lines = [
        f"# {title}",
        lock.canary,
        tr(
            "Items of a private split for {harness}, locked. Each row of the data files is "
            "encrypted (AES-256-GCM); `run.py` decrypts them in memory with the key of this "
            "export, and needs the package `cryptography` beside the harness.",
            harness=harness,
        ),
        tr("Give the key in the environment, or as the first line of the standard input:"),
        f"    {KEY_VARIABLE}=… {command}",
        tr(
            "It writes the samples locked under the same key, and figures in the clear. Read them "
            "in the workspace: benchseal import-results DIR --split NAME. The harness's own "
            "program refuses the data, because its logs would contain the items in plain text."
        ),
        tasks,
    ]  # fmt: skip
    return "\n\n".join(lines) + "\n"
