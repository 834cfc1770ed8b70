"""A workspace in the middle of the three stages: writing, disputes, a lot, ratings to give."""

from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt

from core.families import family
from core.workflow import people, tasks
from core.workflow.audit import lots
from core.workflow.check import rate, review
from core.workflow.production import write
from core.workflow.workspace import Workspace
from gui.panels.write.panel import WritePanel
from tests.gui.scene import BENCHMARK, CTRL, LEAD, SECOND, THIRD, Scene, press, type_text

FOURTH = "赵敏"
TITLES, MOODS, REWRITES = "文章标题", "情感分类", "emotion-updated"
LABELS = ("正面", "负面", "中性")


def triplet(text: str, **more: Any) -> dict[str, Any]:
    """A sound item of the task of titles."""
    return {
        "instruction": "阅读下面的文章，用一句话写出它的标题。",
        "input": f"文章：{text}，作者回忆了童年时和祖父一起在河边钓鱼的下午，“慢慢来，不着急”。",
        "output": f"{text}与河边的下午",
        "language": "zh",
        **more,
    }


def mood(text: str, label: str) -> dict[str, Any]:
    """A sound item of the task of moods."""
    return {
        "instruction": "判断这条评论的情感。",
        "input": text,
        "output": label,
        "label": label,
        "labels": list(LABELS),
        "language": "zh",
    }


def make_people(ws: Workspace) -> None:
    """One of every role."""
    roles = ((LEAD, "lead"), (SECOND, "specialist"), (THIRD, "annotator"), (FOURTH, "researcher"))
    for name, role in roles:
        people.ensure_person(ws, name, role)


def add_tasks(ws: Workspace) -> None:
    """Two tasks that are written by hand, and one of rewrites that is rated."""
    tasks.add(
        ws, TITLES, "instruction", benchmark=BENCHMARK, format="triplet",
        protocol={"gate": "off", "audit_sample": "3"},
        profile={
            "instruction": "阅读下面的文章，用一句话写出它的标题。",
            "guideline": "标题不超过二十个字，不要照抄原文；用词自然，“引号”用全角。",
        },
    )  # fmt: skip
    tasks.add(
        ws, MOODS, "instruction", benchmark=BENCHMARK, format="triplet",
        protocol={"gate": "off", "overlap": "2"}, profile={"labels": list(LABELS)},
    )  # fmt: skip
    tasks.add(
        ws, REWRITES, "rewrite", benchmark=BENCHMARK, format="updated",
        protocol={"rating_sample": "5", "raters": "2"},
    )  # fmt: skip


def make_stages(place: Path) -> Path:
    """Everything at once: drafts, a returned item, disputes, accepted items, drawn rewrites."""
    ws = Workspace.create(place)
    make_people(ws)
    add_tasks(ws)
    for number in range(8):
        done = write.submit(ws, THIRD, TITLES, triplet(f"第{number + 1}封信"))
        if number < 6:
            review.decide(ws, SECOND, done.number, "accept")
    back = write.submit(ws, THIRD, TITLES, triplet("很长的标题"))
    note = "标题太长，也没有概括文章。请改短，并换掉“下午”。"
    review.decide(ws, SECOND, back.number, "return", note=note)
    write.submit(ws, THIRD, TITLES, {"text": "请给下文起一个标题。", "instruction_id": "2"},
                 format="instruction")  # fmt: skip
    write.save_draft(ws, THIRD, TITLES, triplet("雨天"))
    _moods(ws)
    sample = family("rewrite").sample("updated").payload
    for number in range(6):
        write.submit(ws, LEAD, REWRITES, {**sample, "base": f"emotion-{number:04d}"},
                     format="updated")  # fmt: skip
    rate.draw(ws, REWRITES, LEAD, seed=3)
    ws.close()
    return place


def _moods(ws: Workspace) -> None:
    for number, label in enumerate(("正面", "正面", "负面", "正面")):
        text = f"第{number + 1}次来这家店，服务{'很好' if label == '正面' else '很慢'}，菜也一般。"
        done = write.submit(ws, THIRD, MOODS, mood(text, label))
        review.decide(ws, SECOND, done.number, "accept")
        if number % 2:
            review.decide(ws, FOURTH, done.number, "reject", reason="ambiguous",
                          note="“一般”是中性，不是正面。")  # fmt: skip
        else:
            review.decide(ws, FOURTH, done.number, "accept")


def start_audit(place: Path, failing: bool = False) -> None:
    """A lot of titles, audited to its end by the researcher when it fails."""
    ws = Workspace.open(place)
    for drawn in lots.start(ws, TITLES, FOURTH, seed=5).lots[-1].drawn:
        if failing:
            lots.decide(ws, FOURTH, drawn.number, "reject", reason="标题与文章无关。")
            break
    ws.close()


def states(place: Path, task: str) -> dict[str, int]:
    """How many items of a task are in which state, read from the disk."""
    ws = Workspace.open(place)
    try:
        return {name: n for name, n in tasks.show(ws, task, BENCHMARK).states.items() if n}
    finally:
        ws.close()


def writing(scene: Scene, place: Path, person: str = THIRD) -> WritePanel:
    """The panel in which a person writes, in front."""
    panel = scene.at(scene.open(place, person), "write")
    assert isinstance(panel, WritePanel)
    return panel


def fill_by_keys(panel: WritePanel, **fields: str) -> None:
    """Go into the form and write the fields in their order, Tab between them."""
    press(panel, Qt.Key.Key_F)
    for path, text in fields.items():
        widget = panel.form.field(path)
        while panel.window().focusWidget() is not widget:
            press(panel, Qt.Key.Key_Tab)
        press(panel, Qt.Key.Key_A, CTRL)
        type_text(panel, text)
