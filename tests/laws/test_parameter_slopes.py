"""How forces depend on a law's parameters, and headings on a gait's: against differences of the very same kernels."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.contact import LAWS, evaluate, has_slopes, limits_table, parameter_slopes
from serpenoid.contact.touch import FN, FT, TANGENT, TOUCH_ROWS, VN, VT
from serpenoid.gaits import GAITS, SLOPE_ROWS, headings
from serpenoid.gaits import has_slopes as gait_has_slopes
from serpenoid.gaits import parameter_slopes as gait_slopes
from serpenoid.gaits.rows import check_gait

MASS, G, EPS = 0.7, 9.81, 3e-3
EXACT = 2e-9  # of the largest slope: what differences of fourth order leave
NEAR = 3e-4  # of a number: distance of the differences
_STICK = {"stick_length_along": 2.3e-5, "stick_length_across": 1.1e-5}
EXAMPLES = {
    "coulomb": sp.contact.Coulomb(0.2, 0.6, 0.4, smoothing=EPS),
    "coulomb-together": sp.contact.Coulomb(0.2, 0.6, 0.4, smoothing=EPS, axes="together"),
    "threshold": sp.contact.Threshold(0.2, 0.6, 0.4, **_STICK, smoothing=EPS),
    "threshold-static": sp.contact.Threshold(0.2, 0.6, 0.4, **_STICK, static_along=0.2, static_across=0.6),
    "unit-slip": sp.contact.UnitSlip(0.2, 0.6, 0.4, smoothing=EPS),
    "stribeck": sp.contact.Stribeck(0.2, 0.6, 0.4, static_ratio=1.4, stribeck_speed=8e-3, viscous=3.0, smoothing=EPS),
    "viscous": sp.contact.Viscous(0.2, 0.6, 0.4),
    "none": sp.contact.Frictionless(),
}
WITHOUT = {"bristle", "custom"}  # refused by name: `gradients.refusals`
_T = np.linspace(0.0, 0.9, 7)
_V = np.random.default_rng(2).normal(size=(7, 4))
_CREEP, _SWING = sp.gaits.Serpenoid(0.7, 1.3, 0.4), sp.gaits.StandingWave(0.6, 1.2, 5.0)
GAIT_EXAMPLES = {
    "serpenoid": _CREEP,
    "start-stop": sp.gaits.Serpenoid(0.7, 1.3, 0.4, 2.1, 0.83),
    "standing-wave": _SWING,
    "sampled": sp.gaits.Sampled(_T, _V),
    "periodic": sp.gaits.Sampled(0.31 * _T, np.concatenate([_V[:-1], _V[:1]]), periodic=True),
    "sequence": sp.gaits.Sequence((_CREEP, _SWING, sp.gaits.Sampled(_T, _V)), times=(0.21, 0.55), blend=0.17),
    "sequence-run": sp.gaits.Sequence((_SWING, _CREEP), times=(0.21,), blend=0.37, clock="run"),
}


def difference(value, array: np.ndarray, choices: tuple[int, ...] = ()) -> np.ndarray:
    """Derivatives of value() by every number of an array that is not a choice, of fourth order."""
    found = np.zeros(array.shape)
    for place in np.ndindex(array.shape):
        old, h = array[place], NEAR * max(abs(array[place]), 0.01)
        if not np.isfinite(old) or place[0] in choices:
            continue
        for k, weight in ((-2, 1.0), (-1, -8.0), (1, 8.0), (2, -1.0)):
            array[place] = old + k * h
            found[place] += weight * value() / (12.0 * h)
        array[place] = old
    return found


@pytest.mark.parametrize("name", EXAMPLES)
def test_forces_by_parameters(name: str) -> None:
    law, rng = EXAMPLES[name], np.random.default_rng(3)
    touch, count = np.zeros((TOUCH_ROWS, 9)), 9
    touch[VT], touch[VN] = rng.normal(size=count) * 0.02, rng.normal(size=count) * 0.02
    touch[VT, :2], touch[VN, 1:3] = (7e-3, -9e-3), (4e-3, -5e-3)  # about the thresholds and the smoothing
    limits, scalars = limits_table(sp.World(law, gravity=G), np.full(count, MASS)), law.scalars()
    weights, memory, eps = rng.normal(size=(2, count)), np.zeros((4, count)), np.array([EPS])

    def value() -> float:
        evaluate(law.KIND, scalars, eps[0], limits, memory, 0.0, TANGENT, touch)
        return float((weights * touch[[FT, FN]]).sum())

    value()
    by_limit, by_scalar = np.zeros_like(limits), np.zeros_like(scalars)
    by_eps = parameter_slopes(law.KIND, scalars, EPS, limits, touch, weights, by_limit, by_scalar)
    own = [by_limit, by_scalar if name not in ("coulomb", "coulomb-together") else 0.0 * by_scalar, np.array([by_eps])]
    if name.startswith("coulomb"):  # its scalar is a choice
        wanted = [difference(value, limits), 0.0 * scalars, difference(value, eps)]
    else:
        wanted = [difference(value, array) for array in (limits, scalars, eps)]
    for mine, theirs in zip(own, wanted, strict=True):
        assert np.abs(mine - theirs).max() <= EXACT * max(np.abs(theirs).max(), 1.0)


def test_laws_without_slopes_are_named() -> None:
    assert {name for name, law in LAWS.items() if not has_slopes(law.KIND)} == WITHOUT
    assert {name.split("-static")[0].removesuffix("-together") for name in EXAMPLES} == set(LAWS) - WITHOUT


@pytest.mark.parametrize("name", GAIT_EXAMPLES)
@pytest.mark.parametrize("t", [0.043, 0.27, 0.61, 0.78, 1.37])
def test_headings_by_parameters(name: str, t: float) -> None:
    gait, robot = GAIT_EXAMPLES[name], sp.robots.ma2001(links=5)
    kind, row, table = check_gait(gait, gait.KIND, gait.row(robot), robot)
    weights, out = np.random.default_rng(7).normal(size=(2, 5)), np.zeros((SLOPE_ROWS, 5))

    def value() -> float:
        headings(kind, row, table, t, out)
        return float((weights * out[:2]).sum())

    by_row, by_table = np.zeros_like(row), np.zeros_like(table)
    gait_slopes(kind, row, table, t, weights, np.zeros((SLOPE_ROWS, 5)), by_row, by_table)
    theirs, tables = difference(value, row, choices_of(gait)), difference(value, table)
    assert np.abs(np.delete(by_row - theirs, choices_of(gait))).max(initial=0.0) <= EXACT * max(
        np.abs(theirs).max(), 1.0
    )
    assert np.abs(by_table - tables).max() <= EXACT * max(np.abs(tables).max(), 1.0)


def choices_of(gait) -> tuple[int, ...]:
    """Places of the row of a gait that say what lies where."""
    if gait.NAME == "sequence":  # of each part only when it begins and its blend are numbers of the motion
        return tuple(k for k in range(2 + 8 * len(gait.parts)) if k < 2 or (k - 2) % 8 not in (1, 2))
    return (0,) if gait.NAME == "sampled" else ()


def test_gaits_without_slopes_are_named() -> None:
    planar = [name for name, gait in GAITS.items() if gait.KIND < 10]
    examples = {gait.NAME for gait in GAIT_EXAMPLES.values()}
    assert all(gait_has_slopes(gait) for gait in GAIT_EXAMPLES.values())
    assert set(planar) - examples == {"custom", "function"}
