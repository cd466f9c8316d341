"""The fragment's procedure told word by word in plain Python: a second program, apart from the kernels of `planning.settling`.

A link's joint turns it, and all links beyond, by min(alpha, E) towards the path point C nearest to its tip, found as printed: from the path's first
point on until the distance grows. What the text leaves open is an option.

| option | reading |
|---|---|
| `each` false | a link turns until it is settled; then the links beyond settle again, from it outwards |
| `each` true | the links beyond settle again after every single turn |
| `fixed` true | links always turn by E, also where alpha is less: what the text warns of; `PATIENCE` turns at most |
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from serpenoid.core.checks import FloatArray

PATIENCE = 150  # turns of one link at once
STILL = 1e-6  # rad: below this the cosine rule has no digits left


class Told(NamedTuple):
    """A settled posture and how it came about."""

    joints: FloatArray  # (n+1, 2)
    turns: int
    off_path: FloatArray  # (n,) distance of each tip to the nearest point of the path
    way: list[FloatArray]  # joints after every turn, the first posture before
    passed: float  # rad: by how much a turn went beyond the direction of its C, at most
    restless: tuple[int, ...]  # links that turned until patience ended
    targets: list[FloatArray]  # C of every turn


def sequential(points: FloatArray, tip: FloatArray) -> int:
    """Index of the path point at which the printed search stops: the last before the distance grows."""
    far = np.hypot(*(points - tip).T)
    grows = np.flatnonzero(far[1:] >= far[:-1])
    return int(grows[0]) if len(grows) else len(points) - 1


def triangle(a: FloatArray, b: FloatArray, c: FloatArray) -> float:
    """Angle at A of the triangle ABC (rad), by the cosine rule, with the sign of (B - A) x (C - A); 0 where C is A."""
    ab, ac, bc = (float(np.hypot(*side)) for side in (b - a, c - a, c - b))
    if ac == 0.0:
        return 0.0
    alpha = float(np.arccos(np.clip((ab**2 + ac**2 - bc**2) / (2.0 * ab * ac), -1.0, 1.0)))
    return alpha if (b - a)[0] * (c - a)[1] >= (b - a)[1] * (c - a)[0] else -alpha


def bearing(a: FloatArray, b: FloatArray, c: FloatArray) -> float:
    """The same angle from the directions of the two sides."""
    u, v = b - a, c - a
    return float(np.arctan2(u[0] * v[1] - u[1] * v[0], u @ v))


class Teller:
    """A chain beside a path."""

    def __init__(self, points: FloatArray, lengths: FloatArray, headings: FloatArray, cap: float, tol: float, fixed: bool, base: int = 0) -> None:  # fmt: skip
        self.base, self.points, self.lengths, self.cap, self.tol, self.fixed = base, points, lengths, cap, tol, fixed
        self.headings = np.array(headings, dtype=float)
        self.way, self.targets = [self.joints()], list[FloatArray]()
        self.passed, self.restless = 0.0, set[int]()

    def joints(self) -> FloatArray:
        """Joints by the headings, (n+1, 2)."""
        steps = self.lengths[:, None] * np.stack([np.cos(self.headings), np.sin(self.headings)], axis=1)
        return self.points[self.base] + np.vstack([np.zeros(2), np.cumsum(steps, axis=0)])

    def turn(self, k: int) -> float:
        """Turn link k once; the angle, 0 where it is settled or rests."""
        a, b = self.way[-1][k], self.way[-1][k + 1]
        c = self.points[sequential(self.points, b)]
        alpha = triangle(a, b, c)
        if np.hypot(*(c - b)) <= self.tol or abs(alpha) < STILL:
            return 0.0
        angle = float(np.sign(alpha)) * (self.cap if self.fixed else min(abs(alpha), self.cap))
        self.headings[k:] += angle
        self.way.append(self.joints())
        self.targets.append(c)
        left = bearing(a, self.way[-1][k + 1], c)
        self.passed = max(self.passed, -left * np.sign(angle))
        return angle

    def settle(self, k: int) -> None:
        """Turn link k until it is settled or rests."""
        for _ in range(PATIENCE):
            if self.turn(k) == 0.0:
                return
        self.restless.add(k)

    def settle_all(self, each: bool = False) -> None:
        """Settle from the head to the base link."""
        n = len(self.lengths)
        for k in range(n - 1, -1, -1):
            if not each:
                for q in range(k, n):
                    self.settle(q)
                continue
            for _ in range(PATIENCE):
                angle = self.turn(k)
                for q in range(k + 1, n):
                    self.settle(q)
                if angle == 0.0:
                    break


def settle_told(
    points: FloatArray, lengths: FloatArray, headings: FloatArray, cap: float, tol: float, *, each: bool = False, fixed: bool = False,
) -> Told:  # fmt: skip
    """Settle a chain (lengths, headings in rad) with its base on the path's first point; cap in rad, tol as the lengths."""
    chain = Teller(points, lengths, headings, cap, tol, fixed)
    chain.settle_all(each)
    last = chain.way[-1]
    return Told(last, len(chain.way) - 1, nearest(points, last), chain.way, chain.passed, tuple(sorted(chain.restless)), chain.targets)  # fmt: skip


def nearest(points: FloatArray, joints: FloatArray) -> FloatArray:
    """Distance of every tip to the nearest point of the path, (n,)."""
    return np.array([np.hypot(*(points - tip).T).min() for tip in joints[1:]])


def lies_along(points: FloatArray, joints: FloatArray) -> bool:
    """Whether each joint lies farther along the path than the one before: a body can have all tips on it and be folded."""
    places = [int(np.argmin(np.hypot(*(points - joint).T))) for joint in joints]
    return bool(np.all(np.diff(places) > 0))


def advance_told(points: FloatArray, lengths: FloatArray, headings: FloatArray, cap: float, tol: float, stride: int = 2) -> FloatArray:  # fmt: skip
    """Joints (m, n+1, 2) of every posture while the base goes to the path's end, `stride` points at a time."""
    postures = []
    for base in range(0, len(points), stride):
        chain = Teller(points, lengths, headings, cap, tol, False, base)
        chain.settle_all()
        postures.append(chain.way[-1])
        headings = chain.headings
    return np.array(postures)
