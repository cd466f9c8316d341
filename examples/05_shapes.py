"""One backbone, three bodies: a helix as Frenet-Serret, as bellows, and rolled; then wheels to the ground."""

import numpy as np

import serpenoid as sp
from serpenoid import shapes

helix = shapes.named("helix", curvature=2.0, torsion=0.7, length=3.0)
bellows = shapes.to_bellows(helix)
rolled = shapes.roll(bellows, np.radians(60.0))
ends = [shape.trace().position[-1] for shape in (helix, bellows, rolled)]
for shape, end in zip((helix, bellows, rolled), ends, strict=True):
    print(f"{shape.model().name:8s} ends at {np.round(end, 6)}")

ramp = shapes.named("serpenoid3d")
leveled = shapes.level(shapes.roll(ramp, 1.0))
print(
    f"after levelling the back is at most {np.degrees(np.arccos(leveled.trace(400).frame[:, 2, 2].min())):.1f} deg off the vertical"
)
sp.view.shape_figure(bellows.trace(), "bellows.png", title="A helix drawn by a bellows")
