"""Checks of a workstation: Python, display, fonts, input method, keyring."""

import json
import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata

from core.errors import OutsideError
from core.health import HealthCheck
from core.health.libraries import OFFSCREEN, WAYLAND, X11, missing
from core.i18n import listed, tr
from core.own_process import is_frozen, module_command, module_environment
from core.system_keyring import keyring_name

_PATIENCE_S = 30.0


@dataclass(frozen=True, slots=True)
class WindowProbe:
    """What a child process found when it started Qt; ``trouble`` says why it could not."""

    platform: str = ""
    chinese: bool = False
    input_methods: tuple[str, ...] = ()
    trouble: str = ""
    boxes: tuple[str, ...] = ()
    """Scripts that no installed font covers."""


def probe_window(display: bool) -> WindowProbe:
    """Start Qt in a child: on the display, or without one."""
    environment = module_environment()
    if not display:
        environment["QT_QPA_PLATFORM"] = "offscreen"
    try:
        done = subprocess.run(
            module_command("gui.window_probe"), env=environment, capture_output=True, text=True,
            timeout=_PATIENCE_S, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        return WindowProbe(trouble=str(error))
    if done.returncode != 0:
        return WindowProbe(trouble=_reason(done.stderr) or tr("it ended without a message"))
    found = json.loads(done.stdout)
    methods, boxes = tuple(found["input_methods"]), tuple(found["boxes"])
    return WindowProbe(found["platform"], found["chinese"], methods, boxes=boxes)


def _reason(said: str) -> str:
    """The first reason Qt gives; the lines after it are general advice."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    causes = [line.partition(": ")[2] for line in lines if line.startswith("qt.qpa.")]
    return next(iter([*causes, *lines[-1:]]), "")


def environment_check() -> HealthCheck:
    """The versions of Benchseal, Python and Qt, and a pair of them that is known to fail."""
    versions = {name: _version(name) for name in ("benchseal", "PySide6-Essentials")}
    says = tr(
        "Benchseal {version} on Python {python}, Qt {qt}, {system}.",
        version=versions["benchseal"] or tr("from its source"),
        python=platform.python_version(),
        qt=versions["PySide6-Essentials"] or tr("not installed"),
        system=platform.platform(terse=True),
    )
    title = tr("environment")
    qt = versions["PySide6-Essentials"]
    if qt.startswith("6.12.0") and sys.version_info[:2] == (3, 11):
        return HealthCheck(
            "environment", title, "stop", says,
            tr("This version of Qt crashes on Python 3.11: install PySide6-Essentials 6.11."),
        )  # fmt: skip
    if not qt and not is_frozen():
        return HealthCheck(
            "environment", title, "note", says,
            tr("Without PySide6-Essentials only commands work; install it for the window."),
        )  # fmt: skip
    return HealthCheck("environment", title, "good", says)


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def display_check(probe: WindowProbe, display: bool) -> HealthCheck:
    """Whether the window can be seen here."""
    title = tr("display")
    if probe.trouble:
        return HealthCheck(
            "display", title, "stop" if display else "note",
            tr("Qt cannot start: {reason}.", reason=probe.trouble.rstrip(".")), _remedy(),
        )  # fmt: skip
    if not display:
        return HealthCheck(
            "display", title, "note",
            tr("There is no display: DISPLAY and WAYLAND_DISPLAY are empty."),
            tr("Commands work. For the window, sign in at a desktop or use ssh -X."),
        )  # fmt: skip
    says = tr("Windows open with the Qt platform “{platform}”.", platform=probe.platform)
    return HealthCheck("display", title, "good", says)


def _remedy() -> str:
    """What to do if Qt cannot start: install libraries, unset a platform, or set a display."""
    chosen = os.environ.get("QT_QPA_PLATFORM", "")
    packages = missing(OFFSCREEN)
    if os.environ.get("DISPLAY") or chosen.startswith("xcb"):
        packages += missing(X11)
    if os.environ.get("WAYLAND_DISPLAY") or chosen.startswith("wayland"):
        packages += missing(WAYLAND)
    if packages:
        return tr("As root: apt-get install {packages}", packages=" ".join(packages))
    if chosen:
        return tr("QT_QPA_PLATFORM is “{name}”: leave it unset, so that Qt finds the display.",
                  name=chosen)  # fmt: skip
    return tr("Check whether DISPLAY or WAYLAND_DISPLAY names a display that you may use.")


def fonts_check(probe: WindowProbe) -> HealthCheck:
    """Whether Chinese is painted as Chinese, and which other scripts are not painted."""
    title = tr("fonts")
    if probe.trouble:
        return HealthCheck("fonts", title, "note", tr("Not tried: Qt cannot start."))
    if probe.chinese and probe.boxes:
        says = tr("Latin and Chinese are painted. Items in these scripts show as boxes: {scripts}.",
                  scripts=listed(_script_name(name) for name in probe.boxes))  # fmt: skip
        return HealthCheck("fonts", title, "good", says)
    if probe.chinese:
        return HealthCheck("fonts", title, "good", tr("Latin and Chinese are painted."))
    return HealthCheck(
        "fonts", title, "note", tr("No font has Chinese characters: all of them show as boxes."),
        tr("As root: apt-get install {packages}", packages="fonts-noto-cjk"),
    )  # fmt: skip


def _script_name(script: str) -> str:
    names = {
        "Arabic": tr("Arabic"), "Bengali": tr("Bengali"), "Cyrillic": tr("Cyrillic"),
        "Devanagari": tr("Devanagari (Hindi)"), "Hebrew": tr("Hebrew"),
        "Japanese": tr("Japanese"), "Korean": tr("Korean"), "Tamil": tr("Tamil"),
        "Thai": tr("Thai"),
    }  # fmt: skip
    return names.get(script, script)


def input_method_check(probe: WindowProbe, display: bool) -> HealthCheck:
    """Whether an input method such as pinyin reaches the window."""
    title = tr("input method")
    if not display or probe.trouble or sys.platform != "linux":
        return HealthCheck("input method", title, "note" if probe.trouble else "good",
                           tr("The system's own is used where there is a display."))  # fmt: skip
    wanted = os.environ.get("QT_IM_MODULE", "") or os.environ.get("XMODIFIERS", "").removeprefix(
        "@im="
    )
    if not wanted or wanted == "none":
        return HealthCheck(
            "input method", title, "note", tr("None is set: Chinese cannot be typed here."),
            tr("Install ibus or fcitx5, set QT_IM_MODULE=ibus and sign in again."),
        )  # fmt: skip
    if wanted.removesuffix("5") == "fcitx" and not any("fcitx" in n for n in probe.input_methods):
        return HealthCheck(
            "input method", title, "note",
            tr("QT_IM_MODULE is {name}, for which this Qt has no plug-in.", name=wanted),
            tr("Set QT_IM_MODULE=ibus for Benchseal: that works for fcitx5 as well."),
        )  # fmt: skip
    return HealthCheck("input method", title, "good", tr("{name} is set.", name=wanted))


def keyring_check() -> HealthCheck:
    """Whether keys of model servers and passwords can be kept."""
    title = tr("keyring")
    try:
        name = keyring_name()
    except OutsideError as error:
        return HealthCheck(
            "keyring", title, "stop", str(error),
            tr("Fix or remove what selects it: PYTHON_KEYRING_BACKEND or keyringrc.cfg."),
        )  # fmt: skip
    if not name:
        return HealthCheck(
            "keyring", title, "note", tr("There is no keyring that keeps keys and passwords."),
            tr("Put keys into variables of the environment, or install gnome-keyring or KWallet."),
        )  # fmt: skip
    return HealthCheck(
        "keyring", title, "good", tr("Keys and passwords are kept by {name}.", name=name)
    )
