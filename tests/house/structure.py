"""What a newcomer would stumble over in the arrangement of the source, list by list.

Every function gives one list, of sentences, which is empty in a tidy house. ``LISTS`` holds them
by title; ``python -m tests.house`` prints them.
"""

import ast
import re
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

import grimp
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.house.source import PRODUCT, ROOT, name_of, python_files, tree_of

MOST_MODULES = 25
LONGEST_FILE = 600
LONGEST_FUNCTION = 80

SHARED_MODULE_NAMES = {
    "base": "what each of the parts beside it is: their interface",
    "form": "the fields that people fill in",
    "json_lines": "JSON lines: the text of them, and the export format of that name",
    "model": "the Qt model behind the list of a panel",
    "panel": "the panel itself",
    "params": "what a run of that kind is told, with types",
    "people": "those who work in a workspace: who they are, and how they do",
    "run": "the worker of a run kind",
    "types": "the values that the modules of the package pass to one another",
}
"""Module names that stand in several packages of a layer, and the one meaning of each."""

NAMED_PACKAGES = (
    "krippendorff", "openai", "pandas", "PySide6", "sqlmodel", "statsmodels", "vllm",
)  # fmt: skip

# the distribution's name where it is not the module's
MODULES_OF = {
    "beautifulsoup4": "bs4",
    "google-cloud-bigquery": "google",
    "markdown-it-py": "markdown_it",
    "nvidia-ml-py": "pynvml",
    "pypandoc-binary": "pypandoc",
    "pyside6-essentials": "PySide6",
    "pyyaml": "yaml",
    "scikit-learn": "sklearn",
}
# never imported by name: what uses them finds them by themselves
LOADED_BY_OTHERS = {
    "accelerate": "transformers loads it to place a model",
    "openpyxl": "pandas loads it to read and write workbooks",
    "psycopg": "SQLAlchemy loads it by the address of a database",
    "s3fs": "fsspec loads it by the address of a storage",
}
# imported without being declared
COMING_ALONG = {
    "bleurt": "installed by hand by those who want this metric; no index has it",
    "pydantic_core": "comes with pydantic",
    "shiboken6": "comes with PySide6-Essentials",
    "typing_extensions": "comes with pydantic",
}


# --- names -----------------------------------------------------------------------------------


