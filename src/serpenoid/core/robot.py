"""The robot: a chain of links and joints, tail first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from serpenoid.core.checks import FloatArray, per_item
from serpenoid.core.errors import InputError

MAX_LINKS = 20_000
JOINTS = ("yaw", "pitch", "alternating", "universal", "pitch-yaw")
SLENDER = 0.05  # of its length: radius assumed for the axial inertia of a link without one


@dataclass(frozen=True, eq=False)
class Robot:
    """A chain of links; numbers or lists of one number a link (or joint). Build one with `robots`."""

    name: str
    links: int
    link_length: FloatArray  # (n,) m
    link_mass: FloatArray  # (n,) kg
    link_inertia: FloatArray  # (n,) kg m^2 about the centre of gravity
    com_offset: FloatArray  # (n,) m from the tail-side joint to the centre of gravity
    contact_offset: FloatArray  # (n,) m from the tail-side joint to the contact point
    joint_damping: FloatArray  # (n-1,) N m s/rad
    source: str = ""
    joints: str = (
        "yaw"  # "pitch", "alternating" (yaw, pitch, ...), "universal" (yaw, then pitch), "pitch-yaw" (pitch, then yaw)
    )
    radius: FloatArray = 0.0  # type: ignore[assignment]  # (n,) m; 0: thin, for the plane and the point ground only
    axial_inertia: FloatArray | None = None  # (n,) kg m^2 about the link's own axis; None: solid cylinder
    joint_limit: FloatArray = np.inf  # type: ignore[assignment]  # (n-1,) rad, of every angle of the joint
    locked: tuple[int, ...] = ()  # joints (from 1 at the tail) stuck at angle 0
    limp: tuple[int, ...] = ()  # joints without torque

    def __post_init__(self) -> None:
        n = self.links
        if not isinstance(n, int | np.integer) or isinstance(n, bool) or not 2 <= n <= MAX_LINKS:
            raise InputError(f"links must be a whole number from 2 to {MAX_LINKS}, got {n!r}")
        put = object.__setattr__
        put(self, "link_length", per_item("link_length", self.link_length, n, 0.0, strict=True))
        put(self, "link_mass", per_item("link_mass", self.link_mass, n, 0.0, strict=True))
        inertia: Any = self.link_inertia
        if isinstance(inertia, str):
            if inertia != "uniform-rod":
                raise InputError(f'link_inertia must be numbers or "uniform-rod", got {inertia!r}')
            inertia = self.link_mass * self.link_length**2 / 12.0
        put(self, "link_inertia", per_item("link_inertia", inertia, n, 0.0, strict=True))
        put(self, "com_offset", per_item("com_offset", self.com_offset, n, 0.0))
        put(self, "contact_offset", per_item("contact_offset", self.contact_offset, n, 0.0))
        for name in ("com_offset", "contact_offset"):
            beyond = np.flatnonzero(getattr(self, name) > self.link_length)
            if beyond.size:
                i = int(beyond[0])
                raise InputError(
                    f"{name} {getattr(self, name)[i]:g} m of link {i} lies beyond its length {self.link_length[i]:g} m"
                )
        if self.joints not in JOINTS:
            raise InputError(f"joints must be one of {', '.join(JOINTS)}, got {self.joints!r}")
        put(self, "joint_damping", per_item("joint_damping", self.joint_damping, n - 1, 0.0))
        self._check_space(n)

    def _check_space(self, n: int) -> None:
        """Check and fill in what only matters in three dimensions."""
        put = object.__setattr__
        put(self, "radius", per_item("radius", self.radius, n, 0.0))
        axial: Any = self.axial_inertia
        if axial is None:
            thick = np.where(self.radius > 0.0, self.radius, SLENDER * self.link_length)
            axial = 0.5 * self.link_mass * thick**2
        put(self, "axial_inertia", per_item("axial_inertia", axial, n, 0.0, strict=True))
        limit = self.joint_limit if np.ndim(self.joint_limit) or np.isfinite(self.joint_limit) else 1e300
        put(self, "joint_limit", per_item("joint_limit", limit, n - 1, 0.0, strict=True))
        for name in ("locked", "limp"):
            failed = tuple(getattr(self, name))
            put(self, name, failed)
            for joint in failed:
                if not isinstance(joint, int | np.integer) or isinstance(joint, bool) or not 1 <= joint < n:
                    raise InputError(f"{name} must name joints from 1 to {n - 1}, got {joint!r}")
        both = set(self.locked) & set(self.limp)
        if both:
            raise InputError(f"a joint is either locked or limp; joint {min(both)} is both")

    @property
    def length(self) -> float:
        """Length of the whole body in m."""
        return float(self.link_length.sum())

    @property
    def mass(self) -> float:
        """Mass of the whole body in kg."""
        return float(self.link_mass.sum())

    @property
    def axes(self) -> tuple[tuple[int, str], ...]:
        """Degrees of freedom in order: number of the joint (from 1 at the tail) and "yaw" or "pitch"; a locked joint has none."""
        kinds = {"universal": ("yaw", "pitch"), "pitch-yaw": ("pitch", "yaw"), "yaw": ("yaw",), "pitch": ("pitch",)}
        return tuple(
            (joint, kind)
            for joint in range(1, self.links)
            if joint not in self.locked
            for kind in (
                (("yaw",) if joint % 2 else ("pitch",)) if self.joints == "alternating" else kinds[self.joints]
            )
        )

    def but(self, **changes: Any) -> Robot:
        """Return the same robot with some fields changed."""
        return replace(self, **changes)
