"""Shapes: closed forms, orders, functions, jumps, named shapes, bad input."""

from __future__ import annotations

import numpy as np
import pytest

from serpenoid import shapes as S
from serpenoid.core.errors import InputError
from shape_cases import apart, helix_closed_form


def test_helix_closed_form() -> None:
    curve = S.named("helix").trace(100)
    assert np.abs(curve.position - helix_closed_form(2.0, 0.7, curve.s)).max() < 1e-14
    for order in (2, 4):  # constant functions are exact at any step
        curve = S.named("helix").trace(7, order=order)
        assert np.abs(curve.position - helix_closed_form(2.0, 0.7, curve.s)).max() < 1e-14


# reference: error at the end of a helix kappa = 2, tau = .7, L = 5 drawn by bellows functions, N = 20, 40, 80
REFERENCE = {2: (9.5e-3, 2.4e-3, 5.9e-4), 4: (1.2e-4, 7.8e-6, 4.9e-7)}


@pytest.mark.parametrize("order", [2, 4])
def test_order_through_bellows_functions(order: int) -> None:
    shape = S.to_bellows(S.named("helix"))
    end = helix_closed_form(2.0, 0.7, np.array(5.0))
    errors = np.array([np.linalg.norm(shape.trace(n, order=order).position[-1] - end) for n in (20, 40, 80, 160)])
    assert np.log2(errors[:-1] / errors[1:]) == pytest.approx([order] * 3, abs=0.02)
    assert np.all(errors[:3] < 1.2 * np.array(REFERENCE[order]))


def test_rotations_stay_rotations() -> None:
    frame = S.to_bellows(S.named("helix")).trace(100_000).frame
    assert np.abs(np.swapaxes(frame, -1, -2) @ frame - np.eye(3)).max() < 1e-12


def test_tolerance_is_met() -> None:
    shape = S.to_bellows(S.named("helix"))
    for tolerance in (1e-6, 1e-9):
        curve = shape.trace(tolerance=tolerance)
        assert np.abs(curve.position - helix_closed_form(2.0, 0.7, curve.s)).max() < tolerance


def test_any_place_of_a_curve() -> None:
    curve = S.to_bellows(S.named("helix")).trace()
    s = np.random.default_rng(1).uniform(0, 5, 40)
    there = curve.at(s)
    assert np.abs(there.position - helix_closed_form(2.0, 0.7, s)).max() < 1e-10
    h = 1e-5
    numeric = (curve.at(s[5:6] + h).position - curve.at(s[5:6] - h).position) / (2 * h)
    assert np.abs(numeric - there.tangent[5]).max() < 1e-8
    for bad in (-0.1, 5.1, np.nan):
        with pytest.raises(InputError):
            curve.at(bad)


def test_classes() -> None:
    names = {name: S.named(name).model().name for name in S.NAMED}
    assert names["line"] == names["arc"] == names["circle"] == names["serpenoid"] == "planar"
    assert names["helix"] == "frenet" and names["backbone"] == "complete"
    assert all(
        names[k] == "bellows"
        for k in ("serpenoid3d", "sidewinding", "rolling-arc", "rolling-helix", "branch", "spline")
    )
    nearly = S.Shape(S.Constant(1e-7), S.Constant(0.0), S.Constant(1.0), 1.0)
    assert nearly.model().name == "frenet" and nearly.model(tolerance=1e-6).name == "planar"
    assert "twist" in nearly.model().reason


def test_chirikjian_backbone() -> None:
    """Equation (1): unit speed, the tangent of K and T; R only rolls."""
    K, T, R = S.Sine(0.9, 2.0), S.Sine(0.5, 1.3, 0.4), S.Sine(0.7, 1.1)
    from serpenoid.shapes.named import backbone

    plain, rolled = backbone(K, T, 0.0, 2.0), backbone(K, T, R, 2.0)
    curve = plain.trace()
    s = curve.s
    tangent = np.stack([np.cos(T(s)) * np.sin(K(s)), np.cos(T(s)) * np.cos(K(s)), np.sin(T(s))], axis=-1)
    assert np.abs(curve.tangent - tangent).max() < 1e-8
    assert apart(plain, rolled) < 1e-9
    a, b = plain.trace(800), rolled.trace(800)
    turned = np.arctan2(
        np.sum(b.frame[..., 2] * a.frame[..., 1], axis=1), np.sum(b.frame[..., 2] * a.frame[..., 2], axis=1)
    )
    assert turned == pytest.approx(-R(a.s), abs=1e-8)


