"""serpenoid export: a robot, a scenario or a run as files that others can use."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from serpenoid.cli.arguments import add_changes, allowed, refusal
from serpenoid.cli.terminal import bar, give

TEXT = "write a robot, a scenario or a run as a file for others"
FORMATS = {
    "html": "one page that runs by itself", "urdf": "the robot for ROS", "mjcf": "robot, ground and gait for MuJoCo, with a program",
    "sdf": "the robot for Gazebo", "csv": "joint angles in time", "vtk": "frames for ParaView", "mcap": "poses for Foxglove",
    "rosbag": "poses and joints as a ROS 2 bag", "pdf": "the figure for print", "svg": "the figure to be edited",
    "dynamixel": "positions for a Dynamixel bus", "feetech": "positions for a Feetech bus",
}  # fmt: skip
ROBOT = ("urdf", "sdf")
FIGURES = ("pdf", "svg")
BUSES = ("dynamixel", "feetech")
TABLES = ("csv", "mjcf", *BUSES)  # formats with a table of joint angles
NEXT = {
    "html": "open {0} in a browser", "urdf": "load {0} in your tool", "sdf": "load {0} in your tool",
    "mjcf": 'python -c "import mujoco; print(mujoco.MjModel.from_xml_path(\'{0}\').nq)"', "vtk": "paraview {0}",
    "csv": "play {0} on your robot, or as a gait: kind = \"sampled\", file = \"{0.name}\"", "mcap": "open {0} in Foxglove",
    "rosbag": "ros2 bag play {0}", "dynamixel": "see the page on real servos before you play {0}",
    "feetech": "see the page on real servos before you play {0}",
}  # fmt: skip
ENDINGS = {"mjcf": ".xml", "vtk": ".pvd", "rosbag": "-bag", "dynamixel": "-dynamixel.csv", "feetech": "-feetech.csv"}


def add(sub: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    sub.add_argument(
        "thing",
        nargs="+",
        metavar="SCENARIO|TRAJECTORY|ROBOT",
        help="what to write; two for html: compared on one timeline",
    )
    add_changes(sub)
    sub.add_argument(
        "--to", required=True, choices=tuple(FORMATS), help="; ".join(f"{k}: {v}" for k, v in FORMATS.items())
    )
    sub.add_argument("--out", metavar="FILE", help="file to write (default out/NAME with the format's ending)")
    sub.add_argument("--force", action="store_true", help="replace the file if it exists")
    sub.add_argument("--rate", type=float, metavar="HZ", help="csv, mjcf, buses: samples per second (default 50)")
    sub.add_argument(
        "--limit", type=float, metavar="RAD", help="csv, mjcf, buses: no angle beyond this (default: the robot's stops)"
    )
    sub.add_argument(
        "--speed",
        type=float,
        metavar="RAD/S",
        help="csv, mjcf, buses: no joint faster than this (default: its servos' limit)",
    )
    sub.add_argument("--fixed-base", action="store_true", help="urdf: the tail is the root, without a floating joint")


def command(args: argparse.Namespace) -> int:
    """Write a file: html is the studio's page, urdf, mjcf and sdf are robots, the rest are runs."""
    name = Path(args.thing[0]).stem
    path = Path(args.out) if args.out else Path("out") / f"{name}{ENDINGS.get(args.to, '.' + args.to)}"
    if len(args.thing) > (2 if args.to == "html" else 1):
        raise refusal("html takes two things at most, all other formats one")
    _check_options(args)
    _make_room(args, path)
    modules = allowed(args.allow)
    with bar(f"writing {path.name}") as progress:
        paths, notes = _page(args, path, modules) if args.to == "html" else _written(args, path, modules, progress)
    if args.json:
        sizes = {str(one): one.stat().st_size for one in paths if one.is_file()}
        give(
            {
                "status": "ok",
                "file": str(paths[0]),
                "files": [str(one) for one in paths],
                "bytes": sizes,
                "warnings": notes,
            }
        )
    else:
        size = f" ({paths[0].stat().st_size / 1e6:.2f} MB)" if paths[0].is_file() else ""
        print(f"{', '.join(str(one) for one in paths)}{size}")
        for note in notes:
            print(f"  note: {note}")
        print(f"  next: {_next(args.to, paths)}")
    return 0


def _next(to: str, paths: list[Path]) -> str:
    """What to do with a file."""
    if to == "mjcf" and len(paths) > 1:
        return f"python {paths[-1]}  (moves it in MuJoCo; --view shows it)"
    return NEXT.get(to, "open {0}").format(paths[0])


