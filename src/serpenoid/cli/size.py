"""serpenoid size: what the motors must do in a scenario, and which servos would; size.json and a figure in a folder."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from serpenoid.cli.arguments import add_changes, add_out, allowed, asked_for, results
from serpenoid.cli.terminal import give

if TYPE_CHECKING:
    from serpenoid.simulation.setup import Setup

TEXT = "what the motors must do in a scenario, and which servos would"


def add(sub: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    sub.add_argument("scenario", help="a bundled name or a TOML file: robot, gait and world")
    add_changes(sub)
    sub.add_argument(
        "--servo",
        action="append",
        default=[],
        metavar="NAME",
        help="only this servo (default: all of `list servos`); repeatable",
    )
    sub.add_argument(
        "--voltage", type=float, metavar="V", help="supply of the servos (default: that which each maker recommends)"
    )
    sub.add_argument(
        "--check",
        action="store_true",
        help="refuse a scenario that goes nowhere, where the run with each servo cannot decide",
    )
    add_out(sub, "out/size-NAME")


def command(args: argparse.Namespace) -> int:
    """Size the motors of a scenario: torque, speed, power, heat and battery; which servos would do, with margin."""
    from serpenoid.formats.files import write_json
    from serpenoid.formats.scenario import read
    from serpenoid.simulation.setup import setup_of
    from serpenoid.simulation.sizing import check_asked, sized
    from serpenoid.view.sizing import sizing_figure

    check_asked(tuple(args.servo), args.voltage)
    setup = setup_of(read(args.scenario, args.set, allow=allowed(args.allow), outside=args.allow_outside))
    name = Path(args.scenario).stem
    with results(args, f"size-{name}") as result:
        report, run = sized(setup, tuple(args.servo), args.voltage, args.check)
        files = {"figure": str(sizing_figure(report, run, result.path / "size.png"))}
        report["files"] = result.final(files)
        result.description = setup.keys()
        write_json(result.path / "size.json", report)
    if args.json:
        give(report)
    else:
        print(table(report))
        print(f"  in {result.target}: size.png, size.json")
        print(f"  next: {_next(args, report, setup)}")
    return 0


def _next(args: argparse.Namespace, report: dict[str, Any], setup: Setup) -> str:
    """A command worth trying: the run that found the first servo that will do."""
    able = [servo["name"] for servo in report["servos"] if servo["verdict"] == "will"]
    if not able:
        return "serpenoid list servos"
    changes = [f"robot.servo={able[0]}"]
    if args.voltage is not None:
        changes = [f"robot.servo.preset={able[0]}", f"robot.servo.voltage={args.voltage:g}"]
    if setup.robot.joint_damping.any():
        changes.append("robot.joint_damping=0")  # the servo brings its own friction
    return " ".join([f"serpenoid run {asked_for(args)}", *(f"--set {change}" for change in changes)])


def _on_slope(slope: dict[str, Any] | None) -> list[str]:
    """What the slope means for the verdicts; nothing on the level."""
    if slope is None or not slope["climbs"]:
        return []
    gained = slope["height_gained"]
    if gained > 0.0:
        return [f"  it climbs {gained:.3g} m: the height that each servo gains decides"]
    return [
        f"  meant to climb, it slides down {-gained:.3g} m even with servos without limits: change the gait or the ground, not the motor"
    ]


def table(report: dict[str, Any]) -> str:
    """The report as text."""
    from serpenoid.core.trajectory import where
    from serpenoid.simulation.sizing import done_in_words

    demand = report["demand"]
    lines = [
        f"{report['robot']}: {report['joints']} joints need up to {demand['torque_max']:.3g} N m{where(demand, 'max')}",
        f"  in steady motion {demand['torque_steady_max']:.3g} N m{where(demand, 'steady_max')}, {demand['torque_rms_max']:.3g} N m RMS{where(demand, 'rms_max')}, "
        f"{max(demand['rate_peak']):.3g} rad/s, {max(demand['power_peak']):.3g} W; {demand['work_hour_Wh']:.3g} Wh of work an hour",
        *_on_slope(report["slope"]),
        f"  {'servo':10s} {'verdict':9s} {'margin':>6s} {'RMS/stall':>9s} {'peak A':>7s} {'heat W':>7s} {'Wh an hour':>10s}  with its limits",
    ]
    for m in report["servos"]:
        own = [text for text in (done_in_words(m), "hot" if m["hot"] else "") if text]
        lines.append(
            f"  {m['name']:10s} {m['verdict']:9s} {m['margin']:6.2f} {m['load']:9.2f} {m['current_peak']:7.2f} {m['heat']:7.1f} {m['battery_hour_Wh']:10.1f}  {', '.join(own) or '-'}"
        )
    lines.append(
        "  verdict: of the run with that servo and its limits; margin: voltage at hand over voltage needed; heat: in all windings; hot: RMS torque above 0.2 of the stall torque"
    )
    return "\n".join(lines)
