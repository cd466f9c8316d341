"""What contact between links costs: time of a step with it over that of a step without, in the plane and in space.

    python benchmarks/self_contact.py

Twenty links, servos: a body that creeps and touches nothing, one that winds into itself at 150 degrees and stays there. Runs take
turns, the ratio is that of the fastest; without contact the second body passes through itself. Coils of 40 and 80 links show how the time grows.
"""

from __future__ import annotations

import json
import time
from typing import Any

import numpy as np

import serpenoid as sp
from serpenoid.core import SelfContact, Servo
from serpenoid.core.terrain import Ground
from serpenoid.planar.engine import PlanarEngine
from serpenoid.spatial.engine import SpatialEngine

SERVO = Servo(stiffness=20.0, damping=1.0, torque_limit=5.0)
ROUNDS, STEPS = 5, 2000


def body(links: int) -> sp.Robot:
    """A chain of round links with servos."""
    return sp.Robot(links=links, link_length=0.08, link_mass=0.1, radius=0.02, servo=SERVO)


def engine(kind: Any, robot: sp.Robot, own: SelfContact | None, first: Any = None) -> Any:
    """An engine on dry ground."""
    ground = Ground() if kind is SpatialEngine else None
    world = sp.World(sp.contact.Coulomb(0.1, 0.5), ground=ground, self_contact=own)
    return kind(robot, world, sp.Start(), step=2.5e-4, stride=100, ideal=False, first=first)


def time_of(make: Any, go: Any) -> float:
    """Seconds per step of the part of a run that `go` begins."""
    made = make()
    begin, before = go(made), time.process_time()
    made.advance(begin + STEPS)
    return (time.process_time() - before) / STEPS


def creep(made: Any) -> int:
    """Follow a gait from its first posture."""
    made.follow(sp.gaits.Serpenoid(0.6, 1.5, speed=0.3))
    made.advance(100)
    return int(made.done)


def wind(made: Any) -> int:
    """Wind up, and measure once the body is wound."""
    links = made.robot.links
    angles = (
        np.full(links - 1, 0.5)
        if links > 20
        else sp.gaits.Serpenoid(np.radians(150.0), 2, speed=0.2).angles(made.robot, 0.0)
    )
    rest = np.zeros_like(angles)
    made.track(0.0, 3.0, np.stack([rest, angles / 3.0, angles, rest]))
    made.advance(14_000)
    return int(made.done)


def ratio(kind: Any, links: int, first: Any, go: Any) -> dict[str, float]:
    """Microseconds per step without and with contact between links, and their ratio."""
    best = [np.inf, np.inf]
    for _ in range(ROUNDS):
        for k, own in enumerate((None, SelfContact())):
            best[k] = min(best[k], time_of(lambda own=own: engine(kind, body(links), own, first), go))
    return {"without_us": 1e6 * best[0], "with_us": 1e6 * best[1], "ratio": best[1] / best[0]}


def main() -> None:
    """Print one line per case."""
    gait = sp.gaits.Serpenoid(0.6, 1.5, speed=0.3)
    for kind in (PlanarEngine, SpatialEngine):
        for name, links, first, go in (
            ("touches nothing", 20, gait, creep), ("wound into itself", 20, None, wind), ("coil", 40, None, wind), ("coil", 80, None, wind),
        ):  # fmt: skip
            print(
                json.dumps({"engine": kind.NAME, "links": links, "body": name, **ratio(kind, links, first, go)}),
                flush=True,
            )


if __name__ == "__main__":
    main()
