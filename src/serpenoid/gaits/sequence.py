"""Several gaits one after another, each blended into the next.

    gait = sp.gaits.Sequence((creep, turn, creep), times=(5.0, 8.0), blend=0.8)

At `times[k]` the gait k + 1 begins, and within `blend` seconds it takes over from the gait before, which goes on meanwhile. With the
share w(x) = x^3 (10 - 15 x + 6 x^2) of the new gait, x = (t - times[k]) / blend,

    q = (1 - w) q_old + w q_new,    q' = (1 - w) q_old' + w q_new' + w' (q_new - q_old),    q'' likewise:

angles, rates and accelerations do not jump, since w' = w'' = 0 at both ends. With `clock` "own" each gait's time begins when it begins
to take over (a ramp or a start from rest is that of the gait itself); with "run" all see the time of the run, so that waves of one
frequency stay in phase.

The kernels find everything in one row of numbers: how many gaits, which clock, then for each its kind, when it begins, its blend, where
its parameters and its table lie, and these themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from serpenoid.compiled import njit
from serpenoid.core import FloatArray, Robot
from serpenoid.core.command import GAITS
from serpenoid.core.declare import Parts, declare, description
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Choice, Number
from serpenoid.core.several import Array
from serpenoid.gaits.base import CompiledGait
from serpenoid.gaits.rows import check_gait

SPACE_ONLY = 10  # gaits from this kind on give no headings in the plane


@dataclass(frozen=True)
class GaitParts(Parts):
    """Gaits of any kind but a sequence."""

    of: Any = field(default_factory=lambda: GAITS)

    def schema(self) -> dict[str, Any]:
        """A list of tables of gaits."""
        from serpenoid.core.schema import schema_of

        members = [schema_of(cls) for name, cls in GAITS.items() if name != Sequence.NAME]
        return {"type": "array", "items": {"oneOf": members}, "minItems": 2}


@GAITS.register
@description(eq=False)
class Sequence(CompiledGait):
    """Gaits one after another, each blended into the next; see the module."""

    parts: tuple[Any, ...] = declare(GaitParts("the gaits in their order"))
    times: FloatArray = declare(Array("at which the second and later gaits begin to take over, rising", "s", least=1))
    blend: float | None = declare(
        Number("time in which a gait takes over; none: half of the longer period of the two", "s", above=0.0),
        default=None,
    )
    clock: str = declare(
        Choice("each gait's own time from its begin, or that of the run", options=("own", "run")), default="own"
    )

    KIND: ClassVar[int] = 5
    NAME: ClassVar[str] = "sequence"

    def check(self) -> None:
        """Two gaits at least, a time for each after the first."""
        if len(self.parts) < 2:
            raise InputError(f"a sequence needs at least two gaits, got {len(self.parts)}")
        for part in self.parts:
            if not (hasattr(part, "KIND") and callable(getattr(part, "row", None)) and hasattr(part, "angles")):
                raise InputError(f"the parts of a sequence must be gaits, got {part!r}")
            if isinstance(part, Sequence):
                raise InputError("a sequence cannot hold another one; put all gaits into one")
        t = np.asarray(self.times)
        if len(t) != len(self.parts) - 1:
            raise InputError(f"a sequence of {len(self.parts)} gaits needs {len(self.parts) - 1} times, got {len(t)}")
        if t[0] <= 0.0 or np.any(np.diff(t) <= 0.0):
            raise InputError(f"the times of a sequence must rise from above 0 s, got {t.tolist()}")
        if self.blend is not None:
            self._check_blends([self.blend] * len(t))

    def _check_blends(self, blends: list[float]) -> None:
        for k, gap in enumerate(np.diff(self.times)):
            if blends[k] > gap * (1.0 + 1e-12):
                raise InputError(
                    f"the blend of {blends[k]:g} s that begins at {self.times[k]:g} s is not over when the next begins at {self.times[k + 1]:g} s"
                )

    def blends(self, robot: Robot) -> list[float]:
        """Time in which each gait after the first takes over, s."""
        if self.blend is not None:
            return [self.blend] * len(self.times)
        found = []
        for k, t in enumerate(self.times):
            periods = [p for part in self.parts[k : k + 2] if (p := part.period(robot)) is not None]
            if not periods:
                raise InputError(f"neither gait that meets at {t:g} s has a period: give the sequence a blend in s")
            found.append(0.5 * max(periods))
        self._check_blends(found)
        return found

    def _packed(self, robot: Robot, sources: list[tuple[int, FloatArray, FloatArray]]) -> tuple[FloatArray, FloatArray]:
        """The row of numbers; no table."""
        begins, blends = [0.0, *(float(t) for t in self.times)], [0.0, *self.blends(robot)]
        heads, data, at = [], [], 2 + 8 * len(sources)
        for (kind, par, tab), begin, blend in zip(sources, begins, blends, strict=True):
            table = np.atleast_2d(np.asarray(tab, dtype=float))
            heads += [kind, begin, blend, at, len(par), at + len(par), *table.shape]
            data += [np.asarray(par, dtype=float), table.ravel()]
            at += len(par) + table.size
        return np.concatenate([[len(sources), float(self.clock == "own")], heads, *data]), np.zeros((1, 1))

    def row(self, robot: Robot) -> tuple[FloatArray, FloatArray]:
        """Everything the kernels need of the parts, in the plane."""
        for part in self.parts:
            if part.KIND >= SPACE_ONLY:
                raise InputError(f"a sequence in the plane needs gaits in the plane; {part.NAME} bends in space")
        return self._packed(robot, [check_gait(part, part.KIND, part.row(robot), robot) for part in self.parts])

    def row_in_space(self, robot: Robot) -> tuple[FloatArray, FloatArray]:
        """The same, for yaw and pitch of the joints."""
        from serpenoid.gaits.joints import source_of

        return self._packed(robot, [source_of(part, robot) for part in self.parts])

    def period(self, robot: Robot) -> float | None:
        """Period of the last gait, s: what the motion settles to."""
        found: float | None = self.parts[-1].period(robot)
        return found

    def shortest_period(self, robot: Robot) -> float | None:
        """Shortest period of any gait, or twice the shortest blend, s."""
        own = [p for part in self.parts if (p := part.shortest_period(robot)) is not None]
        return min([*own, *(2.0 * blend for blend in self.blends(robot))])

    def _since(self, k: int) -> float:
        """Time of the run at which the clock of gait k shows zero, s."""
        return 0.0 if k == 0 or self.clock == "run" else float(self.times[k - 1])

    def steady_from(self, robot: Robot) -> float:
        """Time from which the last gait is steady and alone, s."""
        own = float(self.parts[-1].steady_from(robot)) + self._since(len(self.parts) - 1)
        return max(own, float(self.times[-1]) + self.blends(robot)[-1] + (self.period(robot) or np.inf))

    def steady_until(self) -> float:
        """Time at which the steady part ends, s."""
        return float(self.parts[-1].steady_until()) + self._since(len(self.parts) - 1)

    def kinks(self) -> list[float]:
        """Times at which the joint accelerations jump, s: those of each gait while it has a share."""
        found = []
        for k, part in enumerate(self.parts):
            begin = 0.0 if k == 0 else float(self.times[k - 1])
            end = float(self.times[k]) + (self.blend or np.inf) if k + 1 < len(self.parts) else np.inf
            found += [x for kink in part.kinks() if begin < (x := kink + self._since(k)) < end]
        return sorted(found)

    def raise_problem(self) -> None:
        """Raise what went wrong with a part's own function while a run was under way."""
        for part in self.parts:
            getattr(part, "raise_problem", lambda: None)()


