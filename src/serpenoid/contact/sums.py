"""Slots of the accumulator: what a run adds up step by step, in the plane and in space."""

from __future__ import annotations

from serpenoid.core.checks import FloatArray

# slots of the accumulator
NET_WORK = 0  # J, by the joints' actuators
POSITIVE_WORK = 1  # J, summed over joints where positive
FRICTION_LOSS = 2  # J, -f.v of the contacts (what bristles store included)
DAMPING_LOSS = 3  # J, in the joints
SCHEME_LOSS = 4  # J
SLIP_ACROSS = 5  # m, summed over contacts
SLIP_ALONG = 6  # m
TORQUE_SQ = 7  # N^2 m^2 s
TORQUE_MAX = 8  # N m
TORQUE_MAX_TIME = 9  # s
TORQUE_MAX_JOINT = 10
PEAK_POWER = 11  # W
RESIDUAL_MAX = 12  # N m, of the moment balance at the tail
KINETIC = 13  # J, now
STORED = 14  # J in bristles, now
ITERATIONS = 15
UNCONVERGED = 16  # steps that ended on the secant fallback
ANGLE_MAX = 17  # rad, greatest joint angle
ANGLE_MAX_JOINT = 18
POWER = 19  # W, positive power of the last step
KINETIC_START = 20  # J
GROUND_LOSS = 21  # J, taken by dampers and springs of ground and obstacles (what the springs store included); in space
POTENTIAL = 22  # J, of gravity, now
POTENTIAL_START = 23  # J
CONTACTS = 24  # s, number of contacts times time
NORMAL_MAX = 25  # N, greatest normal force of a contact
ROLL = 26  # rad, roll about the body's axis, mean of the links
UPRIGHT = 27  # contacts of upright links, whose friction has no direction
SATURATED = 28  # s, axes at their torque limit times time
STOP_LOSS = 29  # J, taken up by the joints' stops (what their springs store included)
PENETRATION_MAX = 30  # m, deepest that a contact pressed in
PENETRATION_TIME = 31  # s
PENETRATION_LINK = 32
SPRING_STORED = 33  # J in the springs of ground and obstacles, now
DAMPER_LOSS = 34  # J, by the dampers of ground and obstacles (part of GROUND_LOSS)
CROSSED = 35  # s, when a link first moved through something thin within a step; 0: never
SELF_LOSS = 36  # J, taken up by contact between links (what their springs store included)
SELF_STORED = 37  # J in these springs, now
SELF_FORCE_MAX = 38  # N, greatest normal force between two links
FIRST_STOP = 43  # s, when a joint first met its stop; 0: none did
FIRST_STOP_JOINT = 44  # which one: column of its outer link in the plane, degree of freedom in space
SMOOTHING = 45  # m/s, smoothing speed of the friction law in the coming step
SLOTS = 48


def totals(acc: FloatArray) -> dict[str, float]:
    """The accumulator by name, lower case."""
    return {name.lower(): float(acc[slot]) for name, slot in _NAMED.items()}


_NAMED = {
    name: slot for name, slot in globals().items() if name.isupper() and name != "SLOTS" and isinstance(slot, int)
}
