"""A picture in space on Axes: ground with a grid, tracks, shadows, obstacles, bodies, forces, under a camera.

Every artist is made once; `Picture.show` moves them to one instant of each body. Coordinates of the Axes are picture
heights from the middle. Ground and what lies on it is drawn first, then everything solid, sorted by depth. Known limit:
a height field never hides a body behind one of its hills.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from serpenoid.core import FloatArray
from serpenoid.core.terrain import Box, Cylinder, Pipe
from serpenoid.view import decals, style
from serpenoid.view.camera import Camera
from serpenoid.view.land import Land, stretches
from serpenoid.view.poses import Poses
from serpenoid.view.solids import Faces, Skin, obstacle_faces, pipe_rings, shaded, skin, terrain_faces, vignette

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GRID = 16  # lines across the picture, about
ARROW = 0.14  # usual long arrow, in body lengths
USUAL = 0.98  # of the forces are not longer than that; impacts are
LAYERS = 3  # of a fading track
STAMPS = 1200  # of a body's track at most, at one instant
CANDIDATES = 60_000  # stretches looked at for it
HALO = 0.016  # body lengths by which the mark under a touching stretch is wider than the body
TRAIL = 3000  # points at most


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


class _Troupe(NamedTuple):
    """An actor with its artists."""

    actor: Actor
    skin: Skin
    feet: FloatArray  # (t, n, 2, 3) m, stretches that touch at the instants shown
    stamps: FloatArray  # (m, k, 3) m, outlines of the track
    born: FloatArray  # (m,) s
    trail: Any
    halo: Any
    tracks: list[Any]
    arrows: Any


class Picture:
    """The artists of a picture."""

    def __init__(
        self,
        ax: Axes,
        actors: list[Actor],
        land: Land,
        cameras: list[Camera],
        *,
        forces: bool = True,
        fade: float = 12.0,
    ) -> None:
        """Set the stage; `fade` is the time (s) in which a track grows pale."""
        from serpenoid.view.shaded import Triangles

        box = ax.get_window_extent()
        self.axes, self.land, self.cameras, self.fade = ax, land, cameras, fade
        self.aspect = box.width / box.height
        self.points = box.height * 72.0 / ax.get_figure(root=True).dpi  # type: ignore[union-attr]
        self.ink = float(np.clip(self.points / 518.0, 0.4, 1.2))  # thickness of lines: 1 in a film of the usual size
        ax.set_axis_off()
        ax.set_xlim(-0.5 * self.aspect, 0.5 * self.aspect)
        ax.set_ylim(-0.5, 0.5)
        first = cameras[0]
        right, towards = first.axes[0], first.axes[2]
        light = np.array([0.0, 0.0, 1.0]) - 0.62 * right + 0.45 * np.array([towards[0], towards[1], 0.0])
        self.light = light / np.linalg.norm(light)
        self.backdrop, self.terrain, self.solid = (Triangles(z) for z in (0.0, 0.5, 8.0))
        for artist in (self.backdrop, self.terrain, self.solid):
            ax.add_artist(artist)
        self.backdrop.show(*vignette(self.aspect))
        self._ground()
        self._obstacles(actors)
        self.force = self._usual_force(actors) if forces else 0.0
        self.troupe = [self._enter(actor, k) for k, actor in enumerate(actors)]

    def _usual_force(self, actors: list[Actor]) -> float:
        """Force (N) of an arrow of the usual length."""
        sizes = np.concatenate([np.linalg.norm(a.shown.force, axis=-1).ravel() for a in actors])
        sizes = sizes[sizes > 0.0]
        return float(np.quantile(sizes, USUAL)) if sizes.size else 0.0

    def _ground(self) -> None:
        from matplotlib.collections import LineCollection
        from matplotlib.patches import PathPatch

        scale = min(camera.scale for camera in self.cameras)
        self.spacing = style.round_below(1.5 * self.aspect / scale / GRID)
        self.grid = [
            LineCollection([], colors=style.TRACK, linewidths=width * self.ink, alpha=alpha, zorder=2)
            for width, alpha in ((0.9, 0.22), (1.5, 0.42))
        ]
        for lines in self.grid:
            self.axes.add_collection(lines, autolim=False)
        self.shadows = [
            PathPatch(decals.compound(np.zeros((0, 3, 2))), fc=style.SHADOW, ec="none", alpha=alpha, zorder=4)
            for alpha in (0.16, 0.26)
        ]
        for patch in self.shadows:
            self.axes.add_patch(patch)

    def _obstacles(self, actors: list[Actor]) -> None:
        """Faces of obstacles, pipes apart; outlines of their shadows."""
        from matplotlib.collections import LineCollection

        places = np.concatenate([a.shown.node.reshape(-1, 3) for a in actors])
        about, reach = 0.5 * (places.min(axis=0) + places.max(axis=0)), float(np.ptp(places, axis=0).max())
        reach += 1.5 * max(a.shown.length for a in actors)
        piece = 5.0 * float(np.mean([a.radius.mean() for a in actors]))
        solid = [obstacle_faces(o, piece, about, reach) for o in self.land.obstacles if isinstance(o, Box | Cylinder)]
        pipes = [obstacle_faces(o, piece, about, reach) for o in self.land.obstacles if isinstance(o, Pipe)]
        self.still = Faces.joined(solid) if solid else None
        self.pipes = Faces.joined(pipes) if pipes else None
        self.rings = [r for o in self.land.obstacles if isinstance(o, Pipe) for r in pipe_rings(o, about, reach)]
        self.hoops = [
            LineCollection([], colors=style.GREY, linewidths=1.1 * self.ink, alpha=alpha, zorder=zorder)
            for alpha, zorder in ((0.3, 0.6), (0.5, 9.0))
        ]
        for lines in self.hoops:
            self.axes.add_collection(lines, autolim=False)
        shades = (
            [] if self.land.bare else [decals.obstacle_shadow(o, self.land, self.light) for o in self.land.obstacles]
        )
        self.shade = [s for s in shades if s is not None]

    def _enter(self, actor: Actor, k: int) -> _Troupe:
        """Make the artists of an actor."""
        from matplotlib.patches import PathPatch

        def patch(colour: str, alpha: float, zorder: float) -> Any:
            made = PathPatch(decals.compound(np.zeros((0, 3, 2))), fc=colour, ec="none", alpha=alpha, zorder=zorder)
            self.axes.add_patch(made)
            return made

        (trail,) = self.axes.plot([], [], color=actor.trail, lw=1.8 * self.ink, zorder=6, solid_capstyle="round")
        halo = patch(actor.mark, 0.75, 5)
        tracks = [patch(style.TRACK, alpha, 1) for alpha in (0.24, 0.2, 0.18)]
        stamps, born = self._stamps(actor)
        zero = np.zeros(actor.radius.size)
        arrows = self.axes.quiver(
            zero, zero, zero, zero, angles="xy", scale_units="xy", scale=1.0, units="inches", width=0.03 * self.ink,
            headwidth=3.4, headlength=4.0, headaxislength=3.6, color=style.FORCE, zorder=10, minlength=0.5,
            visible=self.force > 0.0,
        )  # fmt: skip
        lengths = np.linalg.norm(np.diff(actor.shown.node[0], axis=0), axis=1)
        made = skin(lengths, actor.radius, actor.light, actor.dark, actor.head)
        feet = stretches(actor.shown, actor.touch, self.land, actor.shares)
        return _Troupe(actor, made, feet, stamps, born, trail, halo, tracks, arrows)

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
        moment = np.floor(part.time[when] / self.fade * 2.0 * LAYERS)
        _, first = np.unique(np.column_stack([link, moment, place]), axis=0, return_index=True)
        first = np.sort(first)
        size = 0.65 * actor.radius[link[first]]
        cap = 4 if self.points * self.cameras[0].scale * actor.radius.max() < 9.0 else 6  # rounder where it is large
        return decals.bands(ends[first, 0], ends[first, 1], size, self.land, cap), part.time[when[first]]

    def show(self, k: int, instants: list[int] | None = None) -> None:
        """Move everything to instant k; `instants`: one of its own for each body."""
        camera = self.cameras[min(k, len(self.cameras) - 1)]
        frames = instants or [min(k, len(t.actor.shown.time) - 1) for t in self.troupe]
        if not self.land.bare:
            lines = decals.grid_lines(self.land, camera, self.aspect, self.spacing)
            for made, segments in zip(self.grid, lines, strict=True):
                made.set_segments(list(segments))
            self._shadows(camera, frames)
        if self.land.ground.heights is not None:
            self.terrain.show(*shaded(terrain_faces(self.land, camera, self.aspect), camera, self.light, matte=True))
        self._pipes(camera)
        parts = [] if self.still is None else [self.still]
        for troupe, frame in zip(self.troupe, frames, strict=True):
            shown = troupe.actor.shown
            parts.append(troupe.skin.placed(shown.node[frame], shown.axis[frame], shown.back[frame]))
            self._marks(troupe, camera, frame)
        self.solid.show(*shaded(Faces.joined(parts), camera, self.light))

    def _shadows(self, camera: Camera, frames: list[int]) -> None:
        """Shadows of bodies and obstacles: dark below what is near the ground, with a wider and paler rim above it."""
        loops: tuple[list[FloatArray], list[FloatArray]] = ([], [])
        for troupe, frame in zip(self.troupe, frames, strict=True):
            node, radius = troupe.actor.shown.node[frame], troupe.actor.radius
            high = np.maximum(self.land.gap(node) - radius.mean(), 0.0)
            high = 0.5 * (high[1:] + high[:-1])
            laid = self.land.laid(node, self.light)
            for group, size in zip(
                loops, (1.45 * radius + np.minimum(0.25 * high, radius), 0.95 * radius), strict=True
            ):
                group.append(camera.see(decals.bands(laid[:-1], laid[1:], size, self.land)))
        for patch, group in zip(self.shadows, loops, strict=True):
            paths = [decals.compound(np.concatenate(group))]
            paths += [decals.compound(camera.see(shade)[None]) for shade in self.shade]
            patch.set_path(type(paths[0]).make_compound_path(*paths))

    def _marks(self, troupe: _Troupe, camera: Camera, frame: int) -> None:
        """Trail, track, marks under what touches, forces."""
        actor, now = troupe.actor, float(troupe.actor.shown.time[frame])
        whole = actor.whole
        done = int(np.searchsorted(whole.time, now, side="right"))
        every = max(1, done // TRAIL)
        way = np.vstack([whole.com[:done:every], actor.shown.com[frame]])
        troupe.trail.set_data(*camera.see(way if self.land.bare else self.land.laid(way)).T)
        feet = troupe.feet[frame]
        touch = np.flatnonzero(np.isfinite(feet[:, 0, 0]))
        size = actor.radius[touch] + HALO * actor.shown.length
        troupe.halo.set_path(decals.compound(camera.see(decals.bands(feet[touch, 0], feet[touch, 1], size, self.land))))
        if len(troupe.born):
            self._tracks(troupe, camera, now)
        if self.force > 0.0:
            force = actor.shown.force[frame]
            start = np.where(
                np.isfinite(feet[:, 0]),
                feet.mean(axis=1),
                actor.shown.node[frame][:-1] + 0.5 * np.diff(actor.shown.node[frame], axis=0),
            )
            tip = start + force * (ARROW * actor.shown.length / self.force)
            flat, end = camera.see(start), camera.see(tip)
            shown = (np.abs(force).max(axis=1) > 0.0) & ~self.land.hides(camera.eye, start)
            troupe.arrows.set_offsets(flat)
            troupe.arrows.set_UVC(*np.where(shown[:, None], end - flat, np.nan).T)  # one of no length would be a dot

    def _tracks(self, troupe: _Troupe, camera: Camera, now: float) -> None:
        """Where the ground was touched, paler with age: each layer holds all that is not older than it."""
        done = int(np.searchsorted(troupe.born, now, side="right"))
        recent = slice(max(done - STAMPS, 0), done)
        loops = camera.see(troupe.stamps[recent])
        near = (np.abs(loops).max(axis=1) < (0.55 * self.aspect, 0.55)).all(axis=1)
        age = (now - troupe.born[recent]) / self.fade
        for share, patch in zip((0.3, 0.65, np.inf), troupe.tracks, strict=True):
            patch.set_path(decals.compound(loops[near & (age < share)]))

    def _pipes(self, camera: Camera) -> None:
        """The far wall of pipes behind everything; rings on it, and in front."""
        if self.pipes is None:
            return
        self.terrain.show(*shaded(self.pipes, camera, self.light))
        groups: tuple[list[FloatArray], list[FloatArray]] = ([], [])
        for ring in self.rings:
            towards = camera.eye - ring
            inward = ring.mean(axis=0) - ring
            far = (towards * inward).sum(axis=1) > 0.0
            seen = camera.see(ring)
            for group, here in zip(groups, (far, ~far), strict=True):
                group.append(np.where(here[:, None] | np.roll(here, 1)[:, None], seen, np.nan))
        for made, segments in zip(self.hoops, groups, strict=True):
            made.set_segments(segments)
