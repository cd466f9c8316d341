"""What a sidewinder bears: joints that fail, hills and steps; then a pole and a slope."""

import math

import numpy as np

import serpenoid as sp
from serpenoid.core.actuator import Servo
from serpenoid.core.terrain import Box, Ground, HeightField

robot, servo = sp.robots.alternating(16, radius=0.03), Servo(stiffness=60.0, damping=1.5)
gait = sp.gaits.Sidewinding(0.6, math.pi, math.radians(40.0), math.radians(90.0), vertical_amplitude=0.3)
law = sp.contact.Coulomb(along=0.7, across=0.7)
level = sp.World(law, ground=Ground())

print("how far to its side in 10 s, with so many of 15 joints failed (mean of five draws):")
rng = np.random.default_rng(1)
draws = [rng.permutation(np.arange(1, 16)).tolist() for _ in range(5)]
for failure in ("locked", "limp"):  # locked: straight and stiff; limp: without torque
    far = []
    for count in (0, 1, 2, 4):
        runs = [sp.simulate(robot.but(servo=servo, **{failure: draw[:count]}), gait, level, 10.0) for draw in draws]
        far.append(f"{count}: {np.mean([run.metrics['com_dy'] for run in runs]):+.2f} m")
    print(f"  {failure:6s} {', '.join(far)}")

print("over hills, 15 s:")
x, y = np.meshgrid(np.arange(-2.0, 4.0, 0.1), np.arange(-2.0, 6.0, 0.1))
shape = np.sin(3.0 * x + 1.0) * np.cos(2.3 * y) + 0.5 * np.sin(7.0 * y - 2.0 * x)
for height in (0.0, 0.02, 0.06):  # m
    ground = Ground(heights=HeightField(height * shape, cell=0.1, origin=(-2.0, -2.0)))
    run = sp.simulate(robot.but(servo=servo), gait, sp.World(law, ground=ground), 15.0)
    print(f"  {100 * height:.0f} cm: {run.metrics['path_length']:.2f} m")

print("up three steps, 20 s (the body is 6 cm thick):")
for rise in (0.01, 0.03, 0.08):  # m
    steps = [Box((0.5, 0.5 + 0.4 * k, 0.5 * rise * (k + 1)), (3.0, 0.4, rise * (k + 1))) for k in range(3)]
    run = sp.simulate(robot.but(servo=servo), gait, sp.World(law, ground=Ground(), obstacles=tuple(steps)), 20.0)
    up = run["com"][:, 2].max() - run["com"][0, 2]
    print(f"  {100 * rise:.0f} cm each: {run.metrics['com_dy']:+.2f} m across, {100 * up:.1f} cm up")

for name in ("pole", "slope"):
    print(f"scenario {name}: {100 * sp.run_scenario(name, ['run.duration=10.0']).metrics['com_dz']:.0f} cm up in 10 s")
