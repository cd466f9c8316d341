"""Coupled oscillators take a robot from creeping forward to creeping back; then its shape gives way in a channel that is too narrow for it."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import serpenoid as sp
from serpenoid.core.obstacles import Wall

robot = sp.robots.ma2001(links=12)
creep = sp.gaits.Serpenoid(winding_angle=0.6, waves=1.5, speed=0.5)
run = sp.simulate(robot, sp.control.CPG((creep, creep.but(speed=-0.5)), times=(5.0,)), duration=10.0, step=1e-3)
print(f"forward to x = {run['com'][:, 0].max():.2f} m, back at {run['com'][-1, 0]:.2f} m")

figure, axes = plt.subplots(2, 2, figsize=(11.0, 7.0), layout="constrained")
axes[0, 0].plot(run["time"], run["joint_angle"][:, ::3])
axes[0, 0].set(title="joint angles of a network that changes its gait at 5 s", xlabel="time [s]", ylabel="angle [rad]")
axes[0, 1].plot(run["time"], run["com"][:, 0])
axes[0, 1].set(title="how far it is", xlabel="time [s]", ylabel="x [m]")

soft = sp.robots.rods(10, 1.0, 1.0, radius=0.02, servo=sp.control.Servo(20.0, 0.4))
gait = sp.gaits.Serpenoid(winding_angle=0.9, waves=1.5, speed=0.25)
bars = tuple(Wall((-1.5, y), (1.1, y), 0.1) for y in (-0.125, 0.125))
world = sp.World(sp.contact.Coulomb(0.1, 0.3), obstacles=bars)
for stiffness in (0.3, 1e4):
    yielding = sp.control.Admittance(gait, "amplitude", stiffness=stiffness)
    run = sp.simulate(soft, yielding, world, duration=12.0, step=2e-3)
    name = "gives way" if stiffness < 1.0 else "stiff"
    print(f"{name}: x = {run['com'][-1, 0]:.2f} m, torques up to {np.abs(run['joint_torque']).max():.2f} N m")
    axes[1, 0].plot(run["call_time"], run["gait_amplitude"], label=name)
    axes[1, 1].plot(run["time"], np.abs(run["joint_torque"]).max(axis=1), label=name)
axes[1, 0].set(title="amplitude, in a channel that ends at x = 1.1 m", xlabel="time [s]", ylabel="amplitude [rad]")
axes[1, 1].set(title="greatest torque of a joint", xlabel="time [s]", ylabel="torque [N m]")
axes[1, 1].legend()
out = Path("out")
out.mkdir(exist_ok=True)
figure.savefig(out / "21_change_gaits.png", dpi=110)
print(out / "21_change_gaits.png")