@njit
def head_of(par, k):
    """Of gait k: kind, begin, blend, place and number of its parameters, place, rows and columns of its table."""
    at = 2 + 8 * k
    return par[at], par[at + 1], par[at + 2], par[at + 3], par[at + 4], par[at + 5], par[at + 6], par[at + 7]


@njit
def part_at(par, t):
    """Number of the gait that has begun last at time t, and its share with two derivatives (1, 0, 0: it is alone)."""
    k = 0
    for j in range(1, int(par[0])):
        if t > head_of(par, j)[1]:
            k = j
    _kind, begin, blend = head_of(par, k)[:3]
    x = (t - begin) / blend if blend > 0.0 else 1.0
    if x >= 1.0:
        return k, 1.0, 0.0, 0.0
    share = x * x * x * (10.0 + x * (6.0 * x - 15.0))
    rate = 30.0 * x * x * (1.0 + x * (x - 2.0)) / blend
    return k, share, rate, 60.0 * x * (1.0 + x * (2.0 * x - 3.0)) / (blend * blend)


@njit
def kind_of(par, k):
    """Kind of gait k."""
    return int(head_of(par, k)[0])


@njit
def time_of(par, k, t):
    """What the clock of gait k shows at time t."""
    return t - head_of(par, k)[1] if par[1] > 0.0 else t


