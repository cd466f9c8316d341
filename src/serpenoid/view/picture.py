"""A picture in space on a sheet: ground with a grid, tracks, shadows, obstacles, bodies, forces, under a camera.

What never changes is made once; `Picture.draw` draws one instant of each body. Ground and what lies on it comes first, then
everything solid, the nearest in front. Known limit: a height field never hides a body behind one of its hills.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from serpenoid.core import FloatArray
from serpenoid.core.terrain import Box, Cylinder, Pipe
from serpenoid.view import boxes, decals, style
from serpenoid.view.camera import Camera
from serpenoid.view.ground import Land, stretches
from serpenoid.view.poses import Poses
from serpenoid.view.scene import Scene
from serpenoid.view.sheet import Sheet
from serpenoid.view.solids import Faces, Skin, obstacle_faces, pipe_rings, skin, terrain_faces, vignette

PT = 100.0 / 72.0  # px of a point on a sheet 1280 px wide
GRID = 16  # lines across the picture, about
ARROW = 0.14  # usual long arrow, in body lengths
USUAL = 0.98  # of the forces are not longer than that; impacts are
STAMPS = 1200  # of a body's track at most, at one instant
CANDIDATES = 60_000  # stretches looked at for it
HALO = 0.016  # body lengths by which the mark under a touching stretch is wider than the body
TRAIL = 1500  # points at most
LINE = 1.6  # pt: grid lines on boxes
AGES = (np.inf, 0.65, 0.3)  # of a fading track: each layer holds all that is not older, in fading times
TONES = (0.18, 0.2, 0.24)


class Actor(NamedTuple):
    """A body as it is to be drawn."""

    shown: Poses  # at the film's instants
    whole: Poses  # all frames, for trail and track
    radius: FloatArray  # (n,) m, as drawn
    touch: FloatArray  # (n,) m, for contacts
    shares: FloatArray  # (k,) where on a link it may touch
    light: str = style.SKIN
    dark: str = style.SKIN_DARK
    head: str = style.ORANGE
    trail: str = style.TRAIL
    mark: str = style.PATCH  # under what touches
    track: bool = True  # where the ground was touched


def actor_of(scene: Scene, shown: Poses, colour: str | None = None, track: bool = True) -> Actor:
    """A scene's body at some instants, in the usual colours or in shades of one."""
    plain = Actor(shown, scene.body, scene.drawn, scene.radius, scene.shares, track=track)
    if colour is None:
        return plain
    light, dark, head = (style.mixed(colour, c, s) for c, s in (("#ffffff", 0.12), ("#000000", 0.22), ("#ffffff", 0.5)))
    return plain._replace(light=light, dark=dark, head=head, trail=colour, mark=colour)


class _Cast(NamedTuple):
    """An actor with what is made of it once."""

    actor: Actor
    skin: Skin
    feet: FloatArray  # (t, n, 2, 3) m, stretches that touch at the instants shown
    stamps: FloatArray  # (m, k, 3) m, outlines of the track
    born: FloatArray  # (m,) s
    way: FloatArray  # (t, 3) m, of the centre of gravity, on the ground