def classes_defined_twice() -> list[str]:
    """Public classes of core, db and gui that share their name."""
    places = defaultdict(list)
    for path in python_files("core", "db", "gui"):
        for node in tree_of(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(name_of(path))
    return [f"{name}: {', '.join(at)}" for name, at in sorted(places.items()) if len(at) > 1]


def exported_twice() -> list[str]:
    """Names that two packages export."""
    places = defaultdict(list)
    for path in python_files(*PRODUCT):
        if path.name == "__init__.py":
            for name in _exported(tree_of(path)):
                places[name].append(name_of(path.parent))
    return [f"{name}: {', '.join(at)}" for name, at in sorted(places.items()) if len(at) > 1]


def _exported(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            yield from ast.literal_eval(node.value)


def modules_of_one_name() -> list[str]:
    """Modules of one layer with equal names, but for those that mean the same everywhere."""
    places = defaultdict(list)
    for path in python_files(*PRODUCT):
        if not path.stem.startswith("__"):
            places[_layer(path), path.stem].append(name_of(path))
    return [
        f"{name}: {', '.join(at)}"
        for (_, name), at in sorted(places.items())
        if len(at) > 1 and name not in SHARED_MODULE_NAMES
    ]


def shared_names_without_need() -> list[str]:
    """Entries of ``SHARED_MODULE_NAMES`` that no two modules share any more."""
    counts = Counter((_layer(path), path.stem) for path in python_files(*PRODUCT))
    shared = {name for (_, name), count in counts.items() if count > 1}
    return sorted(set(SHARED_MODULE_NAMES) - shared)


def _layer(path: Path) -> str:
    parts = path.relative_to(ROOT).parts
    return "/".join(parts[:2]) if parts[:2] == ("core", "cli") else parts[0]


# --- dependencies ----------------------------------------------------------------------------


def _declared() -> dict[str, str]:
    """The modules that declared dependencies give, each with the name of its distribution."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [*project["dependencies"]]
    for extra in project.get("optional-dependencies", {}).values():
        lines += extra
    names = [canonicalize_name(Requirement(line).name) for line in lines]
    return {MODULES_OF.get(name, name.replace("-", "_")): name for name in names}


@cache
def _imported() -> Mapping[str, list[str]]:
    """By top-level module from outside, the product modules that import it."""
    places = defaultdict(list)
    for path in python_files(*PRODUCT):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module]
            else:
                names = _imported_by_name(node)
            for name in names:
                places[name.partition(".")[0]].append(name_of(path))
    return places


def _imported_by_name(node: ast.AST) -> list[str]:
    if not isinstance(node, ast.Call) or not node.args:
        return []
    called = ast.unparse(node.func).rpartition(".")[2]
    first = node.args[0]
    if called != "import_module" or not isinstance(first, ast.Constant):
        return []
    return [str(first.value)]


def dependencies_without_importer() -> list[str]:
    """Declared dependencies that no product module imports."""
    return [
        f"{distribution}: no product module imports {module}"
        for module, distribution in sorted(_declared().items())
        if module not in _imported() and distribution not in LOADED_BY_OTHERS
    ]


def imports_without_declaration() -> list[str]:
    """Packages from outside that are imported and not declared."""
    known = {*_declared(), *PRODUCT, *sys.stdlib_module_names, *COMING_ALONG}
    return [
        f"{module}: {places[0]} imports it, pyproject.toml does not declare it"
        for module, places in sorted(_imported().items())
        if module not in known
    ]


def named_packages_out_of_work() -> list[str]:
    """Packages that this project stands on and no product module imports."""
    return [name for name in NAMED_PACKAGES if name not in _imported()]


# --- sizes -----------------------------------------------------------------------------------


def crowded_folders() -> list[str]:
    """Folders with more modules side by side than anybody looks through."""
    counts = Counter(path.parent for path in python_files())
    return [
        f"{name_of(folder)}: {count} modules"
        for folder, count in sorted(counts.items())
        if count > MOST_MODULES
    ]


def long_files() -> list[str]:
    return [
        f"{name_of(path)}: {lines} lines"
        for path in python_files()
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > LONGEST_FILE
    ]


def long_functions() -> list[str]:
    """Functions over two screens. Migrations are lists of columns and are read as such."""
    return [
        f"{name_of(path)}: {node.name} has {lines} lines"
        for path in python_files()
        if "versions" not in path.parts
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := (node.end_lineno or node.lineno) - node.lineno + 1) > LONGEST_FUNCTION
    ]


# --- imports ---------------------------------------------------------------------------------


@cache
def graph() -> grimp.ImportGraph:
    """Every import between modules of the product, those inside functions counted."""
    return grimp.build_graph(*PRODUCT, cache_dir=str(ROOT / ".cache" / "grimp"))


def arrows(room: str) -> dict[str, set[str]]:
    """Which parts of a package import which others; with an empty name, of the whole."""
    found: dict[str, set[str]] = defaultdict(set)
    for module in graph().modules:
        importer = _part(module, room)
        for other in graph().find_modules_directly_imported_by(module):
            imported = _part(other, room)
            if importer and imported and importer != imported:
                found[importer].add(imported)
    return found


def _part(module: str, room: str) -> str:
    """The part of the room in which a module is; empty for the room itself and what is outside."""
    if not room:
        return module.partition(".")[0]
    inside = module.startswith(f"{room}.")
    return ".".join(module.split(".")[: room.count(".") + 2]) if inside else ""


def circles_of(following: Mapping[str, set[str]]) -> list[list[str]]:
    """Parts that reach each other: the strongly connected components of more than one."""
    reached = {start: _reachable(start, following) for start in following}
    circles = {
        tuple(sorted({start} | {o for o in goals if start in reached.get(o, ())}))
        for start, goals in reached.items()
        if start in goals
    }
    return sorted(map(list, circles))


def _reachable(start: str, following: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        fresh = following.get(waiting.pop(), set()) - found
        found |= fresh
        waiting += fresh
    return found


def rooms() -> list[str]:
    """The packages of the product that have parts, the whole first."""
    packages = {module.rpartition(".")[0] for module in graph().modules}
    return sorted(packages)


def circles() -> list[str]:
    """Circles of single modules, and of the parts of every package."""
    modules = {m: set(graph().find_modules_directly_imported_by(m)) for m in graph().modules}
    found = [f"modules: {', '.join(circle)}" for circle in circles_of(modules)]
    for room in rooms():
        found += [
            f"parts of {room or 'the whole'}: {', '.join(circle)}"
            for circle in circles_of(arrows(room))
        ]
    return found


def imports_back_up() -> list[str]:
    """Imports against the layers that ``pyproject.toml`` gives the whole and its rooms."""
    document = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    found = []
    for contract in document["tool"]["importlinter"]["contracts"]:
        if contract["type"] != "layers":
            continue
        place = {
            f"{container}.{name.strip()}".strip("."): floor
            for container in contract.get("containers") or ("",)
            for floor, line in enumerate(contract["layers"])
            for name in re.split(r"[|:]", line)
        }
        for module in sorted(graph().modules):
            for other in sorted(graph().find_modules_directly_imported_by(module)):
                upper, lower = _floor(module, place), _floor(other, place)
                if upper is not None and lower is not None and upper > lower:
                    found.append(f"{module} imports {other}, which stands above it")
    return found


def _floor(module: str, place: Mapping[str, int]) -> int | None:
    parts = module.split(".")
    for end in range(len(parts), 0, -1):
        if (name := ".".join(parts[:end])) in place:
            return place[name]
    return None


# --- code in strings -------------------------------------------------------------------------

_IMPORT = re.compile(
    r"^[ \t]*(?:from ((?:core|db|gui|resources|tests)[\w.]*) import ([\w, ]+)"
    r"|import ((?:core|db|gui|resources|tests)[\w., ]*))",
    re.M,
)


def imports_in_strings() -> list[str]:
    """Imports in the code that tests run as text, of what is not there."""
    return [
        f"{name_of(path)}:{node.lineno}: {wrong}"
        for path in python_files("tests", "packaging")
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for wrong in unresolved(re.sub(r"; *", "\n", node.value))
    ]


def unresolved(code: str) -> Iterator[str]:
    for match in _IMPORT.finditer(code):
        for module in (match[3] or "").replace(" ", "").split(","):
            if module and not _module_at(module):
                yield f"no module {module}"
        if not match[1]:
            continue
        for name in match[2].split(","):
            wanted = name.split(" as ")[0].strip()
            if wanted and not _holds(match[1], wanted):
                yield f"no {wanted} in {match[1]}"


def _module_at(module: str) -> Path | None:
    base = ROOT.joinpath(*module.split("."))
    return next((p for p in (base.with_suffix(".py"), base / "__init__.py") if p.is_file()), None)


def _holds(module: str, name: str) -> bool:
    path = _module_at(module)
    if _module_at(f"{module}.{name}"):
        return True
    return path is not None and name in set(_bound(tree_of(path).body))


def _bound(body: list[ast.stmt]) -> Iterator[str]:
    """The names that statements at the top of a module bind."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.If | ast.Try | ast.With):
            yield from _bound(node.body)
        else:
            yield from (
                part.id
                for part in ast.walk(node)
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
            )


LISTS: dict[str, Callable[[], list[str]]] = {
    "public classes defined twice": classes_defined_twice,
    "names that two packages export": exported_twice,
    "modules of one name with several meanings": modules_of_one_name,
    "shared module names that nobody shares": shared_names_without_need,
    "dependencies that no product module imports": dependencies_without_importer,
    "imports that are not declared": imports_without_declaration,
    "named packages out of work": named_packages_out_of_work,
    "folders with too many modules": crowded_folders,
    "files that are too long": long_files,
    "functions that are too long": long_functions,
    "import circles": circles,
    "imports that run back up": imports_back_up,
    "imports in strings that lead nowhere": imports_in_strings,
}
