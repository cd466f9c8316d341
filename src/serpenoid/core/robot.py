"""The robot: a chain of links and joints, tail first.

| joint | axes in order, seen from the tail |
|---|---|
| "yaw" | z, the back: bends to the left |
| "pitch" | y, the left side: bends the nose down |
| "roll" | x, towards the head: twists |
| "universal" | yaw, then pitch |
| "pitch-yaw" | pitch, then yaw |
| "fixed" | none |

A robot whose `joints` are "alternating" yaws and pitches by turns, yaw first; otherwise one word stands for all joints, or there is a list
with one for each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from serpenoid.core.actuator import Servo
from serpenoid.core.checks import FloatArray
from serpenoid.core.declare import Description, Part, declare, description
from serpenoid.core.errors import InputError
from serpenoid.core.family import Family
from serpenoid.core.once import once
from serpenoid.core.quantities import Angle, Choice, Number, Quantity, Say, Text, Whole, shown
from serpenoid.core.several import Joints, Numbers
from serpenoid.spelling import near

MAX_LINKS = 20_000
LINKS = Whole("number of links", low=2, high=MAX_LINKS)
AXES = {
    "yaw": ("yaw",), "pitch": ("pitch",), "roll": ("roll",), "universal": ("yaw", "pitch"), "pitch-yaw": ("pitch", "yaw"), "fixed": (),
}  # fmt: skip
JOINTS = ("yaw", "pitch", "alternating", "universal", "pitch-yaw")
LONGEST, HEAVIEST = 1e6, 1e9  # m, kg: of a link; beyond them squares and products leave the range of numbers
SLENDER = 0.05  # of its length: radius assumed for the axial inertia of a link without one
LIMP = "limp"  # plain form of a joint without a servo

ROBOTS = Family("robot preset", tag="preset", home="serpenoid.robots")


@dataclass(frozen=True)
class JointKinds(Quantity):
    """One word for all joints, or a list with one for each; a list that one word can say becomes that word."""

    @property
    def allowed(self) -> str:
        """What is allowed."""
        return f"one of {', '.join(JOINTS)}, or a list with one per joint of {', '.join(AXES)}"

    def take(self, value: Any, path: str, say: Say, before: Mapping[str, Any]) -> Any:
        """A word, or a tuple of words."""
        if isinstance(value, str):
            return Choice(options=JOINTS).take(value, path, say, before)
        if not isinstance(value, list | tuple):
            say(path, f"must be {self.allowed}, got {shown(value)}")
            return None
        links = before.get("links")
        if links is not None and len(value) != links - 1:
            say(path, f"has {len(value)} values; give one word or one for each of the {links - 1} joints")
            return None
        for word in value:
            if word not in AXES:
                say(path, f"must be {self.allowed}, got {shown(word)}{near(word, list(AXES))}")
                return None
        kinds = tuple(value)
        for word in JOINTS:
            if kinds == kinds_of(word, len(kinds)):
                return word
        return kinds

    def plain(self, value: Any) -> Any:
        """A word or a list."""
        return value if isinstance(value, str) else list(value)

    def schema(self) -> dict[str, Any]:
        """A word or a list of words."""
        return {"anyOf": [{"enum": list(JOINTS)}, {"type": "array", "items": {"enum": list(AXES)}}]}


def kinds_of(word: str, joints: int) -> tuple[str, ...]:
    """The kind of each joint that one word stands for."""
    return tuple(("yaw", "pitch")[i % 2] if word == "alternating" else word for i in range(joints))


@dataclass(frozen=True)
class Servos(Part):
    """One servo for all joints, or a list with one per joint, None (in files "limp") where a joint has no motor."""

    of: type = Servo

    @property
    def allowed(self) -> str:
        """What is allowed."""
        return "a Servo, or a list with a Servo or None per joint"

    def take(self, value: Any, path: str, say: Say, before: Mapping[str, Any]) -> Any:
        """A servo, or a tuple."""
        if not isinstance(value, list | tuple):
            return super().take(value, path, say, before)
        links = before.get("links")
        if links is not None and len(value) != links - 1:
            say(path, f"has {len(value)} values; give one servo or one for each of the {links - 1} joints")
            return None
        item = Part(of=Servo)
        return tuple(
            None if x is None or (isinstance(x, str) and x == LIMP) else item.take(x, f"{path}[{k}]", say, before)
            for k, x in enumerate(value)
        )

    def plain(self, value: Any) -> Any:
        """A table, or a list of tables."""
        return [LIMP if x is None else x.keys() for x in value] if isinstance(value, tuple) else value.keys()

    def schema(self) -> dict[str, Any]:
        """A table, or a list of tables."""
        one = super().schema()
        return {"anyOf": [one, {"type": "array", "items": {"anyOf": [one, {"const": LIMP}]}}]}


@description(eq=False)
class Robot(Description):
    """A chain of links: only their number, length and mass are needed; numbers, or lists with one per link (or joint)."""

    links: int = declare(LINKS)
    link_length: FloatArray = declare(
        Numbers("from joint to joint", "m", item=Number(above=0.0, high=LONGEST), per="links")
    )
    link_mass: FloatArray = declare(Numbers("", "kg", item=Number(above=0.0, high=HEAVIEST), per="links"))
    link_inertia: FloatArray = declare(
        Numbers("about the centre of gravity, across the link", "kg m^2", item=Number(above=0.0, words=("uniform-rod",)), per="links"),
        default="uniform-rod",
    )  # fmt: skip
    com_offset: FloatArray = declare(
        Numbers("from the tail-side joint to the centre of gravity; none: mid-link", "m", item=Number(low=0.0), per="links"), default=None
    )  # fmt: skip
    contact_offset: FloatArray = declare(
        Numbers("from the tail-side joint to the contact point; none: mid-link", "m", item=Number(low=0.0), per="links"), default=None
    )  # fmt: skip
    joint_damping: FloatArray = declare(
        Numbers("viscous", "N m s/rad", item=Number(low=0.0), per="joints"), default=0.0
    )
    name: str = declare(Text("what it is called", most=60, plain_words=True), default="robot")
    source: str = declare(Text("where the numbers come from"), default="")
    joints: str | tuple[str, ...] = declare(JointKinds("axes of the joints"), default="yaw")
    radius: FloatArray = declare(
        Numbers("of round links; 0: thin, for the plane and the point ground only", "m", item=Number(low=0.0, high=LONGEST), per="links"), default=0.0
    )  # fmt: skip
    axial_inertia: FloatArray = declare(
        Numbers("about the link's own axis; none: solid cylinder", "kg m^2", item=Number(above=0.0), per="links"), default=None
    )  # fmt: skip
    joint_limit: FloatArray = declare(
        Numbers("stops of every angle of the joint, to both sides", "rad", item=Angle(above=0.0, low=0.0, infinite=True), per="joints"),
        default=np.inf,
    )  # fmt: skip
    locked: tuple[int, ...] = declare(Joints("joints stuck at angle 0"), default=())
    limp: tuple[int, ...] = declare(Joints("joints without torque"), default=())
    servo: Servo | tuple[Servo | None, ...] | None = declare(
        Servos("what moves the joints; none: ideal joints that do what they are told"), default=None
    )

    TAG: ClassVar[str] = ""

    def check(self) -> None:
        """Fill in what follows from lengths and masses; offsets within the links, no joint both locked and limp."""
        put, half = object.__setattr__, 0.5 * self.link_length
        if isinstance(self.link_inertia, str):
            put(self, "link_inertia", _kept(self.link_mass * self.link_length**2 / 12.0))
        for name in ("com_offset", "contact_offset"):
            if getattr(self, name) is None:
                put(self, name, _kept(half))
            beyond = np.flatnonzero(getattr(self, name) > self.link_length)
            if beyond.size:
                i = int(beyond[0])
                raise InputError(
                    f"{name} {getattr(self, name)[i]:g} m of link {i} lies beyond its length {self.link_length[i]:g} m"
                )
        if self.axial_inertia is None:
            thick = np.where(self.radius > 0.0, self.radius, SLENDER * self.link_length)
            put(self, "axial_inertia", _kept(0.5 * self.link_mass * thick**2))
        for name in ("link_inertia", "axial_inertia"):
            values = getattr(self, name)
            if not (np.isfinite(values).all() and np.all(values > 0.0)):
                raise InputError(f"{name} must be finite and > 0; that of these lengths, masses and radii is not")
        both = set(self.locked) & set(self.limp)
        if both:
            raise InputError(f"a joint is either locked or limp; joint {min(both)} is both")

    @once
    def length(self) -> float:
        """Length of the whole body in m."""
        return float(self.link_length.sum())

    @once
    def mass(self) -> float:
        """Mass of the whole body in kg."""
        return float(self.link_mass.sum())

    @once
    def joint_kinds(self) -> tuple[str, ...]:
        """Kind of each joint, (n-1,), from the tail; "fixed" where it is locked."""
        kinds = kinds_of(self.joints, self.links - 1) if isinstance(self.joints, str) else self.joints
        return tuple("fixed" if i + 1 in self.locked else kind for i, kind in enumerate(kinds))

    @once
    def axes(self) -> tuple[tuple[int, str], ...]:
        """Degrees of freedom in order: number of the joint (from 1 at the tail) and "yaw", "pitch" or "roll"."""
        return tuple((i + 1, axis) for i, kind in enumerate(self.joint_kinds) for axis in AXES[kind])

    @once
    def planar(self) -> bool:
        """Whether the robot can move in the plane: every axis is yaw."""
        return all(kind in ("yaw", "fixed") for kind in self.joint_kinds)

    @property
    def joints_text(self) -> str:
        """The kinds of joints in words."""
        return self.joints if isinstance(self.joints, str) else "/".join(dict.fromkeys(self.joints))

    @once
    def servos(self) -> tuple[Servo | None, ...]:
        """Servo of each joint, (n-1,); None where it has none or is limp."""
        each = self.servo if isinstance(self.servo, tuple) else (self.servo,) * (self.links - 1)
        return tuple(None if i + 1 in self.limp else servo for i, servo in enumerate(each))

    def _repr_html_(self) -> str:
        from serpenoid.studio.notebook import notebook_html

        return notebook_html(self)

    def __repr__(self) -> str:
        servo = ", servos" if self.servo is not None else ""
        return f"Robot({self.name}: {self.links} links, {self.length:.4g} m, {self.mass:.4g} kg, {self.joints_text} joints{servo})"


def _kept(values: FloatArray) -> FloatArray:
    """A read-only array."""
    result = np.array(values, dtype=float)
    result.flags.writeable = False
    return result
