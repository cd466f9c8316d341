"""Claims on the bellows model (section IV-B): any backbone, the way back, lateral rolling, spirals."""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid import shapes
from serpenoid.core import FloatArray
from serpenoid.core.errors import InputError
from serpenoid.shapes import Given, Pose, Shape, frenet, from_curve, roll, to_bellows, to_frenet, zero_curvature
from serpenoid.studies.claims import judged
from serpenoid.studies.yamada2006 import examples
from serpenoid.studies.yamada2006.measures import (
    APART,
    DIFFERENCED,
    LITERAL,
    START,
    TRACED,
    apart,
    roll_between,
    torsion_of,
    traced,
)

STARTS = (0.0, 0.5, 2.0, -1.3)  # rad: phi(0)
ANGLES = np.radians([20.0, 75.0, 140.0, 250.0])  # of lateral rolling
DISTANCES = np.array([0.1, 0.03, 0.01, 0.003])  # at which a zero of the curvature is passed, 1/m
GROWS = -0.25  # exponent of torsion over the distance from a zero, below which it counts as unbounded


def claims(source: str) -> list[dict[str, Any]]:
    """ACM-5 to ACM-7."""
    return [
        any_curve(source),
        without_frenet_frame(source),
        way_back(source),
        plain_arctangent(source),
        infinite_torsion(source),
        not_all_copied(source),
        *lateral_rolling(source),
    ]


def any_curve(source: str) -> dict[str, Any]:
    """(17), (18), (13)."""
    base = examples.wavy().but(start=START)
    goal = traced(base)
    kappa = base.kappa_b

    def solved(phi0: float, sign: float) -> Shape:  # (17) solved for the bellows, with the closed integral of tau
        a = Given(lambda s: sign * -kappa.value(s, 0.0) * np.sin(phi0 + examples.wavy_turn(s)))
        b = Given(lambda s: kappa.value(s, 0.0) * np.cos(phi0 + examples.wavy_turn(s)))
        c, n = np.cos(phi0), np.sin(phi0)
        e1, fa, fb = START.frame.T
        return shapes.bellows(
            a, b, base.length, start=Pose(START.position, np.stack([e1, c * fa - n * fb, n * fa + c * fb], axis=1))
        )

    ours = [apart(goal, traced(to_bellows(base, x))) for x in STARTS]
    literal = [apart(goal, traced(solved(x, 1.0))) for x in STARTS]
    flipped = [apart(goal, traced(solved(x, -1.0))) for x in STARTS]
    return judged(
        "ACM-5a", f"{source}, (13), (17), (18)", "A bellows can draw the backbone of any Frenet-Serret curve, for any phi(0).",
        f"kappa = 1.5 + sin 2s, tau = 0.8 cos 1.3s + 0.2, 5 m, phi(0) = {', '.join(f'{x:g}' for x in STARTS)}: at most "
        f"{max(literal):.0e} m by (17) solved by hand, {max(ours):.0e} m by the package; kappa_Ba with the other sign: {min(flipped):.1f} m and more",
        [max(ours) < TRACED, max(literal) < TRACED, min(flipped) > APART],
        "Solved: kappa_Ba = -kappa_F sin phi, kappa_Bb = kappa_F cos phi. (12) divides by sin phi; where that is 0, d(e_Fa . e_Bb)/ds gives the same.",
    )  # fmt: skip


