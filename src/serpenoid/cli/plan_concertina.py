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


def _robot_of(args: argparse.Namespace) -> Any:
    """The robot that is planned for: as named, MS-1 where a plan in link lengths is to be carried out, else none."""
    from serpenoid import robots

    robot = named_robot(args.robot)
    if robot is None and args.execute:
        robot = robots.ms1()
    return robot


def _plan(args: argparse.Namespace, robot: Any) -> Any:
    """The plan as a description."""
    import numpy as np

    from serpenoid.planning import ConcertinaPlan

    unit = "m" if args.robot is not None else "link lengths"
    if args.half_width is not None and args.execute:
        width = float(robot.radius.max()) / (1.0 if unit == "m" else float(robot.link_length.mean()))
        if args.half_width < width:
            raise InputError(
                f"--half-width {args.half_width:g} is less than that of {robot.name}, {width:.4g}, which carries the plan out"
            )
    return ConcertinaPlan(
        numbers(args.target, "--target"), heading=None if args.heading is None else float(np.radians(args.heading)),
        obstacles=_obstacles(args.obstacles), half_width=args.half_width, elbow=args.elbow, max_cycles=args.max_cycles, unit=unit,
    )  # fmt: skip


def _concertina(args: argparse.Namespace) -> int:
    from serpenoid.formats import files

    numbers(args.target, "--target")
    robot = _robot_of(args)
    asked = _plan(args, robot)
    if args.execute and args.robot is None and asked.obstacles:
        raise InputError("--execute among obstacles needs a robot with a width in m: give --robot ms1")
    out = results_folder(args, "plan-concertina")
    made = asked.solve(robot)
    told = made.summary()
    told["unit"] = "m" if told["unit"] == "m" else "links"
    result: dict[str, Any] = {**told, "heading_deg": args.heading}
    executed = _carry_out(args, robot, made) if args.execute and made.legs else None
    if executed is not None:
        result.update(_executed(executed))
    paths = _concertina_files(args, made, executed, out)
    result["files"] = {k: str(v) for k, v in paths.items()}
    paths["plan"] = files.write_json(out / "plan.json", result)
    if args.json:
        give(result)
    else:
        _say_concertina(made, executed, result, paths)
    return 0


def _carry_out(args: argparse.Namespace, robot: Any, made: Any) -> Any:
    """Carry the plan out in dynamics."""
    from serpenoid import control as execution
    from serpenoid.control.driver import motors_of
    from serpenoid.robots.ms1 import FITTINGS as MS1
    from serpenoid.robots.ms2 import FITTINGS as MS2

    fittings = {"ms1": MS1, "ms2": MS2}.get(robot.name)
    motors = execution.Motors(sensor=args.sensor) if fittings is None else motors_of(fittings, sensor=args.sensor)
    with bar("carrying out") as progress:
        return execution.execute(robot, made.legs, motors, made.obstacles, progress=progress)


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


def _say_concertina(made: Any, executed: Any, result: dict[str, Any], paths: dict[str, Path]) -> None:
    why = f" ({made.reason})" if made.reason else ""
    print(
        f"{made.status}{why}: {made.cycles} cycles, head {result['final_distance']:.3g} {result['unit']} from the target"
    )
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
