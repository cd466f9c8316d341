"""What a run is judged by, as arrays: numbers of its description, what was recorded, what was added up.

The arrays are filled by `simulation.formulas` and by the page, both from the declarations here: a fact says where in the description it stands
(`number_at`), a row of `frames` which recorded variable it is.

| array | shape | what it is |
|---|---|---|
| facts | (FACTS,) | numbers of the description and of the engine, by `FACT_PATHS` |
| sums | (`contact.sums`) | what was added up step by step |
| links | (LINK_ROWS, n) | numbers of the links, by `LINK_PATHS` |
| dofs | (DOF_ROWS, d) | numbers of the degrees of freedom of the joints, by `DOF_PATHS` |
| frames | (FRAME_ROWS, f) | recorded variables, by `FRAME_PATHS`; headings may be NaN but in the last frame and those that `pace` looks at |
| angle, rate, torque | (f, d) | of the joints, rad, rad/s, N m |
| press | (f, n) | normal forces of the links, N |
| nodes | (k, n+1, 3) | tail's end, joints and head's tip, m: of all frames, or of the first and the last alone |
| parts | (PARTS,) | what several metrics need |
| times, samples | (s,), (s, d) | of a sampled gait, s and rad; none of another one |
| metrics | (m,) | the metrics in their order; NaN: the engine does not give what it needs, ABSENT: it does not apply |
| findings | (c, WIDTH) | of each finding whether there is one, and its numbers in the order in which its sentence names them |
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from serpenoid.compiled import njit
from serpenoid.core.checks import FloatArray

ABSENT = -1.7976931348623157e308  # of a metric: it does not apply

FACT_PATHS = (
    "robot.links", "robot.mass", "robot.length", "world.gravity", "start.heading", "spatial",
    "clock.period", "clock.shortest", "clock.steady_from", "clock.steady_until",
    "engine.time", "engine.step", "engine.done", "engine.planar", "engine.flat", "engine.ideal", "engine.ground_stiffness", "engine.bearing_points",
    "crossing.overlap", "crossing.time", "crossing.links.0", "crossing.links.1", "crossing.first", "crossing.first_links.0", "crossing.first_links.1",
    "settings.integrator=implicit", "gait?", "drive?", "gait.waves", "gait.stop_time",
    "command.kind=sampled", "command.periodic", "command.times.0", "command.times.-1", "gait.interpolation=linear",
    "world.self_contact?", "world.ground.model=capsule", "world.friction.law=coulomb", "world.friction.law=threshold", "world.friction.law=bristle",
    "world.friction.along", "world.friction.across", "world.friction.backward", "world.friction.axes?",
)  # fmt: skip
(
    LINKS, MASS, LENGTH, GRAVITY, START_HEADING, SPATIAL,
    PERIOD, SHORTEST, STEADY_FROM, STEADY_UNTIL,
    ENDED, STEP, DONE, PLANAR, FLAT, IDEAL, STIFFNESS, BEARING,
    OVERLAP, OVERLAP_TIME, OVERLAP_A, OVERLAP_B, CROSSES, CROSSES_A, CROSSES_B,
    IMPLICIT, GAIT, DRIVE, WAVES, STOP_TIME,
    SAMPLED, PERIODIC, FIRST_SAMPLE, LAST_SAMPLE, LINEAR,
    SELF_CONTACT, CAPSULE, COULOMB, THRESHOLD, BRISTLE,
    ALONG, ACROSS, BACKWARD, AXES_NAMED,
) = range(44)  # fmt: skip
LINK_PATHS = ("link_length", "radius")
LENGTHS, RADIUS = range(2)
DOF_PATHS = ("joint", "kind=pitch", "kind=roll", "limit", "servo?", "servo.torque_limit", "servo.no_load_speed")
JOINT, PITCH, ROLLS, LIMIT, SERVO, STALL, FREE = range(7)
FRAME_PATHS = (
    "time", "com.0", "com.1", "com.2", "heading", "roll", "kinetic_energy", "potential_energy", "positive_work", "friction_loss", "contact_count",
)  # fmt: skip
TIME, COM_X, COM_Y, COM_Z, HEADING, ROLL, KINETIC, POTENTIAL, POSITIVE_WORK, FRICTION_LOSS, CONTACTS = range(11)
(
    TURNED, KINETIC_MAX, STEADY_FIRST, STEADY_END, WHOLE, LOOK_FROM, LOOK_END, LOOK_EVERY,
    PEAK_DOF, PEAK_TIME, WARM_DOF, MOVING,
) = range(12)  # fmt: skip  # of `parts`
PARTS = 12
WIDTH = 12  # of a finding: whether there is one, then its numbers


class Ledger(NamedTuple):
    """What is known of a run, and what is made of it."""

    facts: FloatArray
    sums: FloatArray
    links: FloatArray
    dofs: FloatArray
    frames: FloatArray
    angle: FloatArray
    rate: FloatArray
    torque: FloatArray
    press: FloatArray
    nodes: FloatArray
    parts: FloatArray
    times: FloatArray
    samples: FloatArray
    metrics: FloatArray
    findings: FloatArray


class Metric(NamedTuple):
    """Unit and formula of a metric; `function` of the trajectory for those of users.

    `scale` is that by which a change from step to step is judged (`simulation.scales`), or `unjudged` says why it is not; `absent` says why a run has
    none.
    """

    unit: str
    formula: str
    function: Callable[[Any], float | None] | None = None
    scale: str = ""
    unjudged: str = ""
    absent: str = ""
    better: str = "more"  # or "less": what a figure marks as best


class Sentence(NamedTuple):
    """What a finding says, as a template (`core.finding`); `status`: how a run ends of which it is said, in place of a warning."""

    text: str
    status: str = ""


@njit
def length(x, y):
    """Length of a vector in the level."""
    return math.sqrt(x * x + y * y)


@njit
def greatest(row):
    """Greatest of some numbers; NaN where one is not a number, -inf where there are none."""
    found = -float("inf")
    for x in row:
        if x != x:
            return x
        found = max(found, x)
    return found


@njit
def at_instant(t, time, row):
    """Value at an instant of a row of numbers at these times, linear between them, held beyond."""
    last = time.shape[0] - 1
    if t <= time[0]:
        return row[0]
    if t >= time[last]:
        return row[last]
    low, high = 0, last
    while high - low > 1:
        middle = (low + high) // 2
        if time[middle] <= t:
            low = middle
        else:
            high = middle
    return row[low] + (row[low + 1] - row[low]) / (time[low + 1] - time[low]) * (t - time[low])


@njit
def least(row):
    """Least of some numbers; inf where there are none."""
    found = math.inf
    for x in row:
        found = min(found, x)
    return found