def without_frenet_frame(source: str) -> dict[str, Any]:
    """Any curve at all: straight stretches included."""
    made = from_curve(examples.cubic_corner, 1.9, samples=1601)
    curve = made.trace(4000)
    # the same points by arc length: SciPy, du/ds = 1/|c'|
    from scipy.integrate import solve_ivp

    def slope(_: float, u: FloatArray) -> FloatArray:
        left, right = np.maximum(0.8 - u, 0.0), np.maximum(u - 1.0, 0.0)
        return np.asarray(1.0 / np.sqrt(1.0 + (2.7 * left**2) ** 2 + (3.6 * right**2) ** 2))

    u = solve_ivp(slope, (0.0, made.length), np.zeros(1), "DOP853", curve.s, rtol=1e-11, atol=1e-12, max_step=0.05).y[0]
    fault = apart(curve, examples.cubic_corner(u))
    stretch = max(zero_curvature(made, 1e-4), key=lambda x: x[1] - x[0], default=(0.0, 0.0))
    refusal = _refusal(made)
    return judged(
        "ACM-5b", f"{source}, section IV-B", "Bellows can draw any spatial curve as the backbone.",
        f"a curve that bends in one plane, is straight for {stretch[1] - stretch[0]:.2f} m and bends in another: {fault:.0e} m off, drawn by a "
        f"bellows found through the rotation-minimising frame; a Frenet-Serret shape is {'refused' if refusal else 'made'}",
        [fault < 1e-6, stretch[1] - stretch[0] > 0.1, bool(refusal)],
        "The paper's proof starts from a Frenet-Serret curve and so leaves out curves with straight stretches. The statement holds for them too: "
        "a frame that does not turn about the tangent exists for every twice differentiable curve.",
    )  # fmt: skip


def _refusal(shape: Shape) -> str:
    """What `to_frenet` says against a shape; empty if it makes one."""
    try:
        to_frenet(shape)
    except InputError as error:
        return str(error)
    return ""


def way_back(source: str) -> dict[str, Any]:
    """(19), (20)."""
    base = examples.wavy()
    given = to_bellows(base, 0.5)
    back = to_frenet(given)
    s = np.linspace(0.0, base.length, 801)
    tau, _, kappa = base.values(s)
    found = back.values(s)
    faults = float(np.abs(found[0] - tau).max()), float(np.abs(np.abs(found[2]) - kappa).max())
    there, here = traced(given), traced(back)
    wild = shapes.bellows(
        shapes.Sine(0.9, 1.7, 0.3), Given(lambda s: 1.6 + 0.5 * np.sin(2.3 * s), lambda s: 1.15 * np.cos(2.3 * s)), 4.0
    )
    curve = traced(wild)
    k, t = torsion_of(curve)
    printed = printed_torsion(wild, curve.s)
    size = np.hypot(*wild.values(curve.s)[1:])
    measured = float(np.abs(t - printed).max() / np.abs(printed).max()), float(np.abs(k - size).max() / size.max())
    return judged(
        "ACM-6a", f"{source}, (19), (20)", "From a bellows shape follow curvature and torsion of its backbone.",
        f"round trip: torsion within {faults[0]:.0e}, curvature within {faults[1]:.0e}/m, backbone within {apart(there, here):.0e} m; "
        f"(20) against torsion from positions {measured[0]:.0e}, hypot(kappa_a, kappa_b) against curvature {measured[1]:.0e}",
        [max(faults) < LITERAL, apart(there, here) < TRACED, max(measured) < DIFFERENCED],
    )  # fmt: skip


def printed_torsion(shape: Shape, s: FloatArray) -> FloatArray:
    """(20) as printed."""
    a, b = shape.kappa_a(s), shape.kappa_b(s)
    return (shape.kappa_b.slope(s, 0.0) * a - shape.kappa_a.slope(s, 0.0) * b) / (a * a + b * b)


def plain_arctangent(source: str) -> dict[str, Any]:
    """(19) read as arctan, and as atan2."""
    base = examples.wavy().but(start=START)
    body = to_bellows(base, 2.0)
    goal = traced(body)
    a, b = body.kappa_a(goal.s), body.kappa_b(goal.s)
    readings = {"arctan": np.arctan(-a / b), "atan2": np.arctan2(-a, b)}
    truth = 2.0 + examples.wavy_turn(goal.s)
    off = {key: float(np.abs((x - truth + np.pi) % (2 * np.pi) - np.pi).max()) for key, x in readings.items()}
    missed = {}
    for key, phi in readings.items():
        # the Frenet frame at the start from (6), (7), then (2) with the curvature sqrt(kappa_a^2 + kappa_b^2)
        c, n = np.cos(phi[0]), np.sin(phi[0])
        e1, ba, bb = body.start.frame.T
        start = Pose(START.position, np.stack([e1, c * ba + n * bb, -n * ba + c * bb], axis=1))
        missed[key] = apart(goal, traced(frenet(base.kappa_b, base.tau, base.length, start=start)))
    return judged(
        "ACM-6b", f"{source}, (19)", "phi = tan^-1(-kappa_Ba / kappa_Bb).",
        f"phi(0) = 2 rad: arctan is off by up to {off['arctan']:.4f} rad and its backbone by {missed['arctan']:.1f} m; "
        f"atan2(-kappa_Ba, kappa_Bb) by {off['atan2']:.0e} rad and {missed['atan2']:.0e} m",
        [off["atan2"] < TRACED and missed["atan2"] < TRACED, off["arctan"] < TRACED and missed["arctan"] < TRACED],
        reason_if_fails="The quotient loses pi: as atan2 it is right, as arctan it bends to the wrong side wherever kappa_Bb < 0.",
    )  # fmt: skip


