"""The shapes on which the statements of Yamada and Hirose (2006) are tried. Lengths in m; no value is 0 or 1 without need."""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.core import FloatArray
from serpenoid.shapes import Given, Shape, Sine, Steps, bellows, frenet, named, reroll, to_bellows

SPIRALS = ((2.0, 0.5, 8.0), (3.2, 1.6, 5.5))  # curvature, torsion [1/m], length [m]: Figs 3 and 6 (b), (c)
PHI = -0.4  # rad: the line's place on the bellows of Figs 3 and 6


def wavy() -> Shape:
    """A Frenet-Serret shape with curvature and torsion that vary; the curvature stays positive."""
    kappa = Given(lambda s: 1.5 + np.sin(2.0 * s), lambda s: 2.0 * np.cos(2.0 * s))
    tau = Given(lambda s: 0.8 * np.cos(1.3 * s) + 0.2, lambda s: -1.04 * np.sin(1.3 * s))
    return frenet(kappa, tau, 5.0, "wavy")


def wavy_turn(s: Any) -> Any:
    """Integral of the torsion of `wavy` from 0."""
    return 0.8 / 1.3 * np.sin(1.3 * s) + 0.2 * s


def complete() -> Shape:
    """A shape that bends both ways and twists."""
    return Shape(Sine(0.7, 1.1, 0.4), Sine(0.9, 1.7, 0.3), Sine(1.4, 2.3, 1.1), 4.0, name="complete")


def turning(s: Any) -> Any:
    """A relative roll phi(s) with no symmetry, rad."""
    return 0.6 + 1.3 * np.sin(1.1 * s) - 0.2 * s


def spiral(kappa: float, tau: float, length: float) -> Shape:
    """A spiral drawn by a bellows."""
    return to_bellows(frenet(kappa, tau, length, "spiral"), PHI)


def straight(length: float = 4.0) -> Shape:
    """The bellows before it is bent."""
    return to_bellows(named("line", length=length), PHI)


def bent_twice(stretch_turn: float) -> Shape:
    """Two arcs with a straight stretch of 0.8 m between them, in which the Frenet frame turns by an angle."""
    edges = [1.1, 1.9]
    return frenet(Steps(edges, [1.3, 0.0, 1.3]), Steps(edges, [0.0, stretch_turn / 0.8, 0.0]), 3.0)


def cubic_corner(u: FloatArray) -> FloatArray:
    """A curve in the xy plane, straight from u = 0.8 to 1.0, then in the xz plane: twice differentiable, without a Frenet frame."""
    left, right = np.maximum(0.8 - u, 0.0), np.maximum(u - 1.0, 0.0)
    return np.stack([u, 0.9 * left**3, 1.2 * right**3], axis=1)


def touching() -> Shape:
    """kappa_a = (s-1)^2, kappa_b = s-1: a zero of the curvature with finite torsion -1/(1 + (s-1)^2)."""
    return bellows(
        Given(lambda s: (s - 1.0) ** 2, lambda s: 2.0 * (s - 1.0)),
        Given(lambda s: s - 1.0, np.ones_like),
        2.0,
        "touching",
    )


def kinked() -> Shape:
    """kappa_a = |s-1|, kappa_b = s-1: the direction of bending jumps by a right angle."""
    return bellows(
        Given(lambda s: np.abs(s - 1.0), lambda s: np.sign(s - 1.0)),
        Given(lambda s: s - 1.0, np.ones_like),
        2.0,
        "kinked",
    )


def missing(distance: float) -> Shape:
    """`kinked` passing its zero at a distance: kappa_a = hypot(s-1, distance)."""

    def a(s: Any) -> Any:
        return np.hypot(s - 1.0, distance)

    return bellows(Given(a, lambda s: (s - 1.0) / a(s)), Given(lambda s: s - 1.0, np.ones_like), 2.0, "missing")


def rooted() -> Shape:
    """The direction of bending turns by sqrt|s-1| beside the zero: continuous, but its rate is infinite there."""

    def root(s: Any) -> Any:
        return np.sqrt(np.abs(s - 1.0))

    return bellows(
        Given(lambda s: (s - 1.0) * np.sin(root(s)), lambda s: np.sin(root(s)) + 0.5 * root(s) * np.cos(root(s))),
        Given(lambda s: (s - 1.0) * np.cos(root(s)), lambda s: np.cos(root(s)) - 0.5 * root(s) * np.sin(root(s))),
        2.0, "rooted",
    )  # fmt: skip


def fish() -> Shape:
    """The slender fish of Fig. 4: a gently winding backbone whose back turns."""
    return Shape(Sine(0.85, 1.5, 0.5), Sine(0.55, 2.0, 1.4), Sine(-1.5, 2.4, 0.2), 4.2, name="dorsal reference curve")


def body() -> Shape:
    """The bellows body of Fig. 8."""
    return to_bellows(frenet(Sine(1.6, 1.4, 0.9), 0.55, 4.0, "body"))


def ramp() -> Shape:
    """A robot without twist on a spiral ramp that rises by 16 degrees, one and three quarters of a turn; its wheels are down at the start."""
    length = 5.0
    rate = 3.5 * np.pi / length
    rising = named(
        "backbone",
        azimuth=Given(lambda s: -rate * s, lambda s: -rate + 0.0 * s),
        elevation=np.radians(16.0),
        length=length,
    )
    return to_bellows(rising).but(name="ramp")


def different() -> dict[str, Shape]:
    """Fig. 10: dorsal reference curves of one backbone."""
    base = body()
    return {
        "no twist (bellows)": base,
        "$\\phi = 1.2\\,s$": reroll(base, Given(lambda s: 1.2 * s, lambda s: 1.2 + 0.0 * s)),
        "$\\phi = 1.5\\,\\sin 3 s$": reroll(base, Sine(1.5, 3.0)),
        "$\\phi = 4 s$": reroll(base, Given(lambda s: 4.0 * s, lambda s: 4.0 + 0.0 * s)),
    }
