"""A robot creeps: the smallest whole program."""

import serpenoid as sp

robot = sp.robots.ma2001(links=20)
world = sp.World(friction=sp.contact.Coulomb(along=0.1, across=0.5))
gait  = sp.gaits.Serpenoid(winding_angle=0.8, waves=2, speed=0.8)      # rad, -, m/s along the curve
run   = sp.simulate(robot, gait, world, duration=8.0)                  # chooses the engine that fits
print(run.summary())                                                   # distance, speed, slip, torques, power, status
sp.view.film(run, "creep.mp4")
