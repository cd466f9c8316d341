"""One description of what is to be drawn, from a Trajectory alone; figures, films and pages draw from it.

| part | what it is |
|---|---|
| body | nodes, axes, backs, centre of gravity, contact forces over time (`Poses`); radii of the links |
| land | ground (plane, slope, height field) and solid obstacles |
| blocks, cells | upright obstacles seen from above: outlines, and a map of square cells |
| pushes | forces of upright obstacles on the links, and where they press |
| pins | ground anchors: on which link, where along it, when set |
| path, target | what a plan wanted: the line to be followed, the place to be reached |
| title, kind, status | what the picture is called; "plane", "space" or "above"; how the run ended |

Kinds: runs in the plane are "plane"; runs in space with upright obstacles or anchors on level ground are seen from "above"; other
runs in space are "space". Units are SI and radians; `Scene.data` has numbers, lists and strings only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.core import FloatArray, Trajectory, World
from serpenoid.core.door import FiniteNumbers, door
from serpenoid.core.obstacles import Grid
from serpenoid.core.terrain import Box, Cylinder, Pipe
from serpenoid.view.ground import Land, contact_shares, land_of, world_of
from serpenoid.view.poses import Poses, between, masked, poses, sound

THIN = 0.008  # body lengths: radius in which links without one are drawn in space
THICK, THICK_LEAST, THICK_MOST = 0.25, 0.006, 0.0225  # in the plane: radius in links, and its bounds in body lengths
ROUND = 40  # corners of a round obstacle


class CellMap(NamedTuple):
    """A map: solid squares of side `cell` (m) about origin + cell (i, j)."""

    solid: NDArray[np.bool_]
    cell: float
    origin: tuple[float, float] = (0.0, 0.0)

    @property
    def box(self) -> tuple[FloatArray, FloatArray]:
        """Lower left and upper right corner, m."""
        low = np.asarray(self.origin, dtype=float) - 0.5 * self.cell
        return low, low + np.array(self.solid.shape) * self.cell


class Pins(NamedTuple):
    """Ground anchors: links (a,) from 0, shares of their lengths (a,), whether they are set (t, a), forces (t, a, 3) N."""

    link: NDArray[np.int64]
    share: FloatArray
    held: NDArray[np.bool_]
    force: FloatArray

    def places(self, node: FloatArray, frame: int) -> FloatArray:
        """Where the pins that hold are, (k, 3), of a body with nodes (n+1, 3)."""
        held = np.flatnonzero(self.held[frame])
        link, share = self.link[held], self.share[held, None]
        return np.asarray((1.0 - share) * node[link] + share * node[link + 1])


class Note(NamedTuple):
    """A number shown beside the clock: its values (t,), shown `factor` times as large with a name and a unit."""

    name: str
    unit: str
    factor: float
    values: FloatArray

    def text(self, frame: int) -> str:
        """Its text at a frame."""
        return f"{self.name} {self.factor * self.values[frame]:.3g} {self.unit}"


@dataclass(frozen=True, eq=False)
class Scene:
    """What is to be drawn of a run."""

    title: str
    kind: str
    status: str
    body: Poses
    radius: FloatArray  # (n,) m
    land: Land
    shares: FloatArray  # (k,) where along a link it may touch
    blocks: tuple[FloatArray, ...] = ()  # outlines (k, 2) m, anticlockwise
    cells: CellMap | None = None
    push: FloatArray = field(default_factory=lambda: np.zeros((0, 0, 3)))  # (t, n, 3) N
    press: FloatArray = field(default_factory=lambda: np.zeros((0, 0, 3)))  # (t, n, 3) m
    pins: Pins | None = None
    path: FloatArray | None = None  # (k, 2) m
    target: FloatArray | None = None  # (2,) m
    notes: tuple[Note, ...] = ()
    events: tuple[tuple[float, str], ...] = ()  # s, what happened
    unit: str = "m"  # of lengths
    scaled: bool = True  # pushes are forces in N; False: only their directions are known
    clock: str = "t = {:.2f} s"

    @property
    def drawn(self) -> FloatArray:
        """Radii in which the links are drawn, (n,) m."""
        length = self.body.length
        if self.kind == "plane":
            thick = np.clip(THICK * self.body.lengths.mean(), THICK_LEAST * length, THICK_MOST * length)
            return np.full(self.radius.shape, float(thick))
        return np.where(self.radius > 0.0, self.radius, THIN * length)

    @property
    def normal(self) -> FloatArray:
        """Normal of the ground as a whole."""
        return np.array([0.0, 0.0, 1.0]) if self.land.ground.heights is not None else self.land.ground.normal

    @door(times=FiniteNumbers(dims=(1,)))
    def data(self, times: FloatArray | None = None) -> dict[str, Any]:
        """The scene as numbers, lists and strings, at all frames or at some times (s)."""
        body = self.body if times is None else self.body.at(np.asarray(times, dtype=float))
        made: dict[str, Any] = {
            "title": self.title, "kind": self.kind, "status": self.status, "events": [list(e) for e in self.events],
            "units": {"length": self.unit, "time": "s", "force": "N" if self.scaled else ""},
            "time": body.time.tolist(), "radius": self.radius.tolist(), "drawn_radius": self.drawn.tolist(),
            "node": body.node.tolist(), "link_axis": body.axis.tolist(), "link_back": body.back.tolist(),
            "com": body.com.tolist(), "contact_force": body.force.tolist(), "contact_point": body.place.tolist(),
            "ground": self._ground(), "obstacles": [_solid_data(o) for o in self.land.obstacles],
            "blocks": [b.tolist() for b in self.blocks],
            "path": None if self.path is None else self.path.tolist(),
            "target": None if self.target is None else self.target.tolist(),
        }  # fmt: skip
        if self.cells is not None:
            solid = np.argwhere(self.cells.solid).tolist()
            made["cells"] = {"size": self.cells.cell, "origin": list(self.cells.origin), "shape": list(self.cells.solid.shape), "solid": solid}  # fmt: skip
        nearest = between(self.body.time, body.time)
        frame = np.where(nearest[2] < 0.5, nearest[0], nearest[1])
        if self.push.size:
            made["wall_force"] = self.push[frame].tolist()
            made["wall_point"] = np.nan_to_num(self.press[frame]).tolist()
        if self.pins is not None:
            made["pins"] = {"link": self.pins.link.tolist(), "share": self.pins.share.tolist(), "set": self.pins.held[frame].tolist()}  # fmt: skip
        return made

    def _ground(self) -> dict[str, Any]:
        ground = self.land.ground
        made: dict[str, Any] = {"plane": not self.land.bare, "normal": [float(x) for x in ground.normal]}
        if ground.heights is not None:
            made["heights"] = ground.heights.heights.tolist()
            made["cell"], made["origin"] = ground.heights.cell, list(ground.heights.origin)
        return made


def _solid_data(o: Any) -> dict[str, Any]:
    if isinstance(o, Box):
        return {"kind": "box", "centre": list(o.centre), "size": list(o.size), "yaw": o.yaw}
    if isinstance(o, Cylinder):
        return {"kind": "cylinder", "base": list(o.base), "radius": o.radius, "length": o.length, "axis": list(o.axis)}
    assert isinstance(o, Pipe)
    return {"kind": "pipe", "point": list(o.point), "radius": o.radius, "axis": list(o.axis)}


@door
def scene_of(run: Trajectory) -> Scene:
    """What is to be drawn of a run."""
    body, world = poses(run), world_of(run)
    land, frames = land_of(world), sound(run)
    grids = [o for o in world.upright if isinstance(o, Grid)]
    pins = _pins(run, world, body, frames)
    level = land.ground.heights is None and land.ground.slope == 0.0 and not land.bare and not land.obstacles
    above = bool(world.upright or (pins is not None and level))
    kind = "above" if above else "space" if "roll" in run.variables else "plane"
    n = body.axis.shape[1]
    radius = np.broadcast_to(np.asarray(run.scenario.get("robot", {}).get("radius", 0.0), dtype=float), (n,))
    have = run.variables
    push = np.nan_to_num(masked(run["wall_force"][frames])) if "wall_force" in have else np.zeros((0, n, 3))
    press = masked(run["wall_point"][frames]) if "wall_point" in have else np.zeros((0, n, 3))
    target = (run.scenario.get("plan") or {}).get("target")
    return Scene(
        title_of(run), kind, run.status.name, body, radius, land,
        contact_shares(run, land, body.lengths, radius) if kind == "space" else np.array([0.5]),
        tuple(block_outline(o) for o in world.upright if not isinstance(o, Grid)),
        CellMap(grids[0].cells, grids[0].cell, grids[0].origin) if grids else None,
        push, press, pins,
        path=run["path"][:, :2] if "path" in have else None,
        target=None if target is None else np.asarray(target, dtype=float)[:2],
        notes=tuple(Note(name, unit, size, masked(run.at_frames(key)[frames])) for key, name, unit, size in NOTES if key in have),
        events=events_of(run),
    )  # fmt: skip


NOTES = (  # variable, name, unit, times what it is shown
    ("feed_force", "feed force", "N", 1.0),
    ("lateral_error", "lateral error", "cm", 100.0),
)


def title_of(run: Trajectory) -> str:
    """What a picture of a run is called."""
    name = str(run.provenance.get("robot", "robot"))
    return name if run.status.ok else f"{name}, {run.status.name}"


def events_of(run: Trajectory) -> tuple[tuple[float, str], ...]:
    """What happened when, in the order of time."""
    found = []
    for event in getattr(run, "events", ()):
        text = next(
            (str(getattr(event, k)) for k in ("message", "text", "name", "kind") if getattr(event, k, None)), ""
        )
        found.append((float(getattr(event, "time", 0.0) or 0.0), text))
    return tuple(sorted(found))


def _pins(run: Trajectory, world: World, body: Poses, frames: Any) -> Pins | None:
    """Anchors of the world, if a command sets any."""
    if not world.anchors or "anchor_set" not in run.variables:
        return None
    link = np.array([a.link for a in world.anchors])
    at = np.array([a.at for a in world.anchors])
    force = run["anchor_force"][frames] if "anchor_force" in run.variables else np.zeros((len(frames), link.size, 3))
    share = np.clip(at / body.lengths[link], 0.0, 1.0)
    return Pins(link, share, run["anchor_set"][frames] > 0.5, np.nan_to_num(force))


def block_outline(item: Any) -> FloatArray:
    """Corners (k, 2) of an upright obstacle, anticlockwise; many for a round one."""
    corners = np.asarray(item.corners, dtype=float)
    if len(corners):
        return corners
    turn = np.linspace(0.0, 2.0 * np.pi, ROUND, endpoint=False)
    return np.asarray(item.centre) + item.radius * np.stack([np.cos(turn), np.sin(turn)], axis=1)
