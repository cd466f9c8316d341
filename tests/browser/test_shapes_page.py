"""Shapes without a robot in the page: the backbone is Python's, a model changes the frame alone, rolling turns the back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from serpenoid import shapes

NEAR = 2e-3  # m: the page traces 96 steps of order 2 and shows 32-bit numbers
BACKS = "Array.from(window.__snake.studio.motion.at('back', 0, new Float32Array(3 * 96)))"


def backbone(tab: Any) -> np.ndarray:
    nodes = np.reshape(tab.page.evaluate("window.__snake.nodes(0)"), (-1, 3))
    return nodes - nodes[0]


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("shape-helix", shapes.named("helix", curvature=2.0, torsion=0.7, length=5.0)),
        ("shape-serpenoid", shapes.named("serpenoid", winding_angle_deg=45.0, waves=2.0, length=1.6)),
    ],
)
def test_models_share_the_backbone_and_rolling_turns_the_back(tab: Any, name: str, shape: Any) -> None:
    page = tab.open(f"#{name}&shape.model=%22complete%22")
    page.evaluate("window.__snake.studio.clock.play(false)")
    wanted = shape.trace(96).position
    np.testing.assert_allclose(backbone(tab), wanted - wanted[0], atol=NEAR)
    backs = {"complete": page.evaluate(BACKS)}
    torsions = {"complete": tab.metrics()["torsion_max"]}
    assert page.locator("#plots figure").evaluate_all("(all) => all.map((e) => e.dataset.plot)") == [
        "tau",
        "kappaA",
        "kappaB",
    ]
    for model in ("bellows", "frenet"):
        tab.run_after(
            lambda model=model: page.evaluate(f"window.__snake.studio.doc.set(['shape', 'model'], '{model}')")
        )
        np.testing.assert_allclose(backbone(tab), wanted - wanted[0], atol=NEAR)
        backs[model] = page.evaluate(BACKS)
        torsions[model] = tab.metrics()["torsion_max"]
    assert torsions["bellows"] == pytest.approx(0.0, abs=1e-12)
    if name == "shape-helix":  # Frenet and the complete model are the same there, the bellows frame is not
        assert torsions["frenet"] == pytest.approx(torsions["complete"]) == pytest.approx(0.7)
        np.testing.assert_allclose(backs["frenet"], backs["complete"], atol=0.02)
        assert np.abs(np.subtract(backs["bellows"], backs["frenet"])).max() > 0.5
    tab.run_after(lambda: page.evaluate("window.__snake.studio.doc.set(['shape', 'roll'], 1.0)"))
    rolled = np.reshape(page.evaluate(BACKS), (-1, 3))
    cosines = np.sum(rolled * np.reshape(backs["frenet"], (-1, 3)), axis=1)
    np.testing.assert_allclose(cosines, np.cos(1.0), atol=1e-3)
