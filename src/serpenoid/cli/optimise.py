"""serpenoid optimise: numbers of a scenario searched for the best value of metrics, within limits."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import Any

from serpenoid.cli.arguments import add_changes, add_out, allowed, asked_for, refusal, results
from serpenoid.cli.terminal import bar, give

TEXT = "search numbers of a scenario for the best metrics"
INTERRUPTED = 130
MOST_RESULT = 500_000_000  # bytes of a result to go on from


def add(sub: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    sub.add_argument("scenario", nargs="?", help="a bundled name or a TOML file")
    add_changes(sub)
    several: dict[str, Any] = {"action": "append", "default": []}
    sub.add_argument(
        "--over", **several, metavar="KEY=LOW:HIGH", help="e.g. gait.winding_angle_deg=5:90; may be repeated"
    )
    sub.add_argument(
        "--maximise", **several, metavar="METRIC", help="a metric (serpenoid list metrics), or my_module:my_metric"
    )
    sub.add_argument(
        "--minimise", **several, metavar="METRIC",
        help="several objectives give a Pareto front; none: that of steady_speed against cost_of_transport",
    )  # fmt: skip
    sub.add_argument(
        "--through", metavar="MODULE:FUNCTION",
        help="a function f(values) -> changes: from {variable of --over: value} to the {key: value} that a run changes; needs --allow MODULE",
    )  # fmt: skip
    sub.add_argument("--subject-to", **several, metavar="LIMIT", help='a limit on any metric, such as "torque_max<2"')
    sub.add_argument(
        "--motor-limits", nargs="?", const="robot", metavar="TORQUE,RATE",
        help="a motor by stall torque (N m) and no-load speed (rad/s), perhaps also its continuous torque: TORQUE,RATE,CONTINUOUS (default a fifth of the "
        "stall torque): RMS torque within that, peaks within the line (without a value: what the robot's servos declare)",
    )  # fmt: skip
    sub.add_argument("--scan", type=int, metavar="N", help="one variable: places of the coarse scan (default 18)")
    sub.add_argument("--tolerance", type=float, help="one variable: width of the final bracket (default 1/500 of it)")
    sub.add_argument(
        "--evaluations", type=int, metavar="N", help="runs in all (default 200 per variable, and 200 more)"
    )
    sub.add_argument("--restarts", type=int, metavar="N", help="independent searches (default 4; 2 of a front)")
    sub.add_argument("--seed", type=int, metavar="S", help="of the random numbers (default 0)")
    sub.add_argument("--threads", type=int, metavar="N", help="default: one per core; the result does not depend on it")
    sub.add_argument("--resume", metavar="DIR", help="go on with a search that was interrupted, by its result")
    add_out(sub, "out/NAME-optimum")


def command(args: argparse.Namespace) -> int:
    """Search numbers of a scenario for the best value of metrics, within limits."""
    from serpenoid.formats import files
    from serpenoid.optimise import optimise_scenario
    from serpenoid.view.search import search_figure

    asked = _asked(args)
    name = Path(args.resume).resolve().name.removesuffix("-optimum") if args.resume else Path(args.scenario).stem
    with results(args, f"{name}-optimum") as made:
        with bar("searching") as progress:
            result = optimise_scenario(**asked, progress=progress, partial=True, threads=args.threads)
        files.write_json(made.path / "optimum.json", result)
        if result["evaluations"]:
            search_figure(result, made.path / "optimum.png")
        made.description = result.get("scenario")
    if args.json:
        give(result)
    else:
        print("\n".join([*_told(result), f"  in {made.target}: optimum.json, optimum.png", f"  next: {_next(args, result, made.target)}"]))  # fmt: skip
    return INTERRUPTED if result["status"] == "interrupted" else 0


def _asked(args: argparse.Namespace) -> dict[str, Any]:
    """The arguments of the search: those of the command line, or those of an earlier search."""
    modules = allowed(args.allow)
    if args.resume is not None:
        return {**_earlier(args), "allow": modules}
    if args.scenario is None or not args.over:
        raise refusal(
            "optimise needs a scenario and at least one --over path.to.key=low:high, or --resume with a result"
        )
    return {
        "name": args.scenario, "changes": args.set, "over": args.over, "maximise": args.maximise, "minimise": args.minimise,
        "subject_to": args.subject_to, "motors": args.motor_limits, "points": args.scan, "tolerance": args.tolerance,
        "evaluations": args.evaluations, "restarts": args.restarts, "seed": args.seed, "allow": modules, "outside": args.allow_outside,
        "through": args.through,
    }  # fmt: skip


def _earlier(args: argparse.Namespace) -> dict[str, Any]:
    """What an earlier search was asked, with its result."""
    import json

    from serpenoid.formats.opening import text_of

    given = [
        f"--{name.replace('_', '-')}"
        for name in ("set", "over", "through", "maximise", "minimise", "subject_to", "motor_limits", "scan", "tolerance", "evaluations", "restarts", "seed")
        if getattr(args, name)
    ]  # fmt: skip
    if args.scenario is not None or given:
        raise refusal(
            f"--resume goes on with the search as it was begun; leave out {', '.join(given) or 'the scenario'}"
        )
    path = Path(args.resume)
    text = text_of(path / "optimum.json" if path.is_dir() else path, "result of a search", MOST_RESULT)
    try:
        before = json.loads(text)
        asked = dict(before["request"])
        names = ("over", "maximise", "minimise", "subject_to", "motors", "points", "tolerance", "evaluations", "restarts", "seed", "through")  # fmt: skip
        return {"name": asked["scenario"], "before": before, **{n: asked[n] for n in names if n in asked}}
    except (ValueError, KeyError, TypeError, RecursionError):
        raise refusal(f"{args.resume}: this is not the result of a search") from None


def _told(result: dict[str, Any]) -> list[str]:
    """What a search found, in words."""
    lines = [] if result["status"] == "ok" else ["interrupted; what was found so far:"]
    if "front" in result:
        lines += _front(result)
    elif result["optimum"] is None:
        lines.append("no place was found that keeps all limits")
    else:
        places = ", ".join(f"{key} = {place:.5g}" for key, place in result["optimum"].items())
        lines.append(f"{result['objective']} is best at {places}: {_number(result['value'], result['unit'])}")
        lines += _certain(result)
    for limit in result["limits"]:
        at = "" if limit["value"] is None else f": {_number(limit['value'], result['units'][limit['metric']])}"
        lines.append(f"  {limit['limit']}{at}" + (" (reached)" if limit["reached"] else ""))
    counts = ", ".join(f"{number} {status}" for status, number in result["counts"].items())
    return [*lines, f"  {result['evaluations']} runs: {counts}", *(f"  warning: {w}" for w in result["warnings"])]


def _number(value: float, unit: str) -> str:
    return f"{value:.5g} {unit}" if unit and unit != "-" else f"{value:.5g}"


def _front(result: dict[str, Any]) -> list[str]:
    """The front in words: its ends and its middle."""
    if not result["front"]:
        return ["no place was found that keeps all limits"]
    names = " against ".join(o["metric"] for o in result["objectives"])
    lines = [f"Pareto front of {names}: {len(result['front'])} places"]
    for word, point in (("from", result["front"][0]), ("middle", result["knee"]), ("to", result["front"][-1])):
        values = ", ".join(_number(point["values"][o["metric"]], o["unit"]) for o in result["objectives"])
        lines.append(f"  {word:6s} {values} at " + ", ".join(f"{k} = {x:.4g}" for k, x in point["place"].items()))
    short = result["sure"]["shortfall"]
    if short is not None:
        lines.append(
            f"  each of {result['sure']['restarts']} searches alone comes within {short:.1%} of the front's span"
        )
    return lines


def _certain(result: dict[str, Any]) -> list[str]:
    """How sure an optimum is."""
    sure, lines = result["sure"], []
    if sure.get("bracket") is not None:
        lines.append(f"  found to {sure['bracket']:.3g} by golden section")
    if sure.get("near"):
        ends = sure["near"]["place"].items()
        lines.append(
            "  within 1 % of the best "
            + ", ".join(f"for {key} = {low:.4g} to {high:.4g}" for key, (low, high) in ends)
            + ", each alone" * (len(ends) > 1)
        )
    if sure.get("restarts"):
        known = [r["value"] for r in sure["restarts"] if r["value"] is not None]
        lines.append(
            f"  {sure['agree']} of {len(sure['restarts'])} restarts came within 1 % of it; all came to {min(known):.5g} to {max(known):.5g}"
            if known
            else f"  none of {len(sure['restarts'])} restarts kept the limits"
        )
        if sure["spread"] is not None and sure["agree"] > 1:
            ranges = ", ".join(f"{key} {low:.4g} to {high:.4g}" for key, (low, high) in sure["spread"]["place"].items())
            lines.append(f"  those that agree lie at {ranges}")
    start = result.get("start")
    if start is not None and start["values"][result["objective"]] is not None:
        kept = "" if start["feasible"] else ", which breaks a limit"
        lines.append(f"  the scenario itself: {_number(start['values'][result['objective']], result['unit'])}{kept}")
    return lines


def _rounded(value: Any) -> str:
    return f"{value:.5g}" if isinstance(value, float) else str(value)


def _next(args: argparse.Namespace, result: dict[str, Any], target: Path) -> str:
    """A command worth trying."""
    if result["status"] == "interrupted":
        return f"serpenoid optimise --resume {target}"
    place = result.get("changes") or (result["optimum"] if "optimum" in result else result["knee"]["place"])
    scenario = asked_for(args) if args.scenario else "SCENARIO"
    return f"serpenoid run {scenario} " + " ".join(
        shlex.join(["--set", f"{key}={_rounded(x)}"]) for key, x in place.items()
    )
