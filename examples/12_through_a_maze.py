"""Through a maze: a field without local minima, a path, every link on it, and the robot fed along it between real walls."""

from pathlib import Path

import numpy as np

import serpenoid as sp
from serpenoid.control import Feeder
from serpenoid.core import Grid
from serpenoid.planning import find_path, follow, maps
from serpenoid.view.map import map_figure

out = Path("out")
out.mkdir(exist_ok=True)

CELL = 0.05  # m: corridors of 9 cells are 0.45 m wide
robot = sp.robots.rods(8, 1.6, 8.0, radius=0.04)  # links of 0.2 m: less than half a corridor
area = maps.read("maze", cell=CELL)
start, goal = CELL * np.array([5, 5]), CELL * np.array([65, 45])

# the obstacles grow by the robot's half width and half a cell; what is left is the room of its axis
path = find_path(area, start, goal, robot=robot)
print(f"path: {path.status}, {path.length:.2f} m; the field at the start is u = 1 - Phi = {path.u_start:.2e}")

body = follow(path, robot)  # link by link, the base 1 cell at a time
print(f"body: {len(body.base)} postures, {len(body.unsettled)} unsettled, links at least {100 * body.link_clearance:.1f} cm "
      f"clear of the walls, head {100 * body.head_to_goal:.1f} cm from the goal")  # fmt: skip
print("wrote", map_figure(path, out / "maze.png", body))

# the same way in dynamics: a feeder carries the base, servos turn the joints, walls can be touched
feeder = Feeder(robot, path.points, (Grid(area.solid, CELL),))
run = sp.simulate(robot, feeder, duration=feeder.longest, record_interval=0.02)
made = run.provenance["plan"]
print(f"fed: {run.status.name} in {run.duration:.1f} s, links' ends within {1e3 * made['lateral_error_max']:.1f} mm of the path, "
      f"walls entered by {1e3 * made['penetration_max']:.1f} mm")  # fmt: skip
print(f"     feeder up to {made['feed_force_max']:.1f} N, joints up to {made['torque_max']:.1f} N m, "
      f"slip {100 * run.metrics['slip_per_link']:.0f} cm")  # fmt: skip
print("wrote", run.film(out / "maze.gif", fps=6, size=(640, 360), speed=4.0))

# a wall across one corridor of the way, and the answer comes before anything is solved
i, j = np.rint(path.at(0.5 * path.length) / CELL).astype(int)
shut = area.walls.copy()
shut[i - 6 : i + 7, j - 6 : j + 7] = True
print("with the way shut:", find_path(maps.from_array(shut, CELL), start, goal, robot=robot).reason)
