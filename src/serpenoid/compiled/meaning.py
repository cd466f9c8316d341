"""What compiled kernels are made of: a digest of the functions and constants that an entry reaches, and of nothing else.

Of every module that the entry imports, directly or not, count its constants, the constants of its classes, the fields of its descriptions, its compiled functions, and, where it
has some, what it imports of the package. Docstrings, methods and plain Python functions do not: they change no kernel.
"""

from __future__ import annotations

import ast
import hashlib
from pathlib import Path

_COMPILED = {"njit", "kernel", "exact", "literal", "intrinsic"}

_GROUPS = {"NamedTuple", "description"}


def _named(node: ast.expr) -> str:
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _inner(node: ast.stmt) -> bool:
    """Whether a statement imports something of the package."""
    return isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "serpenoid"


def _constant(node: ast.stmt) -> bool:
    """Whether a statement of a class sets a constant, by its name in capitals."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return any(isinstance(target, ast.Name) and target.id.isupper() for target in targets)


def _without_docstring(node: ast.FunctionDef) -> ast.FunctionDef:
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and len(node.body) > 1:
        del node.body[0]
    return node


def parts_of(tree: ast.Module) -> list[str]:
    """What of a module counts."""
    found = []
    kernels = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and any(_named(d) in _COMPILED for d in node.decorator_list)
    ]
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.For) or (kernels and _inner(node)):
            found.append(ast.dump(node))
        elif node in kernels:
            found.append(ast.dump(_without_docstring(node)))
        elif isinstance(node, ast.ClassDef):
            # of arrays, or of numbers at slots: the fields count
            group = any(_named(part) in _GROUPS for part in (*node.bases, *node.decorator_list))
            values = [
                ast.dump(item) for item in node.body if _constant(item) or (group and isinstance(item, ast.AnnAssign))
            ]
            found.append(f"{node.name}: {values}" if values else "")
    return [text for text in found if text]


def module_file(source: Path, name: str) -> Path | None:
    """File of a module by its name, None if there is none."""
    base = source.joinpath(*name.split("."))
    return next((f for f in (base.with_suffix(".py"), base / "__init__.py") if f.is_file()), None)


def texts_of(entries: list[Path], source: Path) -> dict[str, list[str]]:
    """What counts of every module that the entries import, by file; `source` is the folder of the package."""
    waiting, seen = list(entries), set(entries)
    texts = {}
    while waiting:
        file = waiting.pop()
        tree = ast.parse(file.read_text())
        texts[file.relative_to(source).as_posix()] = parts_of(tree)
        for node in filter(_inner, tree.body):
            assert isinstance(node, ast.ImportFrom)
            for name in (node.module, *(f"{node.module}.{alias.name}" for alias in node.names)):
                inner = module_file(source, str(name))
                if inner is not None and inner not in seen:
                    seen.add(inner)
                    waiting.append(inner)
    return texts


def digest(entries: list[Path], source: Path) -> str:
    """Digest of what the compiled functions of entries mean."""
    texts, made = texts_of(entries, source), hashlib.sha256()
    for name in sorted(texts):
        made.update("\0".join([name, *texts[name]]).encode())
    return made.hexdigest()
