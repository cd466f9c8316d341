"""Which number of robot, gait and ground matters for speed and cost, and by how much? Derivatives through dry friction, with a certificate."""

from pathlib import Path

import serpenoid as sp
from serpenoid.view.gradient import gradient_figure

out = Path("out")
out.mkdir(exist_ok=True)
robot = sp.robots.ma2001(links=10).but(joint_damping=0.02)
world = sp.World(sp.contact.Coulomb(along=0.1, across=0.5, backward=0.2, smoothing=1e-2))
run = sp.simulate(robot, sp.gaits.Serpenoid(0.7, 1.6, 0.3), world, duration=5.0, step=2.5e-3)

over = [
    "gait.winding_angle", "gait.waves", "gait.speed", "world.friction.along", "world.friction.backward", "world.friction.across", "robot.link_mass",
    "robot.joint_damping",
]  # fmt: skip
found = sp.gradient(run, of=["com_distance", "cost_of_transport"], over=over, certify=0.01)
print(found)

cost = found["cost_of_transport"]
dearest = max(over, key=lambda key: abs(cost.slopes[key].relative or 0.0))
print(f"most for the cost of transport: {dearest}, {cost.slopes[dearest].relative:+.2f} % for 1 % more of it")
print("wrote", gradient_figure(found, out / "what-matters.png"))
