"""What a simulation knows at an instant: the state that controllers look at.

| name | meaning | shape, unit |
|---|---|---|
| time | | s |
| com, com_velocity | centre of gravity | (3,), m, m/s |
| heading | direction of the mean link axis, from world x, without jumps | rad |
| position, attitude | tail's end, and the axes of link 0 as columns | (3,) m, (3, 3) |
| joint_angles, joint_rates | per degree of freedom (`robot.axes`), from the tail | (dof,), rad, rad/s |
| joint_torques, joint_targets | of the last step; what was commanded | (dof,), N m, rad |
| nodes | tail's end, joints, head's tip | (n+1, 3), m |
| link_frames, link_directions | axes of the links as columns; their x axes | (n, 3, 3), (n, 3) |
| contact_forces, normal_forces | of ground and obstacles on the links, of the last step | (n, 3), (n,), N |
| wall_forces, wall_points | of upright obstacles on the links, and where they press most (NaN: nowhere) | (n, 3), N, m |
| wall_obstacles, wall_pressures | which obstacle presses most (-1: none); sizes of the wall forces, summed | (n,), -, N |
| anchor_forces | of the anchors that hold | (anchors, 3), N |
| peaks | greatest joint torque, wall force and depth, anchor force and slip at any step so far | dict of arrays |

A state is a copy: it stays what it was when the simulation goes on. Everything beyond the time is computed when it is asked for.
"""

from __future__ import annotations

import contextlib
from functools import cached_property
from typing import Any

import numpy as np

from serpenoid.core.checks import FloatArray
from serpenoid.core.copying import Independent
from serpenoid.core.errors import InputError


class State(Independent):
    """A simulation at an instant; see the module's table."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine
        self._kept: dict[str, FloatArray] | None = None
        self.time: float = engine.time

    def keep(self) -> None:
        """Keep what is needed to answer later: the simulation is about to go on."""
        if self._kept is None:
            self._kept = {name: array.copy() for name, array in self._engine.arrays().items()}

    def __getstate__(self) -> dict[str, Any]:
        """Everything that can be asked, answered now: a copy has no engine to ask."""
        for name, item in vars(State).items():
            if isinstance(item, cached_property):
                with contextlib.suppress(InputError):  # what this engine does not know
                    getattr(self, name)
        return {**self.__dict__, "_engine": None, "_kept": {}}

    def _at(self, name: str) -> Any:
        """What the engine knew at this instant, whatever it has done since."""
        engine = self._engine
        if not hasattr(engine, name):
            raise InputError(f"nothing is known of {name} here: it is kept in space only")
        if self._kept is None:
            return getattr(engine, name)()
        now = engine.state
        engine.state = now._replace(**{key: self._kept[key] for key in now._fields})
        try:
            return getattr(engine, name)()
        finally:
            engine.state = now

    @cached_property
    def com(self) -> FloatArray:
        """Centre of gravity (3,), m."""
        return self._at("com")

    @cached_property
    def com_velocity(self) -> FloatArray:
        """Velocity of the centre of gravity (3,), m/s."""
        return self._at("com_velocity")

    @cached_property
    def heading(self) -> float:
        """Direction of the mean link axis from world x, rad, without jumps."""
        return float(self._at("heading"))

    @cached_property
    def joint_angles(self) -> FloatArray:
        """Joint angles (dof,), rad."""
        return self._at("joint_angles")

    @cached_property
    def joint_rates(self) -> FloatArray:
        """Joint rates (dof,), rad/s."""
        return self._at("joint_rates")

    @cached_property
    def joint_torques(self) -> FloatArray:
        """Torques of the actuators in the last step (dof,), N m."""
        return self._at("joint_torques")

    @cached_property
    def joint_targets(self) -> FloatArray:
        """Angles commanded (dof,), rad."""
        return self._at("joint_targets")

    @cached_property
    def nodes(self) -> FloatArray:
        """Tail's end, joints and head's tip (n+1, 3), m."""
        return self._at("nodes")

    @property
    def position(self) -> FloatArray:
        """Tail's end (3,), m."""
        return np.asarray(self.nodes[0])

    @cached_property
    def link_frames(self) -> FloatArray:
        """Axes of the links as columns (n, 3, 3)."""
        return self._at("link_frames")

    @property
    def attitude(self) -> FloatArray:
        """Axes of link 0 as columns (3, 3)."""
        return np.asarray(self.link_frames[0])

    @property
    def link_directions(self) -> FloatArray:
        """Directions of the links towards the head (n, 3)."""
        return np.asarray(self.link_frames[:, :, 0])

    @cached_property
    def contact_forces(self) -> FloatArray:
        """Forces of ground and obstacles on the links in the last step (n, 3), N."""
        return self._at("contact_forces")

    @cached_property
    def normal_forces(self) -> FloatArray:
        """Normal forces on the links in the last step (n,), N."""
        return self._at("normal_forces")

    @cached_property
    def wall_forces(self) -> FloatArray:
        """Forces of upright obstacles on the links in the last step (n, 3), N."""
        return self._at("wall_forces")

    @cached_property
    def wall_points(self) -> FloatArray:
        """Where upright obstacles press most on the links (n, 3), m; NaN where nothing presses."""
        return self._at("wall_points")

    @cached_property
    def anchor_forces(self) -> FloatArray:
        """Forces of the anchors in the last step (anchors, 3), N."""
        return self._at("anchor_forces")

    @cached_property
    def wall_obstacles(self) -> FloatArray:
        """Number in `world.obstacles` of what presses most on each link (n,); -1 where nothing does."""
        return self._at("wall_obstacles")

    @cached_property
    def wall_pressures(self) -> FloatArray:
        """Sum of the sizes of the wall forces on each link (n,), N: a pinch does not cancel."""
        return self._at("wall_pressures")

    @cached_property
    def peaks(self) -> dict[str, FloatArray]:
        """Greatest values at any step so far: joint_torque, wall_force, wall_depth, anchor_force, anchor_slip."""
        found: dict[str, FloatArray] = self._at("peaks")
        return found

    def __repr__(self) -> str:
        x, y, z = (float(v) for v in self.com)
        return (
            f"State(t = {self.time:.6g} s, centre of gravity ({x:.4g}, {y:.4g}, {z:.4g}) m, "
            f"heading {self.heading:.4g} rad, {len(self.joint_angles)} joint angles)"
        )