def _exponent(distance: FloatArray, torsion: FloatArray) -> float:
    """Exponent p of torsion ~ distance^p."""
    return float(np.polyfit(np.log(distance), np.log(np.abs(torsion)), 1)[0])


def peaks() -> FloatArray:
    """Largest torsion of the curve that passes a zero of the curvature at DISTANCES."""
    return np.array(
        [np.abs(printed_torsion(examples.missing(x), 1.0 + x * np.linspace(-3, 3, 601))).max() for x in DISTANCES]
    )


def infinite_torsion(source: str) -> dict[str, Any]:
    """Is torsion infinite wherever kappa_a/kappa_b is not constant around a zero?"""
    beside = np.logspace(-2, -7, 11)
    touching, rooted = (printed_torsion(x, 1.0 + beside) for x in (examples.touching(), examples.rooted()))
    exact = float(np.abs(touching + 1.0 / (1.0 + beside**2)).max())
    powers = [_exponent(beside, touching), _exponent(DISTANCES, peaks()), _exponent(beside, rooted)]
    copied = apart(traced(examples.touching()), traced(to_frenet(examples.touching())))
    return judged(
        "ACM-6c", f"{source}, after (20)", "If kappa_Ba/kappa_Bb is not constant around a zero of both, tau becomes infinite.",
        f"((s-1)^2, s-1): tau = -1/(1 + (s-1)^2) within {exact:.0e}, finite, copied by Frenet-Serret to {copied:.0e} m; (|s-1|, s-1): the peak of a "
        f"curve passing at distance d grows as d^{powers[1]:.2f}; direction turning as sqrt|s-1|: tau grows as |s-1|^{powers[2]:.2f}",
        [p < GROWS for p in powers],
        reason_if_fails="Not as stated. Torsion is finite exactly if the direction of (kappa_Bb, -kappa_Ba), as a line, goes on differentiably "
        "through the zero; the curvature of the Frenet-Serret model may change its sign there.",
    )  # fmt: skip


def not_all_copied(source: str) -> dict[str, Any]:
    """The reverse inclusion."""
    kinked = examples.kinked()
    goal = traced(kinked)
    refusal = _refusal(kinked)
    near = [apart(goal, _thin(x)) for x in DISTANCES]
    top = peaks()
    zeros = zero_curvature(shapes.named("serpenoid"))
    return judged(
        "ACM-6d", f"{source}, section IV-B", "Frenet-Serret cannot copy all backbones of bellows.",
        f"kappa_a = |s-1|, kappa_b = s-1: {'refused: ' + refusal.split(';')[0] if refusal else 'made'}. Near copies: "
        + ", ".join(f"{d:.0e} m with torsion to {p:.0f}/m" for d, p in zip(near, top, strict=True)),
        [bool(refusal), bool(np.all(np.diff(near) < 0.0) and np.all(np.diff(top) > 0.0))],
        f"Copies come as near as one likes at the price of torsion without bound. A plane serpenoid curve ({len(zeros)} zeros of curvature in two waves) is "
        "copied, with curvature that changes its sign.",
    )  # fmt: skip


def _thin(distance: float) -> FloatArray:
    """Backbone of a near copy, traced finely and thinned to the study's steps."""
    return to_frenet(examples.missing(distance)).trace(8 * 2000).position[::8]


