"""The command `plan`: concertina to a target, a path through a map; files, summary and the JSON object."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from serpenoid.cli.plan_options import named_robot, numbers, results_folder
from serpenoid.cli.terminal import bar, give
from serpenoid.core.errors import InputError


def command_plan(args: argparse.Namespace) -> int:
    """Plan a motion: concertina of the mechanical snake to a target, or a path through a map with the body along it."""
    if args.kind == "concertina":
        return _concertina(args)
    if args.kind == "path":
        from serpenoid.cli.plan_path import path

        return path(args)
    raise InputError(f"unknown kind of plan {args.kind!r}")


def _obstacles(path: str | None) -> tuple[Any, ...]:
    """The obstacles of a file."""
    from serpenoid.formats.yard import read_yard

    return () if path is None else read_yard(path).obstacles


def _body(args: argparse.Namespace, robot: Any) -> dict[str, Any]:
    """Lengths, half width and joint limits for the planner; without a robot in link lengths, those of MS-1 if it is to be carried out."""
    import numpy as np

    from serpenoid import robots

    given = args.half_width
    if robot is None and not args.execute:
        return {"lengths": 1.0, "half_width": 0.0 if given is None else given}
    body = robots.ms1() if robot is None else robot
    if body.links != 7:
        raise InputError(f"concertina is for seven links; {body.name} has {body.links}")
    unit = float(body.link_length.mean()) if robot is None else 1.0
    width = float(body.radius.max()) / unit
    if given is not None and given < width and args.execute:
        raise InputError(
            f"--half-width {given:g} is less than that of {body.name}, {width:.4g}, which carries the plan out"
        )
    return {
        "lengths": body.link_length / unit, "half_width": width if given is None else given,
        "joint_limit": np.minimum(body.joint_limit, np.pi),
    }  # fmt: skip


def _concertina(args: argparse.Namespace) -> int:
    import numpy as np

    from serpenoid.formats import files
    from serpenoid.planning import plan

    target = numbers(args.target, "--target")
    robot, obstacles = named_robot(args.robot), _obstacles(args.obstacles)
    if args.execute and robot is None and obstacles:
        raise InputError("--execute among obstacles needs a robot with a width in m: give --robot ms1")
    out = results_folder(args, "plan-concertina")
    heading = None if args.heading is None else float(np.radians(args.heading))
    asked = {
        "target": target, "heading": heading, "elbow": args.elbow, "max_cycles": args.max_cycles, **_body(args, robot),
    }  # fmt: skip
    made = plan(obstacles=obstacles, **asked)
    unit = "links" if robot is None else "m"
    result: dict[str, Any] = {
        "status": made.status, "reason": made.reason, "cycles": made.cycles, "final_distance": made.final_distance,
        "target": list(target), "heading_deg": args.heading, "elbow": made.elbow, "unit": unit, "tried": made.tried,
        "contacts": [_contact(c) for c in made.contacts], "warnings": list(made.warnings),
    }  # fmt: skip
    executed = _carry_out(args, robot, obstacles, asked) if args.execute and made.legs else None
    if executed is not None:
        result.update(_executed(executed))
    paths = _concertina_files(args, made, executed, out)
    result["files"] = {k: str(v) for k, v in paths.items()}
    paths["plan"] = files.write_json(out / "plan.json", result)
    if args.json:
        give(result)
    else:
        _say_concertina(made, executed, unit, paths)
    return 0


def _contact(contact: Any) -> dict[str, Any]:
    return {
        "link": contact.link, "obstacle": contact.obstacle, "point": list(contact.point), "direction": list(contact.direction),
        "cycle": contact.cycle, "stage": contact.stage, "held": contact.held,
    }  # fmt: skip


def _carry_out(args: argparse.Namespace, robot: Any, obstacles: tuple[Any, ...], asked: dict[str, Any]) -> Any:
    """Carry the plan out in dynamics; that in link lengths is made for MS-1 again, in m: the same cycles."""
    from serpenoid import control as execution
    from serpenoid import robots
    from serpenoid.control.driver import motors_of
    from serpenoid.planning import plan
    from serpenoid.robots.ms1 import FITTINGS as MS1
    from serpenoid.robots.ms2 import FITTINGS as MS2

    body = robots.ms1() if robot is None else robot
    unit = float(body.link_length.mean()) if robot is None else 1.0
    scaled = {key: unit * asked[key] for key in ("lengths", "half_width")}
    target = tuple(unit * x for x in asked["target"])
    made = plan(target, obstacles=obstacles, **{k: v for k, v in asked.items() if k != "target"} | scaled)
    fittings = {"ms1": MS1, "ms2": MS2}.get(body.name)
    motors = execution.Motors(sensor=args.sensor) if fittings is None else motors_of(fittings, sensor=args.sensor)
    with bar("carrying out") as progress:
        return execution.execute(body, made.legs, motors, obstacles, progress=progress)


def _executed(done: Any) -> dict[str, Any]:
    """What a carried-out plan adds to the JSON object; SI units."""
    return {
        "executed": done.status, "energy": done.positive_work, "torques": done.torque_max.tolist(),
        "pin_forces": done.pin_force_max.tolist(), "pin_slip": done.pin_slip.tolist(),
        "contact_force_max": float(done.contact_force_max.max()), "penetration_max": done.penetration_max,
        "head_error_max": float(done.head_errors.max()), "time": float(done.time[-1]), "execution_warnings": list(done.warnings),
        "touches": [
            {"leg": t.leg, "link": t.link, "obstacle": t.obstacle, "force": t.force, "point": list(t.point), "time": list(t.time)}
            for t in done.touches
        ],
        "felt": [
            {
                "leg": f.leg, "time": f.time, "ambiguous": f.ambiguous,
                "suspects": [{"link": s.link, "place": s.place, "force": s.force} for s in f.suspects],
            }
            for f in done.feelings
        ],
    }  # fmt: skip


def _concertina_files(args: argparse.Namespace, made: Any, executed: Any, out: Path) -> dict[str, Path]:
    """Pictures, the film and the timed motion."""
    from serpenoid.view.concertina import forces_figure, steps_figure
    from serpenoid.view.plans import plan_film
    from serpenoid.view.today import executed_film

    paths: dict[str, Path] = {}
    paths["steps"] = steps_figure(made, out / "steps.png")
    if made.legs:
        paths["motion"] = _motion(made, out / "motion.csv")
    if executed is not None:
        paths["forces"] = forces_figure(executed, out / "forces.png")
    film = (not args.json) if args.film is None else args.film
    if film and made.legs:
        paths["film"] = out / "plan.mp4"
        with bar("drawing plan.mp4") as progress:
            plan_film(made, paths["film"], progress=progress)
        if executed is not None and args.robot is not None:
            paths["executed_film"] = out / "executed.mp4"
            with bar("drawing executed.mp4") as progress:
                executed_film(executed, made, paths["executed_film"], progress=progress)
    return paths


def _motion(made: Any, path: Path) -> Path:
    """Write the timed motion: nodes, joint angles and the solenoids' vector T."""
    import numpy as np

    from serpenoid.formats.files import write_table
    from serpenoid.gaits.concertina import schedule

    timed = schedule(made.legs)
    t = np.linspace(0.0, timed.time, min(20_000, max(2, int(20.0 * timed.time))))
    nodes, headings = timed.at(t)
    header = ["time"] + [f"{c}{k}" for k in range(8) for c in "xy"] + [f"theta{k}" for k in range(1, 7)]
    pins = timed.solenoids(t)
    header += [f"t{k + 1}" for k in range(pins.shape[1])]
    rows = np.column_stack([t, nodes.reshape(len(t), -1), np.diff(headings, axis=1), pins])
    return write_table(path, header, rows)


def _say_concertina(made: Any, executed: Any, unit: str, paths: dict[str, Path]) -> None:
    why = f" ({made.reason})" if made.reason else ""
    print(f"{made.status}{why}: {made.cycles} cycles, head {made.final_distance:.3g} {unit} from the target")
    for contact in [c for c in made.contacts if c.held][:8]:
        print(
            f"  link {contact.link} held by obstacle {contact.obstacle} in cycle {contact.cycle}, stage {contact.stage}"
        )
    for text in made.warnings:
        print(f"  warning: {text}")
    if executed is not None:
        print(
            f"  carried out ({executed.status}) in {executed.time[-1]:.1f} s: head within {executed.head_errors.max() * 1e3:.2g} mm of the plan, "
            f"energy {executed.positive_work:.3g} J, torque {executed.torque_max.max():.3g} N m, pin {executed.pin_force_max.max():.3g} N, "
            f"contact {executed.contact_force_max.max():.3g} N"
        )
        for text in executed.warnings:
            print(f"  warning: {text}")
    for path in paths.values():
        print(f"  {path}")
