"""On ground with equal friction in all directions a wave goes nowhere; among pegs the same wave goes forward: the forces that push it, and a film."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import serpenoid as sp

figure, axes = plt.subplots(4, 1, figsize=(10.0, 8.0), layout="constrained", height_ratios=(1, 1, 1, 1.6))
runs = {"pegs": sp.run_scenario("pegs"), "no pegs": sp.run_scenario("pegs", ["world.obstacles=[]"])}
run, length = runs["pegs"], 1.2
for ax, t in zip(axes[:3], (0.6, 2.4, 4.2), strict=True):
    k = int(np.searchsorted(run["time"], t))
    for peg in run.scenario["world"]["obstacles"]:
        ax.add_patch(plt.Circle(peg["centre"], peg["radius"], color="tan", ec="grey"))
    ax.plot(run["node"][k, :, 0], run["node"][k, :, 1], "o-", color="seagreen", lw=7, ms=6, alpha=0.7, solid_capstyle="round")  # fmt: skip
    place, force = run["wall_point"][k], run["wall_force"][k]
    pressed = np.linalg.norm(np.nan_to_num(force), axis=1) > 0.05
    ax.quiver(
        *place[pressed, :2].T, *force[pressed, :2].T, color="crimson", angles="xy", scale_units="xy", scale=30.0, zorder=3, width=0.004
    )  # fmt: skip
    total = np.nan_to_num(force[:, 0]).sum()
    ax.set(xlim=(-0.2, 2.7), ylim=(-0.28, 0.28), aspect="equal", ylabel="y [m]", title=f"t = {run['time'][k]:.1f} s: pegs push with {total:.1f} N forward")  # fmt: skip
for name, run in runs.items():
    progress = (run["com"][:, 0] - run["com"][0, 0]) / length
    print(f"{name}: {progress[-1]:+.3f} body lengths forward in {run.duration:g} s")
    axes[3].plot(run["time"], progress, label=name)
axes[3].set(xlabel="time [s]", ylabel="body lengths forward")
axes[3].legend()
out = Path("out")
out.mkdir(exist_ok=True)
figure.savefig(out / "22_push_against_pegs.png", dpi=110)
sp.view.film(runs["pegs"], out / "22_push_against_pegs.mp4")
print(out / "22_push_against_pegs.png", out / "22_push_against_pegs.mp4")