def _check_options(args: argparse.Namespace) -> None:
    """Refuse options that the format does not heed, and numbers that are none, before anything is computed."""
    import math

    for name in ("rate", "limit", "speed"):
        value = getattr(args, name)
        if value is not None and args.to not in TABLES:
            raise refusal(f"--{name} is for {', '.join(TABLES)}; {args.to} does not heed it")
        if value is not None and not (math.isfinite(value) and value > 0.0):
            raise refusal(f"--{name} must be a finite number > 0, got {value:g}")
    if args.fixed_base and args.to != "urdf":
        raise refusal(f"--fixed-base is for urdf; {args.to} does not heed it")
    if args.set and any(_saved(name) is not None for name in args.thing):
        raise refusal("--set changes keys of a scenario; a run that is saved is written as it is")


def _targets(to: str, path: Path) -> list[Path]:
    """All files and folders that a format writes."""
    if to == "mjcf":
        return [path, path.with_name(f"{path.stem}-joints.csv"), path.with_name(f"{path.stem}.py")]
    return [path.with_suffix(".pvd"), path.with_suffix("")] if to == "vtk" else [path]


def _make_room(args: argparse.Namespace, path: Path) -> None:
    """Refuse to replace anything unasked, and folders that hold something else."""
    import os

    for target in _targets(args.to, path):
        if os.path.lexists(target) and not args.force:
            raise refusal(f"{target} exists already; give another --out, or --force to replace it")
        if target.is_dir() and not target.is_symlink():
            known = {"vtk": "frame000000.vtp", "rosbag": "metadata.yaml"}.get(args.to)
            if known is None or not (target / known).is_file():
                raise refusal(f"{target} is a folder of something else; it is not replaced")


@contextlib.contextmanager
def _set_aside(to: str, path: Path) -> Iterator[None]:
    """Keep a frames' folder or a bag that is to be replaced until the new one is whole; where that fails, put it back."""
    import shutil
    import tempfile

    old = next((one for one in _targets(to, path) if one.is_dir() and not one.is_symlink()), None)
    if old is None:
        yield
        return
    with tempfile.TemporaryDirectory(dir=old.parent, prefix=".replaced-") as kept:
        aside = old.rename(Path(kept) / old.name)
        try:
            yield
        except BaseException:
            shutil.rmtree(old, ignore_errors=True)
            aside.rename(old)
            raise


def _saved(name: str) -> Path | None:
    """The file of a run that is saved: the file itself, or that of a run's folder."""
    from serpenoid.formats.scenario import bundled

    path = Path(name)
    if name in bundled():
        return None
    if path.is_dir() and (path / "trajectory.nc").is_file():
        return path / "trajectory.nc"
    return path if path.suffix == ".nc" else None


def _page(args: argparse.Namespace, path: Path, modules: tuple[str, ...]) -> tuple[list[Path], list[str]]:
    """The studio's page with live sliders for scenarios and replay for trajectories."""
    from serpenoid.studio.assets import write_html
    from serpenoid.studio.items import opened

    items = [opened(name, changes=args.set, allow=modules, outside=args.allow_outside) for name in args.thing]
    return [write_html(items, path)], [item["why"] for item in items if item.get("why")]


def _written(
    args: argparse.Namespace, path: Path, modules: tuple[str, ...], progress: Any
) -> tuple[list[Path], list[str]]:
    """Any other file."""
    from serpenoid.formats.files import write_text

    if args.to in ROBOT or (args.to == "mjcf" and _is_preset(args.thing[0])):
        from serpenoid.formats.losses import robot_losses
        from serpenoid.formats.mjcf import mjcf_text
        from serpenoid.formats.sdf import sdf_text
        from serpenoid.formats.urdf import urdf_text

        robot = _robot(args, modules)
        texts = {"sdf": sdf_text, "mjcf": mjcf_text, "urdf": lambda one: urdf_text(one, floating=not args.fixed_base)}
        text = texts[args.to](robot)
        return [write_text(path, text)], robot_losses(robot, args.to)
    run = _run(args, modules, progress)
    if args.to in FIGURES:
        from serpenoid import view
        from serpenoid.view.style import using

        with using("print" if args.to == "pdf" else "screen"):
            return [view.figure(run, path)], []
    from serpenoid.formats import motion
    from serpenoid.formats.mjcf import program_text
    from serpenoid.simulation.setup import setup_of

    if args.to in BUSES:
        from serpenoid.formats.bus import bus_named, table_of, write_bus_table
        from serpenoid.formats.easing import APPROACH, eased

        robot = setup_of(dict(run.scenario), allow=modules, limp=True).robot
        bus = bus_named(args.to)
        steps = [int(min(limit, bus.reach) / bus.step * (1.0 + 1e-12)) for limit in _limits(robot, args.limit)]
        most = [bus.step * count for count in steps]  # whole steps, so that rounding keeps the limit
        speeds = _speeds(robot, args.speed)
        commands = motion.commands_of(run, args.rate or 50.0, limit=most, speed=speeds, resolution=bus.step)
        whole = eased(commands, limit=most, approach=[min(APPROACH, speed) for speed in speeds])
        return [write_bus_table(table_of(whole, bus), path)], list(commands.notes)
    if args.to in ("csv", "mjcf"):
        robot = setup_of(dict(run.scenario), allow=modules, limp=True).robot
        table = path if args.to == "csv" else path.with_name(f"{path.stem}-joints.csv")
        limits = {"limit": _limits(robot, args.limit), "speed": _speeds(robot, args.speed)}
        model = _model(run, robot, modules) if args.to == "mjcf" else None
        _, notes = motion.write_csv(run, table, args.rate or 50.0, **limits)
        if model is None:
            return [table], list(notes)
        program, title = path.with_name(f"{path.stem}.py"), str(run.scenario.get("title") or path.stem)
        write_text(path, model[0])
        write_text(program, program_text(title, path.name, table.name, program.name, 1.0 / (args.rate or 50.0)))
        return [path, table, program], [*notes, *model[1]]
    writers = {"vtk": motion.write_vtk, "mcap": motion.write_mcap, "rosbag": motion.write_rosbag}
    with _set_aside(args.to, path):
        return [writers[args.to](run, path)], []


