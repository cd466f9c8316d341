"""Torques in, motion out, over a ground with an icy patch; then the same run stopped, saved and continued."""

import math

import numpy as np

import serpenoid as sp

robot = sp.robots.ma2001(joint_damping=0.3)
ice = sp.Patch(rectangle=(0.4, -1.0, 1.0, 1.0), along=0.001, across=0.2)
world = sp.World(friction=sp.contact.Coulomb(along=0.001, across=0.9), patches=(ice,))
drive = sp.control.SineTorque(amplitude=0.8, frequency=2 * math.pi, phase_per_joint=2 * math.pi / 20)

whole = sp.simulate(robot, drive, world, duration=4.0)
print(whole.summary())

part = sp.simulate(robot, drive, world, duration=4.0, until=1.5)
rest = sp.resume(part)
print("continued run is the same, bit for bit:", np.array_equal(whole["joint_angle"], rest["joint_angle"]))
sp.view.figure(whole, "torques.png")
