"""The statements of Yamada and Hirose (2006) as claims: the shape equations and the classes of shapes (sections II, III, IV-A)."""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.core import FloatArray
from serpenoid.shapes import Curve, Given, Pose, Sine, frenet, named, planar, reroll, roll, to_bellows, to_frenet
from serpenoid.studies.claims import judged
from serpenoid.studies.yamada2006 import bellows, complete, examples
from serpenoid.studies.yamada2006.measures import (
    APART,
    DIFFERENCED,
    LITERAL,
    START,
    TRACED,
    apart,
    congruence,
    equations,
    rates_of,
    torsion_of,
    traced,
)

SOURCE = "Yamada, Hirose 2006"


def claims() -> list[dict[str, Any]]:
    """All claims, in the order of ACM-1 to ACM-9."""
    return [
        *chirikjian(),
        *frenet_serret(),
        *shape_equations(),
        *classes(),
        *bellows.claims(SOURCE),
        *complete.claims(SOURCE),
        *bellows.spirals(SOURCE),
    ]


def _directions(s: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """K, T, R of the example: azimuth, elevation, roll."""
    return 0.8 * np.sin(2.1 * s + 0.3), 0.5 * np.sin(1.3 * s - 0.4) + 0.1, 0.7 * np.sin(1.7 * s) + 0.4 * s


def _induced(K: FloatArray, T: FloatArray, R: FloatArray) -> FloatArray:
    """Frames (n, 3, 3) with columns e1, ea, eb: the induced frame Rz(-K) Rx(T), rolled by R about its tangent."""
    from scipy.spatial.transform import Rotation

    Q = Rotation.from_euler("ZXY", np.stack([-K, T, R], axis=-1)).as_matrix()
    return np.stack([Q[..., 1], -Q[..., 0], Q[..., 2]], axis=-1)


def chirikjian() -> list[dict[str, Any]]:
    """(1), its frames, and what is unhandy in it."""
    from scipy.integrate import solve_ivp

    shape = named(
        "backbone", length=3.0,
        azimuth=Given(lambda s: _directions(s)[0], lambda s: 1.68 * np.cos(2.1 * s + 0.3)),
        elevation=Given(lambda s: _directions(s)[1], lambda s: 0.65 * np.cos(1.3 * s - 0.4)),
        twist=Given(lambda s: _directions(s)[2], lambda s: 1.19 * np.cos(1.7 * s) + 0.4),
    )  # fmt: skip
    curve = traced(shape)
    K, T, R = _directions(curve.s)

    def tangent(x: float, _: FloatArray) -> FloatArray:
        k, t, _r = _directions(np.asarray(x))
        return np.array([np.cos(t) * np.sin(k), np.cos(t) * np.cos(k), np.sin(t)])

    printed = solve_ivp(tangent, (0.0, 3.0), np.zeros(3), "DOP853", curve.s, rtol=1e-11, atol=1e-13).y.T
    speed = np.linalg.norm(np.gradient(printed, curve.s, axis=0, edge_order=2), axis=1)
    faults = (
        float(np.abs(speed - 1.0).max()),
        apart(curve, printed),
        float(np.abs(curve.frame - _induced(K, T, R)).max()),
    )
    return [
        judged("ACM-1a", f"{SOURCE}, (1)", "K(s) and T(s) give a backbone whose parameter s is the arc length.",
               f"speed, by differences of the integral (1), is one within {faults[0]:.0e}", [faults[0] < DIFFERENCED]),
        judged("ACM-1b", f"{SOURCE}, section II-B", "K, T and R with the induced frame describe the same bodies as tau, kappa_a, kappa_b.",
               f"integrating (3) with tau = R' - K' sin T, ...: backbone within {faults[1]:.0e} m of (1), frame within {faults[2]:.0e}",
               [faults[1] < LITERAL, faults[2] < LITERAL],
               "The paper does not print the induced frame; read as azimuth, then elevation, no roll: Rz(-K) Rx(T)."),
        fixed_frame(),
    ]  # fmt: skip


def _as_directions(curve: Curve) -> FloatArray:
    """K, T, R (3, n) of a traced body, unwrapped."""
    e1 = curve.frame[..., 0]
    K, T = np.arctan2(e1[:, 0], e1[:, 1]), np.arcsin(np.clip(e1[:, 2], -1.0, 1.0))
    base = _induced(K, T, np.zeros_like(K))
    eb = curve.frame[..., 2]
    R = np.arctan2(-np.sum(eb * base[..., 1], axis=1), np.sum(eb * base[..., 2], axis=1))
    return np.stack([np.unwrap(K), T, np.unwrap(R)])


def fixed_frame() -> dict[str, Any]:
    """Local deformation is not seen in K, T, R."""
    shape = to_bellows(frenet(1.2, 0.5, 3.0))
    one, two = traced(shape), traced(shape.but(start=START))
    a, b = _as_directions(one), _as_directions(two)
    change = float(max(np.ptp(x - y) for x, y in zip(a, b, strict=True)))
    same = float(np.abs(rates_of(one) - rates_of(two)).max())
    twist = float(np.abs(np.gradient(a[2], one.s)).max())
    return judged(
        "ACM-1c", f"{SOURCE}, section II-B", "Functions against a fixed frame do not show bending and torsion of the body directly.",
        f"one bellows spiral in two places: K, T, R change by up to {change:.1f} rad along it, tau, kappa_a, kappa_b by {same:.0e}/m; "
        f"it does not twist, yet |R'| reaches {twist:.2f} rad/m",
        [change > APART, same < 1e-6, twist > APART],
        "The paper prints 'are intuitive'; its argument needs 'are not intuitive'.",
    )  # fmt: skip


def frenet_serret() -> list[dict[str, Any]]:
    """(2) and the fundamental theorem of curves."""
    shape = examples.wavy()
    one, two = traced(shape), traced(shape.but(start=START))
    moved = (one.position - shape.start.position) @ START.frame.T + START.position
    other = traced(frenet(shape.kappa_b, shape.tau + 0.3, shape.length))
    k, t = torsion_of(one)
    tau, _, kappa = shape.values(one.s)
    back = float(np.abs(k - kappa).max() / kappa.max()), float(np.abs(t - tau).max() / np.abs(tau).max())
    helix = traced(frenet(2.0, 0.7, 5.0))
    w = np.hypot(2.0, 0.7)
    s = helix.s
    closed = np.stack([(0.49 * s + 4.0 * np.sin(w * s) / w) / w**2, 2.0 * (1 - np.cos(w * s)) / w**2,
                       1.4 * (s - np.sin(w * s) / w) / w**2], axis=1)  # fmt: skip
    plain, whole, part = (traced(examples.bent_twice(x)) for x in (0.0, 2.0 * np.pi, 1.0))
    fault, unlike = apart(two, moved), congruence(one.position, other.position)
    again, turned = apart(plain, whole), congruence(plain.position, part.position)
    return [
        judged("ACM-2a", f"{SOURCE}, (2)", "Curvature and torsion determine a curve, up to a rigid motion.",
               f"two start poses: {fault:.0e} m apart after that motion; torsion changed by 0.3/m: {unlike:.2f} m after the best motion; "
               f"helix against its closed form {apart(helix, closed):.0e} m",
               [fault < TRACED, unlike > APART, apart(helix, closed) < TRACED]),
        judged("ACM-2b", f"{SOURCE}, section IV-A", "The opposite is true: a curve has one curvature and one torsion.",
               f"curvature > 0: both recovered from positions within {max(back):.0e}; two arcs joined by a straight stretch: torsions "
               f"of 0 and of 2 pi over the stretch give the same backbone ({again:.0e} m)",
               [max(back) < DIFFERENCED, again > APART],
               reason_if_fails="Only where the curvature does not vanish. On a straight stretch torsion is not a property of the curve; "
               f"what it does there matters all the same (1 rad over the stretch: {turned:.2f} m apart)."),
    ]  # fmt: skip


def shape_equations() -> list[dict[str, Any]]:
    """(3): reduces to (2), and its angular rate."""
    shape = examples.wavy().but(start=START)
    curve = traced(shape)
    place, frame = equations(lambda s: (float(shape.tau(s)), 0.0, float(shape.kappa_b(s))), START, curve.s)
    whole = examples.complete().but(start=START)
    body = traced(whole)
    place3, frame3 = equations(lambda s: tuple(float(x) for x in whole.values(s)), START, body.s)  # type: ignore[arg-type, return-value]
    given = whole.values(body.s[1:-1])
    rate = float(np.abs(rates_of(body) - given).max())
    square = np.swapaxes(body.frame, 1, 2) @ body.frame
    skew = float(np.abs(square - np.eye(3)).max())
    faults = [
        apart(curve, place),
        float(np.abs(curve.frame - frame).max()),
        apart(body, place3),
        float(np.abs(body.frame - frame3).max()),
    ]
    return [
        judged("ACM-3a", f"{SOURCE}, (2), (3)", "For kappa_a = 0 the shape equations are the Frenet-Serret equations.",
               f"(2) as printed, integrated component by component: {faults[0]:.0e} m, frames {faults[1]:.0e}", [x < LITERAL for x in faults[:2]]),
        judged("ACM-3b", f"{SOURCE}, (3)", "(3) can be integrated for any tau, kappa_a, kappa_b and start.",
               f"against (3) as printed: {faults[2]:.0e} m, frames {faults[3]:.0e}; frames orthonormal within {skew:.0e}",
               [*(x < LITERAL for x in faults[2:]), skew < 1e-12]),
        judged("ACM-3c", f"{SOURCE}, section III-A", "The frame turns with tau e1 + kappa_a ea + kappa_b eb a metre.",
               f"rates from differences of the frames: within {rate:.0e}/m", [rate < DIFFERENCED]),
    ]  # fmt: skip


def classes() -> list[dict[str, Any]]:
    """The four models and how they contain each other."""
    found = {
        "planar": [planar(Sine(1.2, 3.0, 0.4), 2.0), named("serpenoid"), named("circle")],
        "frenet": [examples.wavy(), named("helix"), to_frenet(examples.spiral(2.0, 0.7, 3.0))],
        "bellows": [to_bellows(examples.wavy()), named("sidewinding"), roll(named("arc"), 0.7)],
        "complete": [examples.complete(), reroll(named("arc"), Sine(0.5, 2.0)), named("backbone")],
    }
    right = [shape.model().name == name for name, shapes in found.items() for shape in shapes]
    # a class is a condition on sizes; planar shapes must satisfy both others, and only they may
    s = np.linspace(0.0, 1.0, 501)
    sizes = {name: [np.abs(x.values(s * x.length)).max(axis=1) for x in shapes] for name, shapes in found.items()}
    small = 1e-12
    nested = [
        all(x[0] < small and x[1] < small for x in sizes["planar"]),
        all(x[1] < small <= x[0] for x in sizes["frenet"]),
        all(x[0] < small <= x[1] for x in sizes["bellows"]),
        all(min(x[:2]) > small for x in sizes["complete"]),
    ]
    flat = max(float(np.ptp(traced(x.but(start=Pose())).position[:, 2])) for x in found["planar"])
    return [
        judged("ACM-4a", f"{SOURCE}, section III-B", "Three shape functions sort all shapes into planar, Frenet-Serret, bellows and complete.",
               f"{sum(right)} of {len(right)} shapes fall into their class", [all(right)]),
        judged("ACM-4b", f"{SOURCE}, section III-B", "The classes are nested: planar = Frenet-Serret and bellows at once; complete holds all.",
               f"conditions on tau and kappa_a met in {sum(nested)} of 4 classes; planar shapes leave their plane by {flat:.0e} m",
               [*nested, flat < TRACED]),
    ]  # fmt: skip