def test_wound_round_a_branch() -> None:
    """The wound part lies on a cylinder of the radius asked for, and climbs by the pitch a turn."""
    shape = S.named("branch", radius=0.1, pitch=0.2, turns=3.0, ends=0.2)
    turn = np.hypot(2 * np.pi * 0.1, 0.2)
    s = 0.21 + np.linspace(0.0, 2 * turn, 401)
    wound = shape.trace().at(s).position
    climb = wound[200:] - wound[:201]  # a whole turn later
    axis = climb.mean(axis=0) / np.linalg.norm(climb.mean(axis=0))
    assert np.linalg.norm(climb, axis=1) == pytest.approx(np.full(201, 0.2), rel=1e-6)
    flat = wound - np.outer(wound @ axis, axis)
    centre = flat[:200].mean(axis=0)  # of one whole turn
    assert np.linalg.norm(flat - centre, axis=1) == pytest.approx(np.full(401, 0.1), rel=1e-3)


def test_functions() -> None:
    s, h = np.linspace(-1, 3, 57), 1e-6
    functions = {
        "sine": S.Sine(0.7, 2.1, 0.3, 1.1),
        "flat sine": S.Sine(0.7, 0.0, 0.3),
        "samples": S.Samples(np.linspace(-1, 3, 30), np.sin(np.linspace(-1, 3, 30))),
        "given": S.Given(lambda s, t: np.exp(-s) * np.cos(t)),
        "sum": 2.0 * S.Sine(1.0, 1.0) - S.Constant(0.3) + 0.1,
    }
    for name, f in functions.items():
        inner = s[3:-3]
        assert f.slope(inner, 0.5) == pytest.approx((f(inner + h, 0.5) - f(inner - h, 0.5)) / (2 * h), abs=1e-7), name
        area = (f.area(inner + h, 0.5) - f.area(inner - h, 0.5)) / (2 * h)
        assert area == pytest.approx(f(inner, 0.5), abs=1e-7), name
        assert abs(float(f.area(np.asarray(0.0), 0.5))) < 1e-15, name
    steps = S.Steps([0.0, 1.0], [1.0, 2.0, -1.0])
    assert steps.area(np.array([-1.0, 0.5, 1.0, 2.0]), 0.0) == pytest.approx([-1.0, 1.0, 2.0, 1.0], abs=1e-12)
    assert steps(np.array([-1, 0.5, 1.5])).tolist() == [1, 2, -1]


def test_batch_equals_one_by_one() -> None:
    shapes = [S.to_bellows(S.named("helix", curvature=k, torsion=0.5)) for k in np.linspace(0.5, 3, 17)]
    s, position, quaternion = S.trace_many(shapes, 200)
    for k in (0, 7, 16):
        one = shapes[k].trace(200)
        assert np.array_equal(position[k], one.position) and np.array_equal(quaternion[k], one.quaternion)
        assert np.array_equal(s, one.s)


def test_jumps_are_nodes() -> None:
    """Piecewise constant functions are integrated exactly: an arc, a line, an arc back."""
    shape = S.planar(S.Steps([0.37, 0.81], [2.0, 0.0, -2.0]), 1.2)
    curve = shape.trace(10)
    assert {0.37, 0.81} <= set(curve.s.tolist())
    heading = 2.0 * 0.37 - 2.0 * (1.2 - 0.81)
    assert curve.tangent[-1] == pytest.approx([np.cos(heading), np.sin(heading), 0.0], abs=1e-14)


