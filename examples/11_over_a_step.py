"""The mechanical snake in three dimensions: MS-1 on hills, MS-2 over the highest step it can take."""

from pathlib import Path

import serpenoid as sp
from serpenoid.studies.shan1993 import crossing

out = Path("out")
out.mkdir(exist_ok=True)

hills = crossing.rough_ground(height=0.015)
for joints in ("universal", "yaw"):  # with passive vertical hinges, and without
    run = crossing.follow_ground(hills, sp.robots.ms1(joints=joints))
    print(
        f"MS-1 with {joints} joints: middles of the links {1e3 * run.metrics['bridged']:.1f} mm off the ground in the mean"
    )

highest, tried = crossing.highest_step(low=0.06, step=0.01)
for run in tried:
    print(f"step of {100 * run.metrics['step_height']:.1f} cm: {'passed' if run.metrics['passed'] else 'not passed'}")
print(f"highest step passed: {100 * highest:.1f} cm")

best = [run for run in tried if run.metrics["passed"]][-1]
print("wrote", best.film(out / "step.mp4", fps=12, size=(640, 360)))
