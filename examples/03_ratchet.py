"""Scales: a standing wave goes nowhere, unless sliding backward is harder than sliding forward."""

import math

import serpenoid as sp

robot = sp.robots.rods(links=20, length=1.0, mass=1.0)
gait = sp.gaits.StandingWave(amplitude=0.8, waves=1.0, frequency=2 * math.pi)
for forward, backward in ((1.0, 3.0), (3.0, 1.0), (1.0, 1.0)):
    law = sp.contact.UnitSlip(along=forward, backward=backward, across=2.0)
    run = sp.simulate(robot, gait, sp.World(friction=law), duration=8.0)
    print(f"forward {forward:g}, backward {backward:g}: travelled {run.metrics['com_dx']:+.4f} m")
