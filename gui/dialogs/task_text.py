"""A task in sentences: where it stands, which protocol counts, what an edit does, its versions."""

from core.i18n import joined_clauses, listed, tr, trn
from core.workflow.labels import METRICS, TASK_PARTS, word
from core.workflow.production.task_view import TaskEdited, TaskView
from core.workflow.protocol_changes import ProtocolChange
from core.workflow.tasks import TaskChange
from gui import i18n, labels
from gui.labels import setting_title, setting_value


def facts_words(shown: TaskView) -> str:
    """Where the task stands, and what the catalogue knows of it."""
    info = shown.info
    family = labels.word(labels.FAMILIES, info.family)
    sentence = trn(
        "{benchmark} · {family} · round {round} · {kept} of 1 item",
        "{benchmark} · {family} · round {round} · {kept} of {n} items",
        info.protocol.target,
        benchmark=info.benchmark,
        family=family,
        round=info.round,
        kept=i18n.number(info.kept),
    )
    metric = str(info.profile.get("metric", ""))
    if not metric:
        return sentence
    ours = "metric" in info.profile.get("ours", ())
    metric = word(METRICS, metric)
    known = (
        tr("metric: {metric} (assumed)", metric=metric)
        if ours
        else tr("metric: {metric}", metric=metric)
    )
    return tr("{said} · {known}", said=sentence, known=known)


def protocol_words(shown: TaskView) -> str:
    """Which version counts, and what it changed."""
    now = shown.protocols[-1]
    if len(shown.protocols) == 1:
        return tr("Version {version} is current; it is the first.", version=now.version)
    before = shown.protocols[-2].settings.model_dump()
    return tr(
        "Version {version} is current since {when}, by {person}. Changed: {changes}.",
        version=now.version, when=_when(now.at), person=now.person or "–",
        changes=_changes(before, now.settings.model_dump()),
    )  # fmt: skip


def edit_words(edit: TaskEdited) -> str:
    """What saving does, before and after it is done."""
    if not edit.differs:
        return tr("No changes.")
    return "\n".join([*_texts_words(edit.task), *_protocol_words(edit.protocol)])


def _texts_words(change: TaskChange) -> list[str]:
    if not change.changed:
        return []
    sentence = trn(
        "Version {version} of the texts changes: {names}. The 1 existing item stays as it is.",
        "Version {version} of the texts changes: {names}. The {n} existing items stay as they are.",
        sum(change.affected.values()),
        version=change.version,
        names=listed(word(TASK_PARTS, name) for name in change.changed),
    )
    sentences = [sentence]
    if "rubric" in change.changed:
        sentences.append(tr("Existing ratings stay as they are."))
    if not change.outside:
        return sentences
    more = trn(
        "1 of them has a label that is no longer in the label space.",
        "{n} of them have a label that is no longer in the label space.",
        len(change.outside),
    )
    return [*sentences, more]


def _protocol_words(change: ProtocolChange) -> list[str]:
    if not change.changed:
        return []
    return [
        tr(
            "Version {version} of the protocol: {applied}; {kept}.",
            version=change.version,
            applied=trn(
                "applies at once to 1 waiting item",
                "applies at once to {n} waiting items",
                change.applied,
            ),
            kept=trn(
                "1 item under review finishes under the previous version",
                "{n} items under review finish under the previous version",
                change.kept,
            ),
        )
    ]


def version_lines(shown: TaskView) -> list[tuple[str, str, str, str]]:
    """Versions of the texts, then of the protocol, newest first."""
    lines = []
    for entry in reversed(shown.versions):
        what = listed(word(TASK_PARTS, name) for name in entry.changed) or tr("first version")
        title = tr("texts, version {version}", version=entry.version)
        lines.append((_when(entry.at), entry.person, title, what))
    for place in range(len(shown.protocols) - 1, -1, -1):
        protocol = shown.protocols[place]
        before = shown.protocols[place - 1].settings.model_dump() if place else {}
        what = _changes(before, protocol.settings.model_dump()) if place else tr("first version")
        title = tr("protocol, version {version}", version=protocol.version)
        lines.append((_when(protocol.at), protocol.person, title, what))
    return lines


def _changes(before: dict[str, object], after: dict[str, object]) -> str:
    changes = [
        tr("{name} {before} → {after}", name=setting_title(name),
           before=setting_value(name, before[name]), after=setting_value(name, value))
        for name, value in after.items()
        if before.get(name) != value
    ]  # fmt: skip
    return joined_clauses(changes) or tr("nothing")


def _when(at: str) -> str:
    return i18n.stamp(at) or "–"
