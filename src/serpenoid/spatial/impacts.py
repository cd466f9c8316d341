"""Impacts on ground and obstacles with a restitution: a contact that strikes leaves with that share of its speed, whatever the step.

A spring that takes a few steps for an impact loses most of it in the scheme, and what it gives back depends on the masses behind the contact. So
a contact that would touch within the step and is faster than `SLOW` times what weight does in a step is not pushed by its spring. Newton's
law of restitution holds instead, at the velocities at the end of the step:

    0 <= N  at right angles to  v_n' - leave >= 0,      leave = max(0, -e v + (1 - s) a),      v = v_0 + s a

with v_0 the normal velocity at the begin of the step, a what changes it smoothly in the step (weight, mostly), and s the share of the step before
the gap closes: v is the velocity with which it strikes. N = max(0, -K (v_n' - leave)) with K = `STIFF` m / dt, m the mass of the body, leaves an error of
(1 + e) / STIFF of the speed at most. The body moves with the velocities before for the share s of the step that strikes first, and with those after for
the rest, so that no contact that strikes ends below the surface.

Slower contacts rest on their springs, which push them out no faster than `SLOW` allows: what was pressed in by a step, and not by a load, does not jump.
The energy taken is N (-v) (1 - e) / 2 dt. N is the impulse over the step.
"""

from __future__ import annotations

import math

from serpenoid.compiled import njit
from serpenoid.contact.spots import CX, GAP, LEAVE, LOST, NORMAL, NX, PUSHED, SLOPE, TRIED, UX, UY, VNORMAL, VP, WALL
from serpenoid.contact.springs import STIFF
from serpenoid.contact.touch import VN, VT
from serpenoid.spatial.layout import BOUNCE, DT, DV, DW, GRAVITY, RIGID

SLOW = 2.0  # times gravity and step: slower contacts do not strike
FREE, HELD_BACK = 3, 1000  # iterates without friction of contacts that strike; any later one
SOFTER = 1e-2  # of the slope, where Newton does not settle


@njit
def smooth_change(q, spots, a):
    """What the normal velocity of spot a gains in a step if the body goes on as in the last one."""
    x, y, z = spots[CX, a], spots[CX + 1, a], spots[CX + 2, a]
    u, v, w = q[DW], q[DW + 1], q[DW + 2]
    return (
        (q[DV] + v * z - w * y) * spots[NX, a] + (q[DV + 1] + w * x - u * z) * spots[NX + 1, a] + (q[DV + 2] + u * y - v * x) * spots[NX + 2, a]
    )  # fmt: skip


@njit
def closing(gap, before, change, dt):
    """Share of the step after which a gap closes that is `gap` at its begin and changes at `before`, gaining `change`."""
    if gap <= 0.0:
        return 0.0
    b = dt * before
    root = math.sqrt(max(b * b - 2.0 * dt * change * gap, 0.0))
    return min(2.0 * gap / max(root - b, 2.0 * gap), 1.0)


@njit
def find_impacts(numbers, q, spots, touch, count):
    """Mark the contacts that strike in the step; the share of the step before the first does, -1: none does."""
    dt, first = numbers[DT], 2.0
    slow = SLOW * numbers[GRAVITY] * dt
    for a in range(count):
        spots[LEAVE, a], spots[LOST, a] = -1.0, 0.0
        if spots[WALL, a] > 0.0:
            continue
        change = smooth_change(q, spots, a)
        before = spots[VP, a] - change
        share = closing(spots[GAP, a] - 0.5 * dt * (before + spots[VP, a]), before, change, dt)
        v = before + share * change
        if v < -slow:
            spots[LEAVE, a] = max((1.0 - share) * change - numbers[BOUNCE] * v, 0.0)
            spots[LOST, a] = -0.5 * (1.0 - numbers[BOUNCE]) * v
            spots[UX, a], spots[UY, a] = touch[VT, a], touch[VN, a]
            first = min(first, share)
    return first if first <= 1.0 else -1.0


@njit
def bounce_forces(numbers, spots, count, softer, it):
    """Normal forces and slopes on a ground with a restitution: of contacts that strike, and a bound on those of the springs.

    `softer`: where Newton does not settle. Friction of contacts that strike is taken at the normal force of iterate `FREE`, which is one without friction,
    and later at the least since: impulses and their friction that raise each other without end (a wedge) are no impact.
    """
    rigid, slow = numbers[RIGID] * (SOFTER if softer else 1.0), SLOW * numbers[GRAVITY] * numbers[DT]
    for a in range(count):
        if spots[WALL, a] > 0.0:
            continue
        strikes = spots[LEAVE, a] >= 0.0
        most = -rigid * (spots[VNORMAL, a] - (spots[LEAVE, a] if strikes else slow))
        if strikes or most < spots[NORMAL, a]:
            spots[NORMAL, a], spots[SLOPE, a] = max(most, 0.0), rigid if most > 0.0 else 0.0
        pushed = spots[NORMAL, a]
        spots[PUSHED, a] = pushed
        if strikes and it < FREE:
            spots[TRIED, a] = 0.0
        elif not strikes or it == FREE:
            spots[TRIED, a] = pushed
        else:
            spots[TRIED, a] = min(spots[TRIED, a], pushed)


@njit
def impulse_change(numbers, spots, count, it):
    """Greatest change of an impulse by the last correction, as a velocity of the body: stiff contacts have it long after the velocities."""
    change = 0.0
    for a in range(count):
        if spots[WALL, a] == 0.0 and spots[LEAVE, a] >= 0.0:
            if it <= FREE:
                return 1.0
            change = max(change, abs(spots[NORMAL, a] - spots[PUSHED, a]), spots[TRIED, a] - spots[NORMAL, a])
    return STIFF / numbers[RIGID] * change


@njit
def moved(before, after, change, first, dt):
    """Way of a step with an impact: by the velocity before for the share `first`, then by that after, with the smooth change in both."""
    return dt * (first * before + (1.0 - first) * after + (first - 0.5) * change)
