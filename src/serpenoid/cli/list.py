"""serpenoid list: what there is, by name."""

from __future__ import annotations

import argparse
import importlib
import textwrap
from typing import Any

from serpenoid.cli.arguments import add_allow, allowed
from serpenoid.cli.terminal import give

TABLES = {
    "robots": ("robots", "ROBOTS"), "servos": ("robots.servos", "SERVOS"), "gaits": ("gaits", "GAITS"), "laws": ("contact", "LAWS"), "drives": ("gaits.drives", "DRIVES"),
    "controllers": ("core.command", "CONTROLLERS"), "shapes": ("shapes", "NAMED"),
}  # fmt: skip
KINDS = ("scenarios", *TABLES, "maps", "studies", "metrics", "benches")
TEXT = f"list {', '.join(KINDS)}"
WIDTH = 110

NEXT = {  # what to do with one of a kind
    "scenarios": "serpenoid run creep", "robots": "serpenoid export ma2001 --to urdf", "servos": "serpenoid size creep --servo mx64",
    "gaits": "serpenoid schema gait.sidewinding  (its keys)", "laws": "serpenoid schema world.friction.coulomb  (its keys)",
    "drives": "serpenoid schema drive.sine  (its keys)", "controllers": "serpenoid schema controller.steering  (its keys)",
    "shapes": "serpenoid shape helix", "maps": "serpenoid plan path --map maze --link-length 4.5", "studies": "serpenoid study ma2001 --quick",
    "metrics": "serpenoid optimise creep --over gait.winding_angle_deg=20:70 --maximise com_forward", "benches": "serpenoid bench shape",
}  # fmt: skip


def add(sub: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    sub.add_argument("kind", nargs="?", choices=KINDS)
    add_allow(sub)


def command(args: argparse.Namespace) -> int:
    """List what there is, modules of your own included where they are allowed."""
    allowed(args.allow)
    found = {kind: entries(kind) for kind in ([args.kind] if args.kind else KINDS)}
    if args.json:
        give(found)
        return 0
    if args.kind is None:
        print("\n".join(overview(found)))
        print(
            "  next: serpenoid list gaits  (any of these kinds: each name with a line of text; metrics with units and formulas)"
        )
        return 0
    print(args.kind)
    wide = max((len(item["name"]) for item in found[args.kind]), default=0)
    for item in found[args.kind]:
        print(f"  {item['name']:{wide}s}  {item['text']}")
    print(f"  next: {NEXT[args.kind]}")
    return 0


def overview(found: dict[str, list[dict[str, str]]]) -> list[str]:
    """The names of each kind, on as few lines as they need."""
    lines: list[str] = []
    for kind, items in found.items():
        names = ", ".join(item["name"] for item in items)
        first = f"{kind:12s}"
        lines += textwrap.wrap(names, WIDTH, initial_indent=first, subsequent_indent=" " * 12, break_on_hyphens=False)
    return lines


def entries(kind: str) -> list[dict[str, str]]:
    """Name and a line of text of everything of a kind."""
    if kind in TABLES:
        module, table = TABLES[kind]
        items = getattr(importlib.import_module(f"serpenoid.{module}"), table).items()
        return [{"name": name, "text": _first_line(item)} for name, item in items]
    return [{"name": name, "text": text} for name, text in _TEXTS[kind]().items()]


def _first_line(thing: Any) -> str:
    return (thing.__doc__ or "").strip().split("\n")[0]


def _scenarios() -> dict[str, str]:
    from serpenoid.formats.scenario import bundled, read

    return {name: read(name).get("title", "") for name in bundled()}


def _maps() -> dict[str, str]:
    from serpenoid.planning import maps

    sizes = {name: maps.read(name).walls.shape for name in maps.bundled()}
    return {name: f"{x} x {y} nodes" for name, (x, y) in sizes.items()}


def _benches() -> dict[str, str]:
    from serpenoid.bench import BENCHES

    return dict(BENCHES)


def _studies() -> dict[str, str]:
    from serpenoid.studies import STUDIES

    return dict(STUDIES)


def _metrics() -> dict[str, str]:
    from serpenoid.simulation.metrics import METRICS

    return {name: f"[{metric.unit}] {metric.formula}" for name, metric in METRICS.items()}


_TEXTS = {"scenarios": _scenarios, "maps": _maps, "benches": _benches, "studies": _studies, "metrics": _metrics}
