"""Rubble on the ground: the free robot undulates along its path by itself, if the ground lets it."""

from pathlib import Path

import numpy as np

import serpenoid as sp
from serpenoid.contact import Coulomb
from serpenoid.control import Creeper, PathDrive, Undulation
from serpenoid.core import Grid
from serpenoid.planning import find_path, maps
from serpenoid.view.map import map_figure

out = Path("out")
out.mkdir(exist_ok=True)

CELL = 0.05  # m
robot = sp.robots.rods(8, 1.6, 8.0, radius=0.04)
area = maps.read("rubble", cell=CELL)
path = find_path(area, CELL * np.array([8, 10]), CELL * np.array([112, 70]), robot=robot)
walls = (Grid(area.solid, CELL),)
print(f"path: {path.status}, {path.length:.2f} m, at least {100 * path.min_clearance:.0f} cm from the rubble's nodes")
print("wrote", map_figure(path, out / "rubble.png"))


def creep(friction: Coulomb) -> sp.Trajectory:
    """The robot on this path, on a ground with this friction."""
    creeper = Creeper(robot, path.points, walls, PathDrive(friction=friction))
    return sp.simulate(robot, creeper, duration=creeper.longest, record_interval=0.02)


# thrust comes from friction across the links: the less there is along them, the less the body slips
for along in (0.02, 0.05):
    run = creep(Coulomb(along, 0.5))
    made = run.provenance["plan"]
    print(f"friction {along:g} along, 0.5 across: {run.status.name} in {run.duration:.1f} s, head {100 * made['head_to_goal']:.1f} cm from the goal, "
          f"slip {100 * run.metrics['slip_per_link']:.0f} cm, lateral error up to {100 * made['lateral_error_max']:.1f} cm, "
          f"work {run.metrics['positive_work']:.0f} J")  # fmt: skip
print("wrote", run.film(out / "rubble.gif", fps=6, size=(640, 360), speed=4.0))

even = creep(Coulomb(0.2, 0.2))
print(f"friction 0.2 both ways: {even.status.name}: {even.status.message}")
try:
    Creeper(robot, [[0.0, 0.0], [4.0, 0.0]], wave=Undulation(amplitude=0.0))
except sp.SerpenoidError as error:
    print("without a wave:", error)