def lateral_rolling(source: str) -> list[dict[str, Any]]:
    """The constant of integration of (18)."""
    bodies = [examples.body(), to_bellows(examples.wavy()), shapes.named("sidewinding"), shapes.named("arc")]
    moved, spread, ends = [], [], []
    for body in bodies:
        still = traced(body)
        for angle in ANGLES:
            turned = traced(roll(body, float(angle)))
            phi = roll_between(still, turned)
            moved.append(apart(still, turned))
            spread.append(float(np.ptp(phi)))
            ends.append(abs((phi[-1] - angle + np.pi) % (2 * np.pi) - np.pi))
    base = examples.complete()
    twisting = _end_turn(base)
    return [
        judged("ACM-7a", f"{source}, (18), Fig. 8", "A bellows can turn its frame about the backbone, which stays, by the same angle everywhere.",
               f"{len(bodies)} shapes, {len(ANGLES)} angles: backbone moves by at most {max(moved):.0e} m, the angle varies along the body by {max(spread):.0e} rad",
               [max(moved) < TRACED, max(spread) < TRACED]),
        judged("ACM-7b", f"{source}, section IV-B", "Turning one end of a bent flexible straw turns the other end as much, whatever its shape.",
               f"other end off by at most {max(ends):.0e} rad; a body that twists, on its own backbone: {np.degrees(twisting):.0f} deg off",
               [max(ends) < TRACED, twisting > APART]),
    ]  # fmt: skip


def _end_turn(shape: Shape) -> float:
    """Angle at the far end between a twisting body and the bellows of the same backbone, rad."""
    return float(abs(roll_between(traced(to_bellows(shape)), traced(shape))[-1]))


def spirals(source: str) -> list[dict[str, Any]]:
    """ACM-9: the line that was straight."""
    straight = traced(examples.straight())
    bent = float(np.abs(straight.frame - straight.frame[0]).max())
    rates, waver = [], []
    for kappa, tau, length in examples.SPIRALS:
        angle, s = _against_normal(examples.spiral(kappa, tau, length))
        slope, first = np.polyfit(s, angle, 1)
        rates.append((tau, -float(slope)))
        waver.append(float(np.abs(angle - slope * s - first).max()))
    fault = max(abs(a - b) for a, b in rates)
    angle, s = _against_normal(shapes.named("branch"), (0.3, 2.2))
    turned = float(np.degrees(abs(angle[-1] - angle[0])))
    winding = 2.5 * (s[-1] - s[0]) / (shapes.named("branch").length - 0.5)
    return [
        judged("ACM-9a", f"{source}, Figs 3, 6", "A line drawn straight on a bellows gets twisted when it is bent to a spiral, though the bellows does not twist.",
               f"straight: direction constant within {bent:.0e}; spirals: against the Frenet normal it turns at "
               + " and ".join(f"{b:.6f}/m (tau = {a:g}/m)" for a, b in rates) + f", steady within {max(waver):.0e} rad",
               [bent < TRACED, fault < DIFFERENCED, max(waver) < DIFFERENCED],
               "The line stands still in the untwisted frame; it is the direction of bending that turns, at the rate of the torsion."),
        judged("ACM-9b", f"{source}, Fig. 7", "Wound round a branch, the back of a bellows does not keep to one side of the branch.",
               f"over {winding:.2f} windings the back turns by {turned:.0f} deg against the direction to the branch", [turned > 90.0],
               "The photograph of the snake is not in the text we have: what is judged is the model beside it."),
    ]  # fmt: skip


def _against_normal(shape: Shape, span: tuple[float, float] | None = None) -> tuple[FloatArray, FloatArray]:
    """Angle of eb from the Frenet normal, found by differences of the tangent; unwrapped; and its s."""
    curve = traced(shape)
    inside = slice(1, -1)
    e1, eb, s = curve.frame[inside, :, 0], curve.frame[inside, :, 2], curve.s[inside]
    normal = curve.frame[2:, :, 0] - curve.frame[:-2, :, 0]
    if span is not None:
        keep = (s > span[0]) & (s < span[1])
        e1, eb, s, normal = e1[keep], eb[keep], s[keep], normal[keep]
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    angle = np.arctan2(np.sum(np.cross(e1, normal) * eb, axis=1), np.sum(normal * eb, axis=1))
    return np.unwrap(angle), s
