"""A creeping robot follows a path by line of sight, from off it and round its corners; its way and its distance from the path in a figure."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import serpenoid as sp

robot = sp.robots.ma2001(links=16)
gait = sp.gaits.Serpenoid(winding_angle=0.7, waves=2, speed=0.8)
path = ((0.0, 0.0), (5.0, 0.0), (5.0, 4.0), (1.0, 4.0))

figure, (left, right) = plt.subplots(1, 2, figsize=(11.0, 4.8), layout="constrained")
left.plot(*np.transpose(path), "k--", label="path")
for look_ahead in (0.5, 1.3, 4.0):
    follow = sp.control.LineOfSight(gait, path, look_ahead=look_ahead)
    run = sp.simulate(robot, follow, duration=60.0, start=sp.Start((-1.0, 1.0)), step=1e-3)
    print(f"{look_ahead} m ahead: {run.status.name} after {run.duration:.1f} s, {abs(run['path_distance'][-1]):.3f} m beside it")  # fmt: skip
    left.plot(run["com"][:, 0], run["com"][:, 1], label=f"look ahead {look_ahead} m")
    right.plot(run["call_time"], run["path_distance"])
left.plot(run["node"][-1, :, 0], run["node"][-1, :, 1], "k", lw=3)
left.set(xlabel="x [m]", ylabel="y [m]", aspect="equal", title="centre of gravity")
left.legend(loc="center")
right.set(xlabel="time [s]", ylabel="distance from the path, to the left [m]", title="it jumps where a stretch begins")
out = Path("out")
out.mkdir(exist_ok=True)
figure.savefig(out / "20_follow_a_path.png", dpi=110)
print(out / "20_follow_a_path.png")