class Picture:
    """What a picture in space is made of."""

    def __init__(
        self, actors: list[Actor], land: Land, cameras: list[Camera], size: tuple[int, int], *, unit: float = 1.0,
        forces: bool = True, fade: float = 12.0,
    ) -> None:  # fmt: skip
        """Prepare pictures of a size (px) with lines of a `unit`; `fade` is the time (s) in which a track grows pale."""
        self.wide, self.high = size
        self.unit = unit
        self.aspect = self.wide / self.high
        self.land, self.cameras, self.fade = land, cameras, fade
        self.ink = PT * float(np.clip(self.high / (720.0 * unit), 0.4, 1.2))
        first = cameras[0]
        right, towards = first.axes[0], first.axes[2]
        light = np.array([0.0, 0.0, 1.0]) - 0.62 * right + 0.45 * np.array([towards[0], towards[1], 0.0])
        self.light = light / np.linalg.norm(light)
        self.spacing = style.round_below(1.5 * self.aspect / min(camera.scale for camera in cameras) / GRID)
        self.backdrop = vignette(self.wide, self.high)
        self._obstacles(actors)
        self.force = usual_force(actors) if forces else 0.0
        self.cast = [self._enter(actor) for actor in actors]

    def flat(self, seen: FloatArray) -> FloatArray:
        """Pixels of what is seen (..., 2) picture heights from the middle."""
        return np.asarray(seen * np.array([self.high, -self.high]) + np.array([0.5 * self.wide, 0.5 * self.high]))

    def _obstacles(self, actors: list[Actor]) -> None:
        """Faces of obstacles, pipes apart; outlines of their shadows."""
        places = np.concatenate([a.shown.node.reshape(-1, 3) for a in actors])
        about, reach = 0.5 * (places.min(axis=0) + places.max(axis=0)), float(np.ptp(places, axis=0).max())
        reach += 1.5 * max(a.shown.length for a in actors)
        piece = 5.0 * float(np.mean([a.radius.mean() for a in actors]))
        some = self.land.obstacles
        self.boxes = [o for o in some if isinstance(o, Box)]
        line = LINE * self.ink * self.unit / (self.high * self.cameras[0].scale)
        solid = [boxes.box_faces(o, self.spacing, line) for o in self.boxes]
        solid += [obstacle_faces(o, piece, about, reach) for o in some if isinstance(o, Cylinder)]
        pipes = [obstacle_faces(o, piece, about, reach) for o in some if isinstance(o, Pipe)]
        self.still = Faces.joined(solid) if solid else None
        self.pipes = Faces.joined(pipes) if pipes else None
        self.rings = [r for o in some if isinstance(o, Pipe) for r in pipe_rings(o, about, reach)]
        shades = [] if self.land.bare else [decals.obstacle_shadow(o, self.land, self.light) for o in some]
        self.shade = [s for s in shades if s is not None]

    def _enter(self, actor: Actor) -> _Cast:
        """Make the parts of an actor that stay."""
        made = skin(actor.shown.lengths, actor.radius, actor.light, actor.dark, actor.head)
        feet = stretches(actor.shown, actor.touch, self.land, actor.shares)
        stamps, born = self._stamps(actor)
        way = actor.whole.com if self.land.bare else self.land.laid(actor.whole.com)
        return _Cast(actor, made, feet, stamps, born, way)

    def _stamps(self, actor: Actor) -> tuple[FloatArray, FloatArray]:
        """Outlines of all stretches that touched, and when; one of those that lie on each other is enough."""
        if not actor.track or self.land.bare:
            return np.zeros((0, 8, 3)), np.zeros(0)
        links = actor.radius.size
        part = actor.whole.pick(slice(None, None, max(1, len(actor.whole.time) * links // CANDIDATES)))
        feet = stretches(part, actor.touch, self.land, actor.shares)
        when, link = np.nonzero(np.isfinite(feet[:, :, 0, 0]))
        ends = feet[when, link]
        place = np.rint(ends[..., :2].reshape(-1, 4) / (0.5 * actor.radius[link])[:, None])
        moment = np.floor(part.time[when] / self.fade * 2.0 * len(AGES))
        _, first = np.unique(np.column_stack([link, moment, place]), axis=0, return_index=True)
        first = np.sort(first)
        size = 0.65 * actor.radius[link[first]]
        cap = 4 if self.high * self.cameras[0].scale * actor.radius.max() < 12.0 else 6  # rounder where it is large
        return decals.bands(ends[first, 0], ends[first, 1], size, self.land, cap), part.time[when[first]]

    def draw(self, sheet: Sheet, k: int, instants: list[int] | None = None) -> None:
        """Draw instant k; `instants`: one of its own for each body."""
        camera = self.cameras[min(k, len(self.cameras) - 1)]
        frames = instants or [min(k, len(c.actor.shown.time) - 1) for c in self.cast]
        pairs = list(zip(self.cast, frames, strict=True))
        sheet.pixels[:] = self.backdrop
        if self.land.ground.heights is not None:
            sheet.faces(terrain_faces(self.land, camera, self.aspect), camera, self.light, 1, matte=True)
            sheet.resolve()
        self._pipe_walls(sheet, camera)
        if not self.land.bare:
            for cast, frame in pairs:
                self._tracks(sheet, cast, camera, float(cast.actor.shown.time[frame]))
            lines = decals.grid_lines(self.land, camera, self.aspect, self.spacing)
            for segments, width, alpha in zip(lines, (0.9, 1.5), (0.22, 0.42), strict=True):
                draw = sheet.hairlines if segments.shape[1] == 2 else sheet.stroke
                draw(self.flat(segments), width * self.ink, style.TRACK, alpha)
            self._shadows(sheet, camera, pairs)
        for cast, frame in pairs:
            self._marks(sheet, cast, camera, frame)
        if self.still is not None:
            sheet.faces(self.still, camera, self.light)
        for cast, frame in pairs:
            shown = cast.actor.shown
            placed = cast.skin.placed(shown.node[frame], shown.axis[frame], shown.back[frame])
            sheet.faces(placed, camera, self.light)
            for box in self.boxes:
                sheet.faces(self._on_box(box, cast, frame), camera, self.light)
        sheet.resolve()
        self._hoops(sheet, camera, near=True)
        for cast, frame in pairs if self.force > 0.0 else []:
            self._forces(sheet, cast, camera, frame)

    def _shadows(self, sheet: Sheet, camera: Camera, pairs: Any) -> None:
        """Shadows of bodies and obstacles: dark below what is near the ground, with a wider and paler rim above it."""
        loops: tuple[list[FloatArray], list[FloatArray]] = ([], [])
        for cast, frame in pairs:
            node, radius = cast.actor.shown.node[frame], cast.actor.radius
            high = np.maximum(self.land.gap(node) - radius.mean(), 0.0)
            high = 0.5 * (high[1:] + high[:-1])
            laid = self.land.laid(node, self.light)
            for group, size in zip(
                loops, (1.45 * radius + np.minimum(0.25 * high, radius), 0.95 * radius), strict=True
            ):
                group.extend(self.flat(camera.see(decals.bands(laid[:-1], laid[1:], size, self.land))))
        shade = [self.flat(camera.see(s)) for s in self.shade]
        for group, alpha in zip(loops, (0.16, 0.26), strict=True):
            sheet.fill(group + shade, style.SHADOW, alpha)

    def _on_box(self, box: Box, cast: _Cast, frame: int) -> Faces:
        """Shadow of a body on a box, and where it touches it."""
        actor = cast.actor
        shade = boxes.shadow_faces(box, actor.shown.node[frame], actor.radius, self.light)
        rim = HALO * actor.shown.length
        return Faces.joined(
            [shade, boxes.contact_faces(box, actor.shown, frame, actor.touch, actor.shares, actor.mark, rim)]
        )

    def _marks(self, sheet: Sheet, cast: _Cast, camera: Camera, frame: int) -> None:
        """Marks under what touches, and the trail of the centre of gravity."""
        actor, now = cast.actor, float(cast.actor.shown.time[frame])
        feet = cast.feet[frame]
        touch = np.flatnonzero(np.isfinite(feet[:, 0, 0]))
        size = actor.radius[touch] + HALO * actor.shown.length
        bands = decals.bands(feet[touch, 0], feet[touch, 1], size, self.land)
        sheet.fill(self.flat(camera.see(bands)), actor.mark, 0.75)
        done = int(np.searchsorted(actor.whole.time, now, side="right"))
        end = actor.shown.com[frame : frame + 1]
        way = np.vstack([cast.way[: done : max(1, done // TRAIL)], end if self.land.bare else self.land.laid(end)])
        sheet.stroke([self.flat(camera.see(way))], 1.8 * self.ink, actor.trail)

    def _forces(self, sheet: Sheet, cast: _Cast, camera: Camera, frame: int) -> None:
        """Arrows of the contact forces, from the middle of what touches."""
        shown, feet = cast.actor.shown, cast.feet[frame]
        force = shown.force[frame]
        start = np.where(np.isfinite(feet[:, 0]), feet.mean(axis=1), shown.place[frame])
        tip = start + force * (ARROW * shown.length / self.force)
        seen = (np.abs(force).max(axis=1) > 0.0) & ~self.land.hides(camera.eye, start)
        start, tip = self.flat(camera.see(start[seen])), self.flat(camera.see(tip[seen]))
        sheet.arrows(start, tip, 2.16 * self.ink, style.FORCE)

    def _tracks(self, sheet: Sheet, cast: _Cast, camera: Camera, now: float) -> None:
        """Where the ground was touched, paler with age."""
        done = int(np.searchsorted(cast.born, now, side="right"))
        recent = slice(max(done - STAMPS, 0), done)
        loops = camera.see(cast.stamps[recent])
        near = (np.abs(loops).max(axis=1, initial=0.0) < (0.55 * self.aspect, 0.55)).all(axis=1)
        age = (now - cast.born[recent]) / self.fade
        for share, alpha in zip(AGES, TONES, strict=True):
            sheet.fill(self.flat(loops[near & (age < share)]), style.TRACK, alpha)

    def _pipe_walls(self, sheet: Sheet, camera: Camera) -> None:
        """The far wall of pipes, behind everything, with its rings."""
        if self.pipes is not None:
            sheet.faces(self.pipes, camera, self.light)
            sheet.resolve()
            self._hoops(sheet, camera, near=False)

    def _hoops(self, sheet: Sheet, camera: Camera, near: bool) -> None:
        """Rings of pipes: their near or their far halves."""
        lines = []
        for ring in self.rings:
            far = ((camera.eye - ring) * (ring.mean(axis=0) - ring)).sum(axis=1) > 0.0
            here = far != near
            lines.append(self.flat(np.where(here[:, None] | np.roll(here, 1)[:, None], camera.see(ring), np.nan)))
        sheet.stroke(lines, 1.1 * self.ink, style.GREY, 0.5 if near else 0.3)


def usual_force(actors: list[Actor]) -> float:
    """Force (N) of an arrow of the usual length."""
    sizes = np.concatenate([np.linalg.norm(a.shown.force, axis=-1).ravel() for a in actors])
    sizes = sizes[sizes > 0.0]
    return float(np.quantile(sizes, USUAL)) if sizes.size else 0.0