def test_curves_that_touch_themselves_are_found() -> None:
    eight = S.from_curve(lambda u: np.stack([np.sin(u), np.sin(2 * u), 0 * u], axis=-1), 2 * np.pi - 0.4)
    distance, first, second = S.self_distance(eight.trace())
    assert distance < 1e-3 * eight.length and 0.0 <= first < second < eight.length
    for k in range(10):
        crossed = S.from_curve(
            lambda u, k=k: np.stack([np.sin(u - 0.5 - 0.013 * k), np.sin(2 * (u - 0.5 - 0.013 * k)), 0 * u], axis=-1),
            6.1,
        )
        assert S.self_distance(crossed.trace(2000))[0] < 1e-3 * crossed.length
    assert S.self_distance(S.named("arc", curvature=2.08 * np.pi, length=1.0).trace())[0] < 1e-6
    assert S.self_distance(S.named("circle").trace())[0] > 0.1
    assert S.self_distance(S.named("helix").trace(), apart=0.3)[0] > 0.5


@pytest.mark.parametrize("place", [0.503, 0.003, 0.31, 0.777])
def test_jumps_that_are_not_declared_are_found(place: float) -> None:
    from serpenoid.core.errors import NumericalError

    with pytest.raises(NumericalError, match=r"jumps at s = 0|undeclared|does not declare"):
        S.planar(lambda s: np.where(s < place, 0.0, 3.0), 1.0).trace()
    declared = S.planar(S.Given(lambda s: np.where(s < place, 0.0, 3.0), breaks=[place]), 1.0).trace()
    exact = S.planar(S.Steps([place], [0.0, 3.0]), 1.0).trace()
    assert np.abs(declared.position[-1] - exact.position[-1]).max() < 1e-9


def test_slopes_of_given_functions_at_any_scale() -> None:
    for k in (1.0, 2e3, 2e6):
        f, s = S.Given(lambda s, k=k: np.cos(k * s)), np.array([0.37, 1.1]) / k
        assert f.slope(s, 0.0) == pytest.approx(-k * np.sin(k * s), rel=1e-6)


BAD = {
    "not finite at s": lambda: S.planar(lambda s: 1.0 / (s - 0.5), 1.0).trace(5, order=2),
    "finite": lambda: S.planar(np.nan, 1.0),
    "length": lambda: S.planar(1.0, -1.0),
    "length ": lambda: S.planar(1.0, np.inf),
    "length  ": lambda: S.planar(1.0, 1e-300),
    "must not jump": lambda: S.named("backbone", azimuth=S.Steps([0.5], [0.0, 1.0])),
    "array of s": lambda: S.planar(__import__("math").sin, 1.0).trace(),
    "vertical": lambda: S.level(S.bellows(-3.0, 0.0, 1.0)),
    "steps must be a whole number": lambda: S.named("helix").trace(10.5),
    "rise": lambda: S.Samples([0, 2, 1, 3], [0, 0, 0, 0]),
    "at least 4": lambda: S.Samples([0, 1], [0, 1]),
    "coincide": lambda: S.from_points([[0, 0, 0], [1, 0, 0], [1, 0, 0], [2, 0, 1]]),
    "4 points": lambda: S.from_points([[0, 0, 0], [1, 0, 0]]),
    "rotation": lambda: S.Pose(frame=np.ones((3, 3))),
    "stands still": lambda: S.from_curve(lambda u: np.stack([(u - 1) ** 3, (u - 1) ** 3, 0 * u], axis=-1), 2.0),
    "steps must be": lambda: S.named("helix").trace(0),
    "tolerance": lambda: S.named("helix").trace(tolerance=-1.0),
    "order": lambda: S.named("helix").trace(10, order=3),
    "no shape": lambda: S.named("pretzel"),
    "no parameter": lambda: S.named("helix", colour=3),
    "wrong type": lambda: S.named("helix", curvature=[1, 2]),
    "radius": lambda: S.named("circle", radius=-1.0),
    "one value more": lambda: S.Steps([0.0, 1.0], [1.0, 2.0]),
    "same length": lambda: S.trace_many([S.named("line"), S.named("helix")]),
}


@pytest.mark.parametrize("text", list(BAD))
def test_bad_input(text: str) -> None:
    with pytest.raises(InputError, match=text.strip()):
        BAD[text]()
