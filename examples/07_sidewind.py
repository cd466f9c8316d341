"""Sidewinding in three dimensions: the two gaits of Sarrafan et al. (2012), and what the phase between their waves does."""

import math

import serpenoid as sp
from serpenoid.core.actuator import Servo
from serpenoid.core.terrain import Ground

world = sp.World(friction=sp.contact.Coulomb(along=0.8, across=0.8), ground=Ground())
servo, duration = Servo(stiffness=60.0, damping=1.5), 20.0  # N m/rad, N m s/rad, s

print("six links, both waves 30 degrees high, delta_0 apart:")
for phase in (0.0, 90.0, -90.0):  # degrees
    gait = sp.gaits.Sidewinding(phase_offset=math.radians(phase))  # the other numbers are the paper's
    run = sp.simulate(sp.robots.sarrafan2012(servo=servo), gait, world, duration)
    m = run.metrics
    way = "lies flat and sidewinds" if abs(m["roll_rate_mean"]) < 0.1 else "rolls"
    print(f"  {phase:4.0f} deg: {m['path_length']:.2f} m in {duration:g} s, {m['roll_rate_mean']:+.2f} rad/s: {way}")

print("a body that rolls at omega goes omega r T; the paper's radius is a matter of reading:")
gait = sp.gaits.Sidewinding(phase_offset=math.radians(90.0))
for radius in (0.015, 0.03, 0.075):  # m
    run = sp.simulate(sp.robots.sarrafan2012(radius=radius, servo=servo), gait, world, duration)
    rolled = gait.frequency * radius * duration
    print(f"  r = {1e3 * radius:2.0f} mm: {run.metrics['path_length']:.2f} m, omega r T = {rolled:.2f} m")

print("a longer robot with gentler waves sidewinds without rolling, to either side, and turns on the spot:")
robot = sp.robots.alternating(16, radius=0.03)
for gait in (
    sp.gaits.Sidewinding(0.6, math.pi, math.radians(40.0), math.radians(90.0), vertical_amplitude=0.3),
    sp.gaits.Sidewinding(0.6, math.pi, math.radians(40.0), math.radians(90.0), vertical_amplitude=0.3, direction=-1),
    sp.gaits.TurnInPlace(),
):
    run = sp.simulate(robot.but(servo=servo), gait, world, 12.0)
    m, turned = run.metrics, math.degrees(run["heading"][-1] - run["heading"][0])
    print(f"  {gait.NAME}: {m['com_dx']:+.2f} m along, {m['com_dy']:+.2f} m across, turned by {turned:+.0f} deg")
