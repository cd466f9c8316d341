"""Numbers of the house: `python tests/house.py` prints them, `tests/contracts/test_house.py` keeps them."""

from __future__ import annotations

import ast
import collections
import json
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parents[1] / "src" / "serpenoid"
DECORATORS = {"njit", "kernel", "exact", "literal"}
KERNEL_ROOMS = ("planar", "spatial", "contact", "gaits", "judgement")  # where rows and columns of arrays are named
ROTATIONS = (
    "quaternion",
    "rotation_matrix",
    "rotation_about",
    "axis_angle",
    "skew",
    "hat",
    "rodrigues",
    "so3",
    "se3",
    "adjoint",
)


def trees() -> dict[Path, ast.Module]:
    """Syntax trees of all modules, by path below the package."""
    return {path.relative_to(PACKAGE): ast.parse(path.read_text()) for path in sorted(PACKAGE.rglob("*.py"))}


def _is_kernel(node: ast.FunctionDef) -> bool:
    names = {d.id if isinstance(d, ast.Name) else getattr(d, "attr", "") for d in node.decorator_list}
    return bool(names & DECORATORS)


def _whole_numbers(tree: ast.Module) -> set[str]:
    """Upper-case names of a module that stand for whole numbers."""
    found: set[str] = set()
    for node in tree.body:
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            continue
        target, value = node.targets[0], node.value
        names = [e.id for e in (target.elts if isinstance(target, ast.Tuple) else [target]) if isinstance(e, ast.Name)]
        values = value.elts if isinstance(value, ast.Tuple) else [value]
        whole = all(isinstance(e, ast.Constant) and type(e.value) is int for e in values)
        ranged = isinstance(value, ast.Call) and getattr(value.func, "id", "") == "range"
        if whole or ranged:
            found |= {name for name in names if name.lstrip("_").isupper()}
    return found


def _indexed(tree: ast.Module) -> set[str]:
    """Names that stand inside an index of an array."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript):
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            ends = [
                e for p in parts for e in ((p.lower, p.upper) if isinstance(p, ast.Slice) and len(parts) > 1 else (p,))
            ]
            sums = [
                x
                for e in ends
                for x in ((e.left, e.right) if isinstance(e, ast.BinOp) and isinstance(e.op, ast.Add) else (e,))
            ]
            found |= {x.id for x in sums if isinstance(x, ast.Name) and x.id.isupper()}
    return found


def _index_constants(modules: dict[Path, ast.Module]) -> list[str]:
    """Whole numbers with which arrays are indexed, in their own module or where they are imported, outside the kernel rooms."""
    names = {
        ".".join(("serpenoid", *path.with_suffix("").parts)).removesuffix(".__init__"): (path, _whole_numbers(tree))
        for path, tree in modules.items()
        if path.parts[0] not in KERNEL_ROOMS
    }
    found: set[str] = set()
    for path, tree in modules.items():
        indexed = _indexed(tree)
        own = next((known for at, known in names.values() if at == path), set())
        found |= {f"{path}:{name}" for name in own & indexed}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module in names:
                at, known = names[node.module]
                found |= {f"{at}:{a.name}" for a in node.names if a.name in known & indexed}
    return sorted(found)


def numbers() -> dict[str, Any]:
    """The numbers, and what stands out."""
    modules = trees()
    classes = collections.Counter(n.name for t in modules.values() for n in ast.walk(t) if isinstance(n, ast.ClassDef))
    wide, long_files, long_functions, rotations = [], [], [], []
    for path, tree in modules.items():
        lines = len((PACKAGE / path).read_text().splitlines())
        if lines >= 400:
            long_files.append(f"{path} ({lines})")
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                if node.end_lineno is not None and node.end_lineno - node.lineno >= 60:
                    long_functions.append(f"{path}:{node.name}")
                if _is_kernel(node) and len(node.args.args) > 12:
                    wide.append(f"{path}:{node.name} ({len(node.args.args)})")
                if path.name != "frames.py" and node.name.strip("_") in ROTATIONS:
                    rotations.append(f"{path}:{node.name}")
    return {
        "top_level_modules": sorted(str(p) for p in modules if len(p.parts) == 1 and p.name != "__init__.py"),
        "classes_twice": sorted(name for name, count in classes.items() if count > 1),
        "kernels_over_12_parameters": wide,
        "index_constants_outside_kernel_rooms": _index_constants(modules),
        "rotations_outside_frames": rotations,
        "files_of_400_lines": long_files,
        "functions_of_60_lines": long_functions,
    }


if __name__ == "__main__":
    print(json.dumps(numbers(), indent=2))
