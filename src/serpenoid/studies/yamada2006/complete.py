"""Claims on the complete model (section IV-C): one backbone, any turning of the back."""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid import shapes
from serpenoid.core import FloatArray
from serpenoid.shapes import Curve, Given, Shape, level, reroll, to_bellows
from serpenoid.studies.claims import judged
from serpenoid.studies.yamada2006 import examples
from serpenoid.studies.yamada2006.measures import APART, START, TRACED, apart, roll_between, traced

LEVEL = 1e-6  # rad: a back is up; the roll that levels is a spline through samples


def claims(source: str) -> list[dict[str, Any]]:
    """ACM-8."""
    return [other_dorsal_curves(source), closing_remark(source), grounded_wheels(source)]


def other_dorsal_curves(source: str) -> dict[str, Any]:
    """(29), (31)."""
    P = examples.complete().but(start=START)
    Q = reroll(P, Given(examples.turning, lambda s: 1.43 * np.cos(1.1 * s) - 0.2))
    p, q = traced(P), traced(Q)
    phi = roll_between(p, q)
    asked = examples.turning(p.s)
    off = float(np.abs(phi - asked - 2 * np.pi * np.round((phi[0] - asked[0]) / (2 * np.pi))).max())
    wrong = traced(Q.but(tau=P.tau - (Q.tau - P.tau)))  # tau_Q = -phi' + tau_P
    s = np.linspace(0.0, P.length, 201)
    ka, kb = P.values(s)[1:]
    c, n = np.cos(examples.turning(s)), np.sin(examples.turning(s))
    printed = np.stack([P.values(s)[0] + 1.43 * np.cos(1.1 * s) - 0.2, c * ka + n * kb, -n * ka + c * kb])
    same = float(np.abs(printed - Q.values(s)).max())
    return judged(
        "ACM-8a", f"{source}, (29), (31), Fig. 10", "A complete model can turn its back by any phi(s) and keep its backbone.",
        f"backbone within {apart(p, q):.0e} m, relative roll as asked within {off:.0e} rad, rates as printed within {same:.0e}/m; "
        f"with the other sign of phi' in (31) the backbone is {apart(p, wrong):.1f} m off",
        [apart(p, q) < TRACED, off < TRACED, same < 1e-9, apart(p, wrong) > APART],
    )  # fmt: skip


def closing_remark(source: str) -> dict[str, Any]:
    """Which of P and Q is the Frenet-Serret model?"""
    base = examples.wavy()
    s = np.linspace(0.0, base.length, 401)
    tau, _, kappa = base.values(s)
    phi0 = 0.5
    phi = phi0 + examples.wavy_turn(s)  # (18)
    turn = Given(lambda x: phi0 + examples.wavy_turn(x), lambda x: base.tau.value(x, 0.0))
    bellows = to_bellows(base, phi0)
    F, B = np.stack([tau, 0 * s, kappa]), np.stack([0 * s, -kappa * np.sin(phi), kappa * np.cos(phi)])
    readings = {
        "P bellows, Q Frenet-Serret": float(np.abs(reroll(bellows, turn).values(s) - F).max()),
        "P Frenet-Serret, Q bellows": float(np.abs(reroll(base, turn).values(s) - B).max()),
    }
    mirrored = float(np.abs(reroll(base, -1.0 * turn).values(s) - B).max())
    return judged(
        "ACM-8b", f"{source}, end of IV-C",
        "(29), (31) with kappa_Qa = 0, tau_P = 0 are (17), (18); P, Q are then the Frenet-Serret and the bellows model.",
        "; ".join(f"{key}: (29), (31) miss the other model by {x:.1e}/m" for key, x in readings.items()),
        [x < 1e-8 for x in readings.values()],
        reason_if_fails="The first sentence is right and makes P the bellows and Q the Frenet-Serret model, as (6), (7) and (27), (28) say; the second "
        f"has P and Q interchanged. It would need -phi (then {mirrored:.0e}/m).",
    )  # fmt: skip


def _tilt(curve: Curve) -> FloatArray:
    """Angle about the tangent from the back to the side that is most up, rad."""
    frame = curve.frame
    return np.unwrap(np.arctan2(-frame[:, 2, 1], frame[:, 2, 2]))


def grounded_wheels(source: str) -> dict[str, Any]:
    """`level`, and what a bellows can do at best."""
    ramp, even = levelled()
    flat = shapes.named("serpenoid")
    before, after = traced(ramp), traced(even)
    tilt = _tilt(before)
    best = float(0.5 * np.ptp(tilt))  # a bellows may add one angle for all
    left = float(np.abs(_tilt(after)).max())
    twist = float(np.abs(after.shape.values(after.s)[0]).max())
    plain = float(np.abs(_tilt(traced(flat))).max())
    return judged(
        "ACM-8c", f"{source}, section IV-C", "If and only if it is a complete model a robot can turn its wheels to the ground and keep its backbone.",
        f"on a spiral ramp: complete {left:.0e} rad (twist to {twist:.1f}/m, backbone within {apart(before, after):.0e} m), bellows at best "
        f"{np.degrees(best):.0f} deg; on flat ground the planar model is off by {plain:.0e} rad",
        [left < LEVEL and apart(before, after) < LEVEL, best > APART],
        "'Only if' is meant for backbones that leave the plane: on flat ground a planar model has its wheels down already.",
    )  # fmt: skip


def levelled() -> tuple[Shape, Shape]:
    """The bellows and the complete model of `grounded_wheels`."""
    ramp = examples.ramp()
    return ramp, level(ramp)
