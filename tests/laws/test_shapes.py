"""Shapes: closed forms, orders, conversions and their inverses, zero curvature, bad input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from serpenoid import shapes as S
from serpenoid.errors import InputError

SEED = st.integers(0, 2**32 - 1)


def helix_closed_form(kappa: float, tau: float, s: np.ndarray) -> np.ndarray:
    """From the identity frame; radius kappa / w^2, pitch 2 pi tau / w^2."""
    w = np.hypot(kappa, tau)
    return np.stack(
        [
            (tau**2 * s + kappa**2 * np.sin(w * s) / w) / w**2,
            kappa * (1 - np.cos(w * s)) / w**2,
            kappa * tau * (s - np.sin(w * s) / w) / w**2,
        ],
        axis=-1,
    )


def smooth(rng: np.random.Generator, offset: float = 0.0) -> S.Function:
    """A random smooth function: a constant and two sines."""
    parts = [S.Sine(rng.uniform(-1, 1), rng.uniform(0.5, 3), rng.uniform(-3, 3)) for _ in range(2)]
    return S.Constant(offset + rng.uniform(-0.3, 0.3)) + parts[0] + parts[1]


def random_pose(rng: np.random.Generator) -> S.Pose:
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    q[:, 0] *= np.sign(np.linalg.det(q))
    return S.Pose(rng.uniform(-2, 2, 3), q)


def apart(a: S.Shape, b: S.Shape, steps: int = 1500) -> float:
    """Largest distance between two backbones."""
    return float(np.abs(a.trace(steps).position - b.trace(steps).position).max())


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


@given(SEED)
def test_frenet_to_bellows_and_back(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = S.frenet(smooth(rng, 3.0), smooth(rng), rng.uniform(1, 4), start=random_pose(rng))
    there = S.to_bellows(shape, rng.uniform(-3, 3))
    assert there.model().name == "bellows"
    assert apart(shape, there) < 1e-9
    back = S.to_frenet(there)
    s = np.linspace(0, shape.length, 301)
    assert np.abs(back.values(s) - shape.values(s)).max() < 1e-9
    assert np.abs(back.start.frame - shape.start.frame).max() < 1e-12


@given(SEED)
def test_reroll_and_back(seed: int) -> None:
    """P -> Q -> P, equations (29), (31), with a random relative roll."""
    rng = np.random.default_rng(seed)
    P = S.Shape(smooth(rng), smooth(rng), smooth(rng), rng.uniform(1, 4), random_pose(rng))
    phi = smooth(rng)
    Q = S.reroll(P, phi)
    assert apart(P, Q) < 1e-9
    s = np.linspace(0, P.length, 101)
    p, q = P.trace(1500), Q.trace(1500)
    measured = np.arctan2(
        np.sum(q.frame[..., 1] * p.frame[..., 2], axis=1), np.sum(q.frame[..., 1] * p.frame[..., 1], axis=1)
    )
    assert np.abs(np.exp(1j * measured) - np.exp(1j * phi(p.s))).max() < 1e-9  # e_Qa . e_Pb = sin phi
    back = S.reroll(Q, -phi)
    assert np.abs(back.values(s) - P.values(s)).max() < 1e-9
    assert np.abs(back.start.frame - P.start.frame).max() < 1e-12


def test_the_signs_bite() -> None:
    """A flipped kappa_Ba, or tau_Q = tau_P - phi', must be noticed."""
    shape = S.frenet(S.Constant(1.5) + S.Sine(1.0, 2.0), S.Sine(0.8, 1.3, np.pi / 2) + 0.2, 5.0)
    right = S.to_bellows(shape, 0.5)
    assert apart(shape, right, 2000) < 5e-12  # reference 1.8e-12
    wrong = right.but(kappa_a=-1.0 * right.kappa_a)
    assert apart(shape, wrong, 2000) > 1.0  # reference 1.3 to 1.45
    P = S.Shape(S.Sine(0.5, 1.0), S.Constant(0.4), S.Constant(1.1), 5.0)
    phi = S.Sine(0.9, 1.7)
    Q = S.reroll(P, phi)
    slope = S.Given(lambda s: phi.slope(s, 0.0))
    assert apart(P, Q.but(tau=P.tau - slope), 2000) > 0.1
    assert apart(P, Q.but(tau=P.tau + slope), 2000) < 1e-10


