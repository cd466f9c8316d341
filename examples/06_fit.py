"""A continuous curve on robots that people build: how the error falls with the number of links."""

import serpenoid as sp
from serpenoid import shapes
from serpenoid.gaits.fit import fit

curve = shapes.named("sidewinding", length=2.0)
for make in (sp.robots.alternating, sp.robots.universal):
    worst = [fit(curve, make(links, 2.0)).worst for links in (10, 20, 40, 80)]
    print(
        f"{make.__name__:12s} worst error with 10, 20, 40, 80 links: " + ", ".join(f"{1e3 * e:.2f} mm" for e in worst)
    )

robot = sp.robots.universal(20, 2.0)
found = fit(curve, robot, limit=0.5)
print("joints beyond 0.5 rad:", found.exceeded or "none")
sp.view.shape_figure(curve.trace(), "fit.png", nodes=found.nodes, title="A sidewinding curve on 20 universal joints")
