"""Friction that truly sticks, bends that are lifted, a body that stops at its own surface."""

import numpy as np

import serpenoid as sp

robot = sp.robots.rods(links=12, length=0.9, mass=1.2)
ground = sp.contact.Coulomb(along=0.1, across=0.5)

# slow gaits cover the distance of fast ones: how far in one cycle?
for speed in (0.02, 0.0002):
    gait = sp.gaits.Serpenoid(winding_angle=0.6, waves=1.5, speed=speed)
    cycle = gait.period(robot)
    run = sp.simulate(robot, gait, sp.World(friction=ground), duration=2 * cycle, step=cycle / 2000)
    print(f"{1000 * speed:5.1f} mm/s along the curve: {run.metrics['com_distance'] / 2:.4f} m in a cycle")

# a limp robot on a plane that slopes by 10 degrees stays where it is
slope = sp.World(friction=sp.contact.Coulomb(along=0.5, across=0.5, axes="together"), slope=np.radians(10.0))
rest = sp.simulate(robot, None, slope, duration=5.0)
print(f"on 10 degrees with a coefficient of 0.5 it slides {rest.metrics['com_distance'] * 1e9:.3f} nm in 5 s")

# snakes lift their bends: the straight stretches carry the weight
gait = sp.gaits.Serpenoid(winding_angle=0.6, waves=1.5, speed=0.2)
for load in (None, sp.contact.LiftedBends(curvature=3.0)):
    scales = sp.contact.Coulomb(along=0.1, across=0.3)
    run = sp.simulate(robot, gait, sp.World(friction=scales, load=load), duration=12.0)
    print(f"{'bends lifted' if load else 'lying flat  '}: {run.metrics['com_distance']:.3f} m in 12 s")

# servos wind a robot into a ring that is too tight: its links keep each other apart
times = np.linspace(0.0, 2.0, 5)
ring = sp.gaits.Sampled(times=times, values=np.outer(times / 2.0, np.full(11, 0.75)))
thick = robot.but(radius=np.full(12, 0.03), servo=sp.control.Servo(stiffness=4.0, damping=0.2))
for touching in (None, sp.core.SelfContact()):
    run = sp.simulate(thick, ring, sp.World(friction=ground, self_contact=touching), duration=3.0)
    print(f"links overlap by {1000 * run.metrics['self_overlap']:.1f} mm with contact {'on' if touching else 'off'}")