def _limits(robot: Any, given: float | None) -> list[float]:
    """Largest angle of each axis: the robot's stop or what was given, whichever is narrower; inf without either."""
    import math

    return [min(float(robot.joint_limit[joint - 1]), given or math.inf) for joint, _ in robot.axes]


def _speeds(robot: Any, given: float | None) -> list[float]:
    """Largest speed of each axis, likewise."""
    import math

    servos = [robot.servos[joint - 1] for joint, _ in robot.axes]
    own = [
        () if servo is None else (servo.speed_limit or math.inf, servo.no_load_speed or math.inf) for servo in servos
    ]
    return [min(given or math.inf, *limits) if limits else given or math.inf for limits in own]


def _model(run: Any, robot: Any, modules: tuple[str, ...]) -> tuple[str, list[str]]:
    """The model with the start of a run, and what it leaves out."""
    import numpy as np

    from serpenoid.formats.losses import robot_losses, world_losses
    from serpenoid.formats.mjcf import mjcf_text, skin_radii
    from serpenoid.formats.motion import quaternions_of
    from serpenoid.simulation.engines import grounded
    from serpenoid.simulation.setup import setup_of

    world = grounded(setup_of(dict(run.scenario), allow=modules, limp=True)).world
    place, lift = run["node"][0, 0].copy(), float(skin_radii(robot).max()) if not run["node"][..., 2].any() else 0.0
    place[2] += lift  # a planar run lies at height 0, a body with thickness on the ground
    qpos = np.concatenate([place, quaternions_of(run)[0, 0], run["joint_angle"][0]])
    pins = "anchor_set" in run and bool(np.any(run["anchor_set"]))
    lost = ["pins that were set in the run are not written: the robot will move otherwise"] if pins else []
    return mjcf_text(robot, world, qpos=qpos), [*robot_losses(robot, "mjcf"), *world_losses(world), *lost]


def _is_preset(name: str) -> bool:
    """Whether a name is that of a robot alone."""
    from serpenoid.core.robot import ROBOTS
    from serpenoid.formats.scenario import bundled

    return name in ROBOTS and name not in bundled()


def _robot(args: argparse.Namespace, modules: tuple[str, ...]) -> Any:
    """The robot of a preset, a scenario or a run."""
    from serpenoid.core.robot import ROBOTS
    from serpenoid.formats.scenario import read
    from serpenoid.simulation.setup import setup_of

    name = args.thing[0]
    if _is_preset(name):
        if args.set:
            raise refusal("--set changes keys of a scenario; a robot's preset is written as it is")
        return ROBOTS[name]()
    if (path := _saved(name)) is not None:
        return setup_of(dict(_loaded(str(path)).scenario), allow=modules, limp=True).robot
    return setup_of(read(name, args.set, allow=modules, outside=args.allow_outside)).robot


def _loaded(name: str) -> Any:
    from serpenoid.formats.trajectory import load

    return load(name)


def _run(args: argparse.Namespace, modules: tuple[str, ...], progress: Any) -> Any:
    """A saved run, or a scenario carried out."""
    from serpenoid.core.trajectory import FAILED
    from serpenoid.formats.scenario import read
    from serpenoid.simulation.run import execute
    from serpenoid.simulation.setup import setup_of

    name = args.thing[0]
    failed: tuple[str, ...] = FAILED
    if (path := _saved(name)) is not None:
        run, failed = _loaded(str(path)), () if args.to in FIGURES else ("diverged",)
    else:
        setup = setup_of(read(name, args.set, allow=modules, outside=args.allow_outside))
        run = execute(setup, progress=progress)
    if run.status.name in failed:
        from serpenoid.core.errors import NumericalError

        raise NumericalError(f"nothing is written: the run ended as {run.status.name}: {run.status.message}")
    return run
