"""What no product module uses: then only tests do, or nobody. As ``structure``, list by list."""

import ast
import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from tests.house.source import PRODUCT, ROOT, python_files, tree_of

Name = tuple[str, str]
"""A module and what it defines."""

USED_ELSEWHERE = {
    "core.cli.usage SENTENCES": "marks the sentences of argparse for translation",
    **{
        f"core.families.{family} {name}": "defects that the contract of families plants"
        for family in ("base", "instruction", "rewrite", "scp")
        for name in ("planted", "planted_sets")
    },
    "core.generation.plain_prose.judge REASONS": "its contract: each has words",
    **{
        f"core.workflow.dashboards.{name} dashboard": "the registry imports the module by its name"
        for name in ("audit", "gate", "people", "progress")
    },
    "core.workflow.verify.stored_files UNBOUND": "tells readers which files no digest binds",
}
"""Names that no product module uses, each with who does."""

_BASES_OF_PYTHON = frozenset({"ABC", "Generic", "NamedTuple", "Protocol", "StrEnum"})
ASKED_OF_ANY_MODULE = frozenset({"COMMANDS", "TITLE", "__all__", "__getattr__"})
"""Names that are read of modules without naming these: by the command line, and by Python."""


def module_of(path: Path) -> str:
    """The dotted name of a module."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def _modules() -> Mapping[str, Path]:
    return {module_of(path): path for path in python_files(*PRODUCT)}


Nodes = Sequence[ast.AST]


def _imports(nodes: Nodes) -> tuple[dict[str, str], dict[str, Name]]:
    """The modules of ours that a module knows by a name, and what it has from others."""
    modules: dict[str, str] = {}
    names: dict[str, Name] = {}
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                known = alias.asname or alias.name
                if (module := f"{node.module}.{alias.name}") in _modules():
                    modules[known] = module
                else:
                    names[known] = (node.module, alias.name)
    return modules, names


@cache
def _uses() -> tuple[frozenset[Name], frozenset[str], frozenset[str]]:
    """Names that modules use, modules that are passed on whole or named in a text, and every word
    that is asked of something or stands as a text."""
    used: set[Name] = set()
    whole: set[str] = set()
    words: set[str] = set()
    handed_on: dict[Name, Name] = {}
    for path in python_files(*PRODUCT, "packaging"):
        module = module_of(path)
        statements = [(statement, list(ast.walk(statement))) for statement in tree_of(path).body]
        modules, names = _imports([node for _, nodes in statements for node in nodes])
        handed_on |= {(module, known): origin for known, origin in names.items()}
        for statement, nodes in statements:
            own = getattr(statement, "name", "")
            asked = [
                node
                for node in nodes
                if isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id in modules
            ]
            used |= {(modules[ast.unparse(node.value)], node.attr) for node in asked}
            for known in _read_by(nodes, {node.value for node in asked}):
                if known in names:
                    used.add(names[known])
                elif known in modules:
                    whole.add(modules[known])
                elif known != own:
                    used.add((module, known))
            words |= _words_of(nodes)
    for word in words:
        place, colon, name = word.partition(":")
        if place in _modules():
            used.add((place, name)) if colon else whole.add(place)
    for name in list(used):
        while name in handed_on:
            name = handed_on[name]
            used.add(name)
    return frozenset(used), frozenset(whole), frozenset(words)


def _read_by(nodes: Nodes, without: Container[ast.AST]) -> Iterator[str]:
    """The names that are read, those of annotations in quotes too."""
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node not in without:
            yield node.id
        for field in ("annotation", "returns"):
            quoted = getattr(node, field, None)
            for part in ast.walk(quoted) if quoted else ():
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield from re.findall(r"[A-Za-z_]\w*", part.value)


def _words_of(nodes: Nodes) -> set[str]:
    """Attributes and texts."""
    asked = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    constants = (node.value for node in nodes if isinstance(node, ast.Constant))
    return asked | {value for value in constants if isinstance(value, str)}


def defined_names(tree: ast.Module) -> Iterator[str]:
    """What a module defines by itself; tables of the database count as used by their columns."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name
        elif isinstance(node, ast.ClassDef):
            if not any(keyword.arg == "table" for keyword in node.keywords):
                yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                yield from (p.id for p in ast.walk(target) if isinstance(p, ast.Name))


@cache
def _unused() -> frozenset[str]:
    used, whole, _ = _uses()
    found = {
        f"{module} {name}"
        for module, path in _modules().items()
        if module not in whole and "versions" not in path.parts
        for name in defined_names(tree_of(path))
        if (module, name) not in used and name not in ASKED_OF_ANY_MODULE
    }
    return frozenset(found | set(_unused_methods()))


def _unused_methods() -> Iterator[str]:
    """Methods whose names no product module mentions, of classes without a base from outside."""
    *_, words = _uses()
    classes = {
        node.name: (module, node)
        for module, path in _modules().items()
        for node in tree_of(path).body
        if isinstance(node, ast.ClassDef)
    }

    def is_ours(node: ast.ClassDef) -> bool:
        bases = [ast.unparse(base).rpartition(".")[2].partition("[")[0] for base in node.bases]
        return all(
            base in _BASES_OF_PYTHON or (base in classes and is_ours(classes[base][1]))
            for base in bases
        )

    for module, node in classes.values():
        for method in node.body if is_ours(node) else ():
            if (
                isinstance(method, ast.FunctionDef)
                and method.name not in words
                and not method.name.startswith("__")
                and "override" not in map(ast.unparse, method.decorator_list)
            ):
                yield f"{module} {method.name}"


def unused_names() -> list[str]:
    """Functions, classes, methods and constants that no product module uses."""
    return sorted(set(_unused()) - set(USED_ELSEWHERE))


def table_of_names_without_need() -> list[str]:
    """Entries of ``USED_ELSEWHERE`` that the product uses, or that are gone."""
    return sorted(set(USED_ELSEWHERE) - set(_unused()))


LISTS: dict[str, Callable[[], list[str]]] = {
    "names that no product module uses": unused_names,
    "names that need no exception any more": table_of_names_without_need,
}