@njit
def spans_of(par, k):
    """Where parameters and table of gait k stand in `par`: begin and end of the first, begin, rows and columns of the second."""
    head = head_of(par, k)
    return int(head[3]), int(head[3] + head[4]), int(head[5]), int(head[6]), int(head[7])


@njit
def mix_headings(out, share, rate, bend):
    """Blend rows 0, 1, 2 of the new gait with rows 3, 4, 5 of the old one: value, rate, acceleration."""
    for i in range(out.shape[1]):
        gap, drift = out[0, i] - out[3, i], out[1, i] - out[4, i]
        out[0, i] = out[3, i] + share * gap
        out[1, i] = out[4, i] + share * drift + rate * gap
        out[2, i] = out[5, i] + share * (out[2, i] - out[5, i]) + 2.0 * rate * drift + bend * gap


@njit
def mix_angles(aim, share, rate):
    """Blend yaw, pitch and roll of the new gait (rows 0 to 5: each with its rate) with those of the old one (rows 6 to 11)."""
    for row in range(0, 6, 2):
        for i in range(aim.shape[1]):
            gap = aim[row, i] - aim[row + 6, i]
            aim[row, i] = aim[row + 6, i] + share * gap
            aim[row + 1, i] = aim[row + 7, i] + share * (aim[row + 1, i] - aim[row + 7, i]) + rate * gap


@njit
def share_weights(share, rate, weights, new, old):
    """Weights of headings and rates of a blend as those of the new gait and of the old one."""
    for i in range(weights.shape[1]):
        new[0, i] = share * weights[0, i] + rate * weights[1, i]
        old[0, i] = (1.0 - share) * weights[0, i] - rate * weights[1, i]
        new[1, i], old[1, i] = share * weights[1, i], (1.0 - share) * weights[1, i]


@njit
def clock_slopes(par, k, weights, out, by_par):
    """Add how the weighted headings and rates of gait k depend on when it begins, by its clock; `out` holds them."""
    if par[1] > 0.0:
        for i in range(weights.shape[1]):
            by_par[2 + 8 * k + 1] -= weights[0, i] * out[1, i] + weights[1, i] * out[2, i]


@njit
def share_slopes(par, k, t, weights, out, by_par):
    """Add how a blend depends on begin and length of the blend; rows of `out` are those of both gaits, not yet mixed."""
    _, _, share_rate, share_bend = part_at(par, t)
    at = 2 + 8 * k
    x, by_share, by_rate = (t - par[at + 1]) / par[at + 2], 0.0, 0.0
    for i in range(weights.shape[1]):
        gap, drift = out[0, i] - out[3, i], out[1, i] - out[4, i]
        by_share += weights[0, i] * gap + weights[1, i] * drift
        by_rate += weights[1, i] * gap
    by_par[at + 1] -= by_share * share_rate + by_rate * share_bend
    by_par[at + 2] -= by_share * share_rate * x + by_rate * (share_bend * x + share_rate / par[at + 2])
