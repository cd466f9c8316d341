"""serpenoid show: what a thing that has a name contains: numbers with units, meaning and sources."""

from __future__ import annotations

import argparse
import importlib
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from serpenoid.cli import list as listing
from serpenoid.cli.arguments import add_changes, allowed, refusal
from serpenoid.cli.schema import Node, choices, described, found
from serpenoid.cli.terminal import give
from serpenoid.spelling import near

TEXT = "show what a robot, servo, gait, law, metric or scenario contains, with units and sources"
WIDTH = 118
MOST = 5  # values of a list that are shown
TABLE_OF = {
    "gaits": "gait",
    "laws": "world.friction",
    "drives": "drive",
    "controllers": "controller",
}  # in scenario files
AFTER = {"shapes": "serpenoid shape {}", "maps": "serpenoid plan path --map {} --link-length 4.5", "studies": "serpenoid study {} --quick", "benches": "serpenoid bench {}"}  # fmt: skip


def add(sub: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    sub.add_argument("thing", help="a name of serpenoid list, or a scenario file")
    add_changes(sub)


def command(args: argparse.Namespace) -> int:
    """Show what a thing contains: of a scenario and a robot all numbers, of gaits and laws their keys."""
    modules, name = allowed(args.allow), args.thing
    things = [shown(kind, name) for kind in listing.KINDS if kind != "scenarios" and name in names(kind)]
    if not things or Path(name).is_file():
        things = [scenario_shown(name, args, modules)]
    if args.json:
        give(things[0] if len(things) == 1 else {"name": name, "several": things})
    else:
        print("\n\n".join("\n".join(one["lines"]) for one in things))
    return 0


def names(kind: str) -> list[str]:
    """The names of a kind."""
    return [item["name"] for item in listing.entries(kind)]


def shown(kind: str, name: str) -> dict[str, Any]:
    """A thing of a kind in lines of text, with its keys and sources."""
    from serpenoid.formats.citations import sources_in, text_of_kind

    text = next(item["text"] for item in listing.entries(kind) if item["name"] == name)
    lines, keys = [f"{name} ({kind})  {text}"], dict[str, Any]()
    module, table = listing.TABLES.get(kind, ("", ""))
    family = getattr(importlib.import_module(f"serpenoid.{module}"), table) if table else {}
    sources = sources_in(text_of_kind(family, name)) if table else []
    if kind in ("robots", "servos"):
        keys, rows = numbers_of(family[name]())
        lines += rows
    elif kind in TABLE_OF:
        lines += keys_of(TABLE_OF[kind], name)
    lines += [f"  {AFTER[kind].format(name)}"] if kind in AFTER else []
    lines += [f"  sources: {', '.join(sources)}  (BibTeX of a run or scenario: serpenoid cite)"] if sources else []
    return {"name": name, "kind": kind, "text": text, "keys": keys, "sources": sources, "lines": lines}


def keys_of(table: str, name: str) -> list[str]:
    """The keys of a kind of a table, with units and bounds."""
    from serpenoid.formats.scenario import schema

    path = f"{table}.{name}"
    return described(path, found(schema(), path))


def numbers_of(thing: Any) -> tuple[dict[str, Any], list[str]]:
    """The numbers of a description: as keys, and in lines with units and meaning."""
    from serpenoid.core.schema import schema_of

    keys = thing.keys()
    return keys, rows_of(keys, schema_of(type(thing)))


def rows_of(keys: Mapping[str, Any], node: Node, indent: str = "  ") -> list[str]:
    """Keys with their values, meaning and unit by their schema, a line each; tables inside them below."""
    lines: list[str] = []
    wide = max(map(len, keys), default=0)
    for key, value in keys.items():
        about = fitting(node, keys).get(key, {})
        if isinstance(value, Mapping):
            lines += [f"{indent}{key}", *rows_of(value, about, f"{indent}  ")]
        else:
            text, meaning = f"{indent}{key:{wide}s}  {short(value)}", about.get("description", "")
            lines += textwrap.wrap(f"{text}   {meaning}" if meaning else text, WIDTH, subsequent_indent=f"{indent}    ")
    return lines


def fitting(node: Node, keys: Mapping[str, Any]) -> Node:
    """What a schema says of the keys of a table: that of its kind where there are several."""
    tables = [one["properties"] for one in choices(node) if "properties" in one]
    tags = [
        one for one in tables if any(key in keys and about.get("const", "") == keys[key] for key, about in one.items())
    ]
    chosen: Node = next(iter([*tags, *tables]), {})
    return chosen


def short(value: Any) -> str:
    """A value, its lists cut to what can be read."""
    if isinstance(value, list | tuple):
        if len(value) > 1 and all(one == value[0] for one in value):
            return f"{len(value)} times {short(value[0])}"
        inner = ", ".join(short(one) for one in value[:MOST])
        return f"[{inner}{f', ... {len(value)} in all' if len(value) > MOST else ''}]"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def scenario_shown(name: str, args: argparse.Namespace, modules: tuple[str, ...]) -> dict[str, Any]:
    """A scenario table by table, each key with unit and meaning."""
    from serpenoid.formats.citations import reasons_to_cite
    from serpenoid.formats.scenario import bundled, read, schema

    if not Path(name).is_file() and name not in bundled():
        known = [*bundled(), *(one for kind in listing.KINDS for one in names(kind))]
        raise refusal(
            f"nothing is called {name!r}{near(name, known)}; serpenoid list shows all names, and a scenario file is given by its path"
        )
    data = read(name, args.set, allow=modules, outside=args.allow_outside)
    nodes, lines = schema()["properties"], [f"{name} (scenario)  {data.get('title', '')}"]
    for key, table in data.items():
        if isinstance(table, Mapping):
            lines += [f"  [{key}]", *rows_of(table, nodes.get(key, {}), "    ")]
    sources = reasons_to_cite(data)
    lines += [f"  sources: {', '.join(sources)}  (serpenoid cite {name})"] if sources else []
    return {
        "name": name,
        "kind": "scenarios",
        "text": data.get("title", ""),
        "keys": dict(data),
        "sources": list(sources),
        "lines": lines,
    }