@given(SEED)
def test_rolling_moves_no_backbone_point(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = S.bellows(smooth(rng), smooth(rng), rng.uniform(1, 4), start=random_pose(rng))
    angle = rng.uniform(-10, 10)
    rolled = S.roll(shape, angle)
    a, b = shape.trace(600), rolled.trace(600)
    assert np.abs(a.position - b.position).max() < 1e-10
    turned = np.einsum("nij,nik->njk", a.frame, b.frame)  # the same rotation about e1 everywhere
    assert np.abs(turned - turned[0]).max() < 1e-10
    assert np.arctan2(turned[0, 2, 1], turned[0, 1, 1]) == pytest.approx(np.angle(np.exp(1j * angle)), abs=1e-9)


def test_rolling_needs_bellows() -> None:
    with pytest.raises(InputError, match="bellows"):
        S.roll(S.named("helix"), 0.5)


def test_a_line_on_a_bellows_spiral_turns_at_the_rate_of_the_torsion() -> None:
    """Figs 3, 6: against the Frenet normal the straight line of a bellows turns by -tau s."""
    frenet, bellows = S.named("helix"), S.to_bellows(S.named("helix"))
    f, b = frenet.trace(1000), bellows.trace(1000)
    angle = np.unwrap(
        np.arctan2(np.sum(b.frame[..., 2] * f.frame[..., 1], axis=1), np.sum(b.frame[..., 2] * f.frame[..., 2], axis=1))
    )
    assert angle == pytest.approx(0.7 * f.s, abs=1e-8)


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


def test_zero_curvature_inside_at_the_ends_and_along_a_stretch() -> None:
    """A plane S-curve, a zero at each end, a straight stretch: no NaN, no jump of the frame, torsion zero."""
    s = np.linspace(0, 2.0, 401)
    cases = {
        "plane S-curve": S.planar(S.Sine(2.0, np.pi), 2.0),
        "zeros at the ends": S.planar(S.Sine(2.0, np.pi / 2), 2.0),
        "straight stretch": S.planar(S.Steps([0.7, 1.3], [1.5, 0.0, -1.0]), 2.0),
        "straight throughout": S.planar(0.0, 2.0),
        "rolled S-curve": S.roll(S.planar(S.Sine(2.0, np.pi), 2.0), 0.6),
    }
    for name, shape in cases.items():
        frenet = S.to_frenet(shape)
        values = frenet.values(s)
        assert np.isfinite(values).all(), name
        assert np.abs(values[0]).max() < 1e-9, name
        assert apart(shape, frenet, 400) < 1e-10, name
        turn = np.linalg.norm(np.diff(frenet.trace(400).frame, axis=0), axis=(1, 2))
        assert turn.max() < 0.05, name
        assert S.zero_curvature(shape), name


def test_counterexample_has_finite_torsion() -> None:
    """kappa_a = s^2, kappa_b = s (here about s = 1): the paper says infinite, it is -1 / (1 + s^2)."""
    shape = S.bellows(
        S.Given(lambda s: (s - 1) ** 2, lambda s: 2 * (s - 1)), S.Given(lambda s: s - 1.0, lambda s: 0 * s + 1), 2.0
    )
    frenet = S.to_frenet(shape)
    s = np.linspace(0, 2, 41)
    assert frenet.tau(s) == pytest.approx(-1 / (1 + (s - 1) ** 2), abs=2e-5)
    away = np.abs(s - 1) > 0.01
    assert np.abs(frenet.tau(s) + 1 / (1 + (s - 1) ** 2))[away].max() < 1e-12
    assert apart(shape, frenet) < 1e-9


def test_infinite_torsion_is_refused_with_the_place() -> None:
    for kink in (0.7, 1.0):
        shape = S.bellows(S.Given(lambda s, k=kink: np.abs(s - k)), S.Given(lambda s, k=kink: s - k), 2.0)
        with pytest.raises(InputError, match=f"s = {kink:g}"):
            S.to_frenet(shape)
    peaked = S.bellows(S.Constant(0.05), S.Given(lambda s: s - 1.0, lambda s: 0 * s + 1), 2.0)
    assert np.abs(S.to_frenet(peaked).tau(np.linspace(0, 2, 2001))).max() == pytest.approx(1 / 0.05, rel=1e-3)


def test_points_to_bellows_and_back() -> None:
    """A helix known only by points comes back; the frame does not twist."""
    u = np.linspace(0, 4, 60)
    points = helix_closed_form(1.5, 0.6, u)
    shape = S.from_points(points)
    assert shape.model().name == "bellows"
    assert shape.length == pytest.approx(4.0, rel=1e-5)
    curve = shape.trace()
    nearest = [np.linalg.norm(curve.position - p, axis=1).min() for p in points]
    assert max(nearest) < 2e-3
    assert np.linalg.norm(curve.position[-1] - points[-1]) < 1e-4
    inner = np.linspace(0.3, 3.7, 50)
    assert np.hypot(*shape.values(inner)[1:]) == pytest.approx(np.full(50, 1.5), rel=5e-3)
    exact = S.from_curve(lambda x: helix_closed_form(1.5, 0.6, 2.0 * x), 2.0)  # parameter is not arc length
    assert np.linalg.norm(exact.trace().position - helix_closed_form(1.5, 0.6, exact.trace().s), axis=1).max() < 1e-7


def test_level_keeps_the_back_up() -> None:
    for shape in (S.named("spline"), S.roll(S.named("serpenoid3d"), 1.0)):
        leveled = S.level(shape)
        curve = leveled.trace(800)
        assert apart(shape, leveled, 8000) < 1e-8
        side = curve.frame[:, 2, 1]  # the left side ea is horizontal where the back is as high as it can be
        assert np.abs(side).max() < 1e-4
        assert curve.frame[:, 2, 2].min() > 0.0
    with pytest.raises(InputError, match="vertical"):
        S.level(S.named("line").but(start=S.Pose(frame=np.array([[0.0, 0, -1], [0, 1, 0], [1, 0, 0]]))))


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


@pytest.mark.parametrize("name", list(S.NAMED))
def test_a_backbone_is_the_same_in_all_models(name: str) -> None:
    shape = S.named(name)
    for other in (S.to_bellows(shape), S.to_frenet(shape), S.reroll(shape, 0.7)):
        assert apart(shape, other, 8000) < 1e-8


def test_a_frenet_shape_stays_itself() -> None:
    """Negative curvature too: the frame does not turn over."""
    for shape in (S.frenet(-2.0, 0.7, 3.0), S.named("serpenoid")):
        assert S.to_frenet(shape) is shape


@pytest.mark.parametrize("t", [0.0, 0.9, 2.0])
def test_conversions_at_a_time(t: float) -> None:
    """Shapes that move: converted for a time they are right at that time, and refuse others."""
    shape = S.named("sidewinding", frequency=1.3)

    def parted(other: S.Shape) -> float:
        return float(np.abs(shape.trace(2000, t=t).position - other.trace(2000, t=t).position).max())

    frenet = S.to_frenet(shape, t)
    assert parted(frenet) < 1e-9
    assert parted(S.reroll(shape, S.Sine(0.5, 1.0, 0.0, 2.0), t)) < 1e-9
    assert parted(S.level(shape, t)) < 1e-6
    assert parted(S.roll(shape, 0.4, t)) < 1e-10
    with pytest.raises(InputError, match="convert it anew"):
        frenet.trace(10, t=t + 1.0)
    K = S.Sine(0.8, 3.0, 0.0, 2.0)
    from serpenoid.shapes.named import backbone

    curve = backbone(K, 0.2, 0.0, 1.0, t).trace(500, t=t)
    tangent = np.stack(
        [np.cos(0.2) * np.sin(K(curve.s, t)), np.cos(0.2) * np.cos(K(curve.s, t)), 0 * curve.s + np.sin(0.2)], axis=-1
    )
    assert np.abs(curve.tangent - tangent).max() < 1e-8


def test_zero_curvature_where_the_frame_begins_keeps_the_torsion() -> None:
    shape = S.frenet(S.Sine(2.0, 1.0), 1.0, 2.0)
    back = S.to_frenet(S.to_bellows(shape))
    assert back.tau(np.linspace(0, 2, 21)) == pytest.approx(np.ones(21), abs=2e-3)
    assert np.abs(back.start.frame - shape.start.frame).max() < 1e-8
    assert apart(shape, back) < 1e-8


def test_directions_that_jump_are_refused() -> None:
    for shape in (
        S.bellows(S.Steps([0.5], [0.0, 0.3]), 1.0, 1.0),
        S.bellows(lambda s: 0.2 * np.abs(s - 0.70003), lambda s: s - 0.70003, 2.0),
        S.bellows(S.Steps([0.4, 0.6], [0.0, 0.0, 0.045]), S.Steps([0.4, 0.6], [1.0, 0.0, 1.0]), 1.0),
    ):
        with pytest.raises(InputError, match="no Frenet-Serret shape"):
            S.to_frenet(shape)


@pytest.mark.parametrize("place", [0.503, 0.003, 0.31, 0.777])
def test_jumps_that_are_not_declared_are_found(place: float) -> None:
    from serpenoid.errors import NumericalError

    with pytest.raises(NumericalError, match=r"jumps at s = 0|undeclared|does not declare"):
        S.planar(lambda s: np.where(s < place, 0.0, 3.0), 1.0).trace()
    declared = S.planar(S.Given(lambda s: np.where(s < place, 0.0, 3.0), breaks=[place]), 1.0).trace()
    exact = S.planar(S.Steps([place], [0.0, 3.0]), 1.0).trace()
    assert np.abs(declared.position[-1] - exact.position[-1]).max() < 1e-9


def test_jumps_of_the_torsion_are_nodes_of_the_bellows() -> None:
    shape = S.frenet(2.0, S.Steps([0.33, 0.71], [0.0, 8.0, -5.0]), 1.0)
    assert S.to_bellows(shape).breaks.tolist() == [0.33, 0.71]
    assert apart(shape, S.to_bellows(shape), 200) < 1e-6


def test_slopes_of_given_functions_at_any_scale() -> None:
    for k in (1.0, 2e3, 2e6):
        f, s = S.Given(lambda s, k=k: np.cos(k * s)), np.array([0.37, 1.1]) / k
        assert f.slope(s, 0.0) == pytest.approx(-k * np.sin(k * s), rel=1e-6)


def test_rough_points_are_refused() -> None:
    rng, u = np.random.default_rng(1), np.linspace(0, 6, 400)
    noisy = np.stack([u, np.sin(u), 0.3 * np.cos(u)], axis=-1) + rng.normal(0, 5e-3, (400, 3))
    corner = [[0, 0, 0], [1, 0, 0], [0, 0, 0], [-1, 0, 0], [-2, 0, 0]]
    for points in (noisy, corner):
        with pytest.raises(InputError, match=r"rough|stands still"):
            S.from_points(points)
    with pytest.raises(InputError, match="3 numbers"):
        S.from_points([[0, 0, 0], [1, 1], [2, 2, 2], [3, 3, 3]])


BAD = {
    "not finite at s": lambda: S.planar(lambda s: 1.0 / (s - 0.5), 1.0).trace(5, order=2),
    "finite": lambda: S.planar(np.nan, 1.0),
    "length": lambda: S.planar(1.0, -1.0),
    "length ": lambda: S.planar(1.0, np.inf),
    "length  ": lambda: S.planar(1.0, 1e-300),
    "must not jump": lambda: S.named("backbone", azimuth=S.Steps([0.5], [0.0, 1.0])),
    "array of s": lambda: S.planar(__import__("math").sin, 1.0).trace(),
    "vertical": lambda: S.level(S.bellows(-3.0, 0.0, 1.0)),
    "steps must be from": lambda: S.named("helix").trace(10.5),
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
