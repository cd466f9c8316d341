"""A gait on real servos, tried on a simulated bus first: lost packets, a servo that stalls, a limit; what is reported and how the robot is left.

On a robot, replace the simulated bus by `SerialPort("/dev/ttyUSB0")` (extra `hardware`), and keep a hand on the switch.
"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import serpenoid as sp
from serpenoid.control.servo_driver import ServoDriver
from serpenoid.control.simulated_bus import SimulatedBus
from serpenoid.formats import motion
from serpenoid.formats.bus import commands_from, table_of, write_bus_table

out = Path("out")
out.mkdir(exist_ok=True)

# from a run to angles in a file, from the file to positions in the units of the bus
robot = sp.robots.ma2001(links=9)
run = sp.simulate(robot, sp.gaits.Serpenoid(winding_angle=0.7, waves=1.5, speed=0.2), duration=6.0)
motion.write_csv(run, out / "23_joints.csv", rate=50.0)
told = commands_from(out / "23_joints.csv")
table = table_of(told, "dynamixel")
write_bus_table(table, out / "23_dynamixel.csv")


def drive(name: str, bus: SimulatedBus, **how: str) -> np.ndarray:
    """Drive the table on a bus, and say how it went."""
    report = ServoDriver(bus, **how).drive(table)
    angles = table.angles(report.positions) if len(report.positions) else np.zeros((0, 8))
    wrong = np.nanmax(np.abs(angles - told.angles[: len(angles)]), initial=0.0) / table.bus.step
    print(f"{name}: {report.status} {report.message}")
    print(f"    {report.rows} rows, {report.lost} answers lost, at most {wrong:.1f} steps off; left: {report.left}")
    return angles


fine = drive("a good bus", SimulatedBus("dynamixel", table.ids, latency=0.002))
lossy = drive("a bad bus", SimulatedBus("dynamixel", table.ids, latency=0.002, loss=0.03, broken=0.01))
bus = SimulatedBus("dynamixel", table.ids)
bus.servos[4].lowest, bus.servos[4].highest = 1800, 2300
drive("a limit", bus)
bus = SimulatedBus("dynamixel", table.ids)
bus.servos[3].stalled = True
drive("a stalled servo", bus, safe="hold")

figure, ax = plt.subplots(figsize=(9.0, 4.0), layout="constrained")
ax.plot(told.times, told.angles[:, 3], "k", lw=3, alpha=0.3, label="told")
ax.plot(told.times, fine[:, 3], label="good bus")
ax.plot(told.times, lossy[:, 3], ".", ms=4, label="bad bus")
ax.set(xlabel="time [s]", ylabel="angle of joint 4 [rad]", title="what the servo did")
ax.legend()
figure.savefig(out / "23_drive_servos.png", dpi=110)
print(out / "23_drive_servos.png")
