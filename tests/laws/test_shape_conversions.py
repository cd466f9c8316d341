"""Conversions between the models: their inverses, signs, times, and what happens at zero curvature."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from serpenoid import shapes as S
from serpenoid.core.errors import InputError
from shape_cases import apart, helix_closed_form, random_pose, smooth

SEED = st.integers(0, 2**32 - 1)


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


def test_jumps_of_the_torsion_are_nodes_of_the_bellows() -> None:
    shape = S.frenet(2.0, S.Steps([0.33, 0.71], [0.0, 8.0, -5.0]), 1.0)
    assert S.to_bellows(shape).breaks.tolist() == [0.33, 0.71]
    assert apart(shape, S.to_bellows(shape), 200) < 1e-6


def test_rough_points_are_refused() -> None:
    rng, u = np.random.default_rng(1), np.linspace(0, 6, 400)
    noisy = np.stack([u, np.sin(u), 0.3 * np.cos(u)], axis=-1) + rng.normal(0, 5e-3, (400, 3))
    corner = [[0, 0, 0], [1, 0, 0], [0, 0, 0], [-1, 0, 0], [-2, 0, 0]]
    for points in (noisy, corner):
        with pytest.raises(InputError, match=r"rough|stands still"):
            S.from_points(points)
    with pytest.raises(InputError, match="points must be finite numbers"):
        S.from_points([[0, 0, 0], [1, 1], [2, 2, 2], [3, 3, 3]])
