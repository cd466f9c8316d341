"""serpenoid plan concertina: the mechanical snake to a target among obstacles."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any

from serpenoid.cli.arguments import numbers, results_folder
from serpenoid.cli.planned import carried_out, finish, named_robot
from serpenoid.cli.terminal import bar

TEXT = "the mechanical snake to a target, by concertina"
DESCRIPTION = "Lengths are in link lengths, or in m with --robot."
USAGE = None


def add(one: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    one.add_argument("--target", required=True, metavar="X,Y", help="where the head goes: links, or m with --robot")
    one.add_argument("--heading", type=float, metavar="DEG", help="heading of the head there")
    one.add_argument("--obstacles", metavar="FILE", help="a TOML file of discs, polygons and walls")
    one.add_argument("--robot", metavar="NAME", help="a robot of seven links, such as ms1 (default: unit links)")
    one.add_argument("--elbow", choices=("paper", "mirror", "auto"), default="paper", help="side of the folds")
    one.add_argument("--half-width", type=float, metavar="W", help="of the links (default: 0, or the robot's)")
    one.add_argument("--max-cycles", type=int, default=200, metavar="N", help="cycles at most (default 200)")
    one.add_argument("--execute", action="store_true", help="carry the plan out in dynamics")
    one.add_argument("--sensor", choices=("tactile", "torque"), default="tactile", help="how contact is felt")


def command(args: argparse.Namespace) -> int:
    """Plan a concertina motion to a target, and carry it out where asked."""
    from serpenoid.formats.yard import read_yard
    from serpenoid.planning import ConcertinaPlan

<<<<<<< HEAD
    robot = named_robot(args.robot)
    plan = ConcertinaPlan(
        target=numbers(args.target, "--target"),
        heading=None if args.heading is None else math.radians(args.heading),
        obstacles=read_yard(args.obstacles).obstacles if args.obstacles else (),
        half_width=args.half_width, elbow=args.elbow, max_cycles=args.max_cycles, sensor=args.sensor,
        unit="link lengths" if robot is None else "m",
    )  # fmt: skip
    body = named_robot("ms1") if robot is None and args.execute else robot
    out = results_folder(args, "plan-concertina")
    with bar("planning"):
        solution = plan.solve(body)
    result = solution.summary()
    run = carried_out(body, plan) if args.execute and solution.legs else None
    paths = _files(args, solution, out)
    return finish(args, result, run, paths, out, lines(result))


def _files(args: argparse.Namespace, solution: Any, out: Path) -> dict[str, Path]:
    """Pictures, the film and the timed motion of a plan."""
    from serpenoid.formats.files import write_table
    from serpenoid.view.concertina import steps_figure
=======
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
>>>>>>> main
    from serpenoid.view.plans import plan_film

    paths = {"steps": steps_figure(solution, out / "steps.png")}
    if solution.legs:
        paths["motion"] = write_table(out / "motion.csv", *solution.table())
        if (not args.json) if args.film is None else args.film:
            with bar("drawing plan.mp4") as progress:
                paths["film"] = plan_film(solution, out / "plan.mp4", size=args.film_size, progress=progress)
    return paths


<<<<<<< HEAD
def lines(result: dict[str, Any]) -> list[str]:
    """What matters of a concertina plan, in a few lines."""
    why = f" ({result['reason']})" if result["reason"] else ""
    found = [
        f"{result['status']}{why}: {result['cycles']} cycles, head {result['final_distance']:.3g} {result['unit']} from the target"
    ]
    for contact in [c for c in result["contacts"] if c["held"]][:8]:
        found.append(
            f"  link {contact['link']} held by obstacle {contact['obstacle']} in cycle {contact['cycle']}, stage {contact['stage']}"
=======
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
>>>>>>> main
        )
    return found
