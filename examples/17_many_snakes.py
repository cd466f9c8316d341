"""Two thousand snakes in one call: where do robots of 6 to 25 links get to, with gaits drawn at random? The cloud of them, and the ten fastest."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import serpenoid as sp

CELLS = 2000
rng = np.random.default_rng(7)
links = rng.integers(6, 26, CELLS)
robots = {n: sp.robots.ma2001(links=int(n)) for n in np.unique(links)}  # cells share what is the same
gaits = [
    sp.gaits.Serpenoid(winding_angle=float(angle), waves=float(waves), speed=0.8)
    for angle, waves in zip(rng.uniform(0.1, 1.5, CELLS), rng.uniform(0.8, 3.0, CELLS), strict=True)
]
batch = sp.simulate_many([robots[n] for n in links], gaits, sp.World(), 4.0, step=2e-3)
print(batch)

m, angle = batch.metrics, np.degrees([gait.winding_angle for gait in gaits])
for k in np.argsort(m["com_distance"])[::-1][:10]:
    print(
        f"{links[k]:2d} links, {angle[k]:4.1f} degrees, {gaits[k].waves:.2f} waves: {m['com_distance'][k]:.2f} m, "
        f"cost of transport {m['cost_of_transport'][k]:.2f}"
    )

figure, (left, right) = plt.subplots(1, 2, figsize=(11.0, 4.8), layout="constrained")
left.scatter(m["com_dx"], m["com_dy"], c=angle, s=5, cmap="viridis")
left.set(
    xlabel="displacement along x in 4 s [m]", ylabel="along y [m]", title="where 2000 snakes get to", aspect="equal"
)
fine = m["cost_of_transport"] < 20.0
shown = right.scatter(m["com_distance"][fine], m["cost_of_transport"][fine], c=angle[fine], s=5, cmap="viridis")
right.set(xlabel="distance in 4 s [m]", ylabel="cost of transport", yscale="log", title="how far, and at what cost")
figure.colorbar(shown, ax=right, label="winding angle (degrees)")
out = Path("out")
out.mkdir(exist_ok=True)
figure.savefig(out / "17_many_snakes.png", dpi=110)
print(out / "17_many_snakes.png")
