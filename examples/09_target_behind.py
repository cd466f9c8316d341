"""The mechanical snake turns to a target behind it: planned by concertina, drawn, filmed, and carried out in dynamics."""

from pathlib import Path

import numpy as np

import serpenoid as sp
from serpenoid.control import ConcertinaDriver
from serpenoid.planning import ConcertinaPlan
from serpenoid.view.concertina import forces_figure, steps_figure
from serpenoid.view.plans import plan_film

out = Path("out")
out.mkdir(exist_ok=True)

print("cycles to a target 10 link lengths away (the head starts at (4, 0) and looks along x):")
for degrees in range(0, 360, 45):
    way = np.radians(degrees)
    found = ConcertinaPlan((2.0 + 10.0 * np.cos(way), 10.0 * np.sin(way))).solve()
    print(f"  {degrees:3d} deg: {found.status} in {found.cycles}")

behind = ConcertinaPlan((-10.0, 0.0)).solve()
print(
    f"straight behind, (-10, 0): {behind.status} in {behind.cycles} cycles, {behind.final_distance:.1e} link lengths off"
)
print("wrote", steps_figure(behind, out / "target-behind.png"))
print("wrote", plan_film(behind, out / "target-behind.gif", fps=10, speed=25.0))

# in metres, with masses, motors and pins; gentle turns, for tight folds ask much of servos
robot = sp.robots.ms1()
way = ConcertinaPlan((-4 * 0.18, 0.0), bearing_limit=np.radians(45.0)).solve(robot)
driver = ConcertinaDriver(robot, way.legs)
run = sp.simulate(robot, driver, duration=driver.longest, record_interval=0.02)
made = run.provenance["plan"]
print(f"executed with {robot.name} to (-0.72, 0) m: {run.status.name}, {way.cycles} cycles in {run.duration:.0f} s, "
      f"head {1e3 * made['head_error']:.2f} mm off the plan")  # fmt: skip
print(f"  torques to {max(made['torque_max']):.1f} N m, pins to {max(made['pin_force_max']):.0f} N, "
      f"work {run.metrics['positive_work']:.0f} J; {', '.join(run.warnings) or 'no warnings'}")  # fmt: skip
print("wrote", forces_figure(run, out / "target-behind-forces.png"))
