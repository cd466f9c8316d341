"""serpenoid schema: the keys of scenario files, a table at a time for people, as a whole as a JSON schema for editors."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from serpenoid.cli.arguments import refusal
from serpenoid.cli.terminal import give
from serpenoid.spelling import near

TEXT = "describe the keys of scenario files"
WIDTH = 118
BOUNDS = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "exclusiveMaximum": "<"}

Node = Mapping[str, Any]


def add(sub: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    sub.add_argument(
        "table",
        nargs="?",
        help="describe one table, such as robot, gait.sidewinding or world.friction.coulomb (default: all; a JSON schema in a file or pipe)",
    )


def command(args: argparse.Namespace) -> int:
    """Describe the keys of scenario files; into a file, a pipe or with --json they come as a JSON schema."""
    from serpenoid.formats.scenario import schema

    whole = schema()
    part = whole if args.table is None else found(whole, args.table)
    if args.json or (args.table is None and not sys.stdout.isatty()):
        give(part, indent=None if args.json else 2)
        return 0
    print("\n".join(described(args.table or "", part)))
    return 0


def found(node: Node, path: str) -> Node:
    """The part of a schema that a dotted path names; the name of a kind chooses one of several."""
    gone: list[str] = []
    for name in path.split("."):
        known = parts(node)
        if name not in known:
            place = f"[{'.'.join(gone)}]" if gone else "a scenario"
            hint = _elsewhere(name) or near(name, known) or f"; it has {', '.join(known) or 'no keys'}"
            raise refusal(f"no {name!r} in {place}{hint}")
        node = known[name]
        gone.append(name)
    return node


def _elsewhere(name: str) -> str:
    """What to do with the name of a preset, which is no table."""
    from serpenoid.core.actuator import SERVOS
    from serpenoid.core.robot import ROBOTS

    return f"; {name} is a preset: serpenoid show {name} prints its numbers" if name in ROBOTS or name in SERVOS else ""


def parts(node: Node) -> dict[str, Node]:
    """What a node of a schema holds: the kinds to choose from, or the keys of a table."""
    kinds = {name: one for one in node.get("oneOf", ()) if (name := kind_of(one))}
    table = next((one for one in choices(node) if "properties" in one), {})
    return kinds or dict(table.get("properties", {}))


def kind_of(node: Node) -> str:
    """The name by which a table is chosen among several; empty where there is none."""
    return next((str(key["const"]) for key in node.get("properties", {}).values() if "const" in key), "")


def choices(node: Node) -> Iterator[Node]:
    """A node, and what it may be instead."""
    yield node
    for one in (*node.get("anyOf", ()), *node.get("oneOf", ())):
        yield from choices(one)


def described(path: str, node: Node) -> list[str]:
    """A table, its kinds or one key in lines of text, with what to look at next."""
    known, kinds = parts(node), bool(node.get("oneOf")) and any(kind_of(one) for one in node["oneOf"])
    about = node.get("description", "")
    if not known:
        return row(path.rpartition(".")[2], value_of(node), about, "")
    wide = max(len(name) for name in known)
    lines = textwrap.wrap(f"[{path}] {about}" if path else "A scenario file (TOML) has these tables:", WIDTH)
    if kinds:
        tag = next(name for name, key in next(iter(known.values()))["properties"].items() if "const" in key)
        lines.append(f"{tag} is one of:")
    needed = node.get("required", ())
    for name, one in known.items():
        in_degrees = name.endswith("_deg") and name.removesuffix("_deg") in known
        if "const" not in one and not in_degrees:
            text = one.get("description", "") or ("one of " + ", ".join(parts(one)) if one.get("oneOf") else "")
            text += f" ({name}_deg: in degrees)" * (f"{name}_deg" in known)
            values = "" if kinds or not path else value_of(one)
            lines += row(f"{name:{wide}s}", values, text, " (needed)" * (name in needed))
    deeper = [name for name, one in known.items() if parts(one)]
    if deeper:
        lines.append(f"  next: serpenoid schema {f'{path}.' if path else ''}{deeper[0]}")
    if not path:
        lines.append("  for an editor: serpenoid schema > scenario.schema.json")
    return lines


def row(name: str, value: str, about: str, needed: str) -> list[str]:
    """A key with its values and meaning, within the width of a page."""
    text = "; ".join(part for part in (value, about) if part) + needed
    return textwrap.wrap(text, WIDTH, initial_indent=f"  {name}  ", subsequent_indent=" " * (len(name) + 4)) or [
        f"  {name}"
    ]


def value_of(node: Node) -> str:
    """Which values a key takes, in words."""
    words: list[str] = []
    for one in choices(node):
        if "properties" in one:
            words.append("a table")
        elif "enum" in one:
            words.append(", ".join(f'"{value}"' if isinstance(value, str) else str(value) for value in one["enum"]))
        elif one.get("type") == "array":
            words.append("a list")
        elif one.get("type") in ("number", "integer"):
            bounds = " and ".join(
                f"{sign} {one[key]:g}" for key, sign in BOUNDS.items() if key in one and abs(one[key]) < 1e5
            )
            words.append(f"{'a whole number' if one['type'] == 'integer' else 'a number'} {bounds}".rstrip())
        elif one.get("type") == "boolean":
            words.append("true or false")
        elif one.get("type") == "string":
            words.append("module:name" if one.get("pattern") == ":" else "a text")
    return " or ".join(dict.fromkeys(words))
