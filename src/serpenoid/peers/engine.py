"""What MuJoCo and Drake share behind the same `Simulation`: our engine in space, whose steps another package computes.

A peer's engine *is* our engine in space as to descriptions, commands, state, record and questions; only the step is the package's. After each
step the package's pose and velocities are taken over into the state, so that everything that can be asked of a run means the same.

| variant | contacts | joints |
|---|---|---|
| mujoco, drake | ours, handed over as forces at the velocity that the step reaches (`peers.ahead`) | ours, likewise: motor, gear, stops |
| mujoco-native, drake-native | the package's own | the package's own actuators, as far as it has them; what it lacks is refused |

Joint damping and rotor inertia are always the package's own. The first state is that of our own engine.

What a peer cannot measure (slip and losses of native contacts, what the scheme itself loses) is NaN in the record and None among the metrics.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from serpenoid.contact import sums as slots
from serpenoid.contact.joint import DRIVEN, JOINT_DAMPING, ROTOR, STOP_HIGH, STOP_LOW
from serpenoid.core import FloatArray, Robot, Start, Variable, World
from serpenoid.core.errors import InputError, NumericalError
from serpenoid.peers.ahead import RIGID, Push, push_for, solve_ahead
from serpenoid.peers.coordinates import Base, base_for, base_from_state, count_joints, state_from_base
from serpenoid.peers.native import native_friction
from serpenoid.spatial.engine import SpatialEngine
from serpenoid.spatial.layout import DONE, GAIT, LEAST, MODE, PASSIVE, TRACK
from serpenoid.spatial.march import DIVERGED, GOOD, keep_frame, record_loads

MOST, MOST_TURNED = (
    1e9,
    1e5,
)  # m, m/s or rad/s; rad: beyond them a run has diverged, and sines mean nothing (`frames.sincos1`)
APPLICATIONS = ("ahead", "present")  # of our contacts: at the velocity that the step reaches, or explicit
LACKING = (slots.SCHEME_LOSS, slots.RESIDUAL_MAX)
NATIVE_LACKING = (
    slots.SLIP_ACROSS, slots.SLIP_ALONG, slots.FRICTION_LOSS, slots.GROUND_LOSS, slots.DAMPING_LOSS, slots.STOP_LOSS, slots.STORED,
    slots.PENETRATION_MAX, slots.SPRING_STORED, slots.DAMPER_LOSS,
)  # fmt: skip
NATIVE_UNKNOWN = (
    "slip", "friction_loss", "ground_loss", "damping_loss", "stop_loss", "stored_energy", "contact_velocity_along",
    "contact_velocity_across",
)  # fmt: skip


class DivergedError(NumericalError):
    """A package's solver gave up, or gave numbers that are none."""


class PeerEngine(SpatialEngine):
    """One robot in time and space, stepped by another package; subclasses build and step it."""

    NAME = "peer"
    NATIVE = False

    def __init__(
        self, robot: Robot, world: World, start: Start, *, step: float, stride: int, ideal: bool, first: Any,
        integrator: str = "implicit", application: str = "ahead",
    ) -> None:  # fmt: skip
        if application not in APPLICATIONS:
            raise InputError(f"application must be one of {', '.join(APPLICATIONS)}, got {application!r}")
        heavy = np.flatnonzero(np.asarray(robot.axial_inertia) > 2.0 * robot.link_inertia)
        if heavy.size:
            raise InputError(
                f"link {heavy[0]} has an axial_inertia of more than twice its link_inertia, which no rigid body has; "
                "other engines refuse it"
            )
        if world.self_contact is not None:
            raise InputError(
                f"{self.NAME} knows no contact between links; leave world.self_contact out, or use the engine that fits"
            )
        if world.ground is not None and world.ground.restitution:
            raise InputError(
                f"{self.NAME} takes impacts by springs, which give back less than asked for; leave world.ground.restitution out, or use the engine that fits"
            )
        if world.ground is not None and world.ground.rolling > 0.0:
            raise InputError(
                f"{self.NAME} knows no rolling resistance; leave world.ground.rolling out, or use the engine that fits"
            )
        if self.NATIVE:
            self._check_native(world)
        super().__init__(robot, world, start, step=step, stride=stride, ideal=ideal, first=first, integrator=integrator)
        self.explicit = application == "present"
        if self.explicit and self.constants.numbers[LEAST] > 0.0:
            raise InputError(
                f'application = "present" needs a smoothing speed, and the law {world.friction.NAME!r} has none of its own (it follows the motion, '
                "too stiff for forces of the present velocities); give world.friction.smoothing, as 1e-2 m/s"
            )
        # damping and rotors are the package's own
        actuators = self.constants.chain.actuators
        self.damping, self.rotor = actuators[JOINT_DAMPING].copy(), actuators[ROTOR].copy()
        actuators[JOINT_DAMPING], actuators[ROTOR] = 0.0, 0.0
        counts = np.bincount([joint for joint, _ in robot.axes], minlength=robot.links)[: robot.links]
        self.reach = (6 + np.cumsum(counts)).astype(np.int64)  # (n,) how many generalised velocities move a link
        dofs = len(robot.axes)
        self.push_out = push_for(robot.links, dofs)
        self.looked = True  # whether loads of the links are wanted after the coming step
        self.stray = 0.0  # rad, largest distance of prescribed joints from where they should be
        self.stiffness = RIGID * robot.mass * robot.length**2 / 12.0 / step**2  # N m/rad, of prescribed joints
        self.velocity = np.zeros(6 + dofs)  # generalised, that the last step was expected to reach
        self._build()
        self._place(self._base(), self.joint_angles(), self.joint_rates())

    def _base(self) -> Base:
        """Pose and velocities of the tail's end in the state."""
        base = base_for()
        base_from_state(self.constants, self.state, self.scratch, base)
        return base

    def _check_native(self, world: World) -> None:
        """Refuse what a package's own contacts cannot do."""
        native_friction(world, heights=True)
        if world.anchors:
            raise InputError("native contacts know no anchors; use the variant with our contacts")

    # what a package provides

    def _build(self) -> None:
        """Make the package's model."""
        raise NotImplementedError

    def _place(self, base: Base, angles: FloatArray, rates: FloatArray) -> None:
        """Put the package's model into a state."""
        raise NotImplementedError

    def _step(self) -> tuple[Base, FloatArray, FloatArray]:
        """Take one step; `base`, joint angles and rates at its end. The torques go into `push_out`."""
        raise NotImplementedError

    def _package_arrays(self) -> dict[str, FloatArray]:
        """The package's own state, live."""
        raise NotImplementedError

    def _put_package(self, arrays: Mapping[str, FloatArray]) -> None:
        """Take back what `_package_arrays` gave."""
        raise NotImplementedError

    # time

    @property
    def prescribed(self) -> bool:
        """Whether the joints are prescribed in the coming step."""
        return bool(self.ideal and self.state.motion[MODE] in (GAIT, TRACK))

    def _solve(self, now: Any, middle: Any, velocity: FloatArray, pushed: FloatArray, inertia: FloatArray) -> Push:
        """Our contact forces and joint torques for the coming step (see `peers.ahead`)."""
        self.velocity = velocity.copy()
        rigid = (self.stiffness if self.ideal else 0.0, self.dt)
        known = solve_ahead(
            self.constants, self.state, self.scratch, now, middle, self.reach, self.velocity, pushed, inertia, rigid, self.push_out,
            self.explicit,
        )  # fmt: skip
        if not known:
            raise InputError("the kind of the gait or the drive is not one that the kernels know")
        return self.push_out

    def _march(self, to: int) -> int:
        """Steps up to number `to`, with a frame every `stride` steps; GOOD or DIVERGED."""
        with np.errstate(over="ignore", invalid="ignore"):  # numbers that are not finite are looked for
            return self._march_on(to)

    def _march_on(self, to: int) -> int:
        first, frames = self._first_frame, self.record
        while self.done < to:
            after = self.done + 1
            self.looked = after in (1, to) or after % self.stride == 0
            if not self._one_step():
                return DIVERGED
            if self.done == 1 and first == 0:  # the forces of the first step are those of frame 0 too
                record_loads(self.state, frames[0])
            if self.done % self.stride == 0:
                keep_frame(self.constants, self.state, self.scratch, frames[self.done // self.stride - first])
        return GOOD

    def _one_step(self) -> bool:
        """A step of the package, taken over into the state and the account; False if it diverged."""
        constants, state = self.constants, self.state
        try:
            base, angles, rates = self._step()
        except (DivergedError, np.linalg.LinAlgError):
            return False
        bounds = (*((part, MOST) for part in base), (rates, MOST), (angles, MOST_TURNED))
        if not all((np.abs(values) < most).all() for values, most in bounds):
            return False  # before it is taken over: the state stays that of the last good step
        t = (self.done + 1) * self.dt
        if self.prescribed:
            self.stray = max(self.stray, float(np.abs(angles - self._held_at())[self._held()].max(initial=0.0)))
        count_joints(constants, state, angles, self.push_out, self.damping, t)
        good = state_from_base(constants, state, self.scratch, base, angles, rates, self.rotor)
        state.motion[DONE] += 1.0
        return bool(good)

    def _held_at(self) -> FloatArray:
        """What ideal joints are held at: the angles commanded, at most the stops."""
        return np.clip(self.joint_targets(), *self.constants.chain.actuators[STOP_LOW : STOP_HIGH + 1])

    def _held(self) -> Any:
        """Which ideal joints are not limp."""
        return (self.constants.chain.actuators[DRIVEN] > 0.0) & (self.state.dofs[PASSIVE] == 0.0)

    # saved, restored

    def arrays(self) -> dict[str, FloatArray]:
        """Live views of the whole state, the package's own included."""
        return {**super().arrays(), **{f"package_{name}": array for name, array in self._package_arrays().items()}}

    def put(self, arrays: Mapping[str, Any]) -> None:
        """Take over a state that `arrays` gave, for the same robot, world and step."""
        own = self._package_arrays()
        theirs = {}
        for name, array in own.items():
            given = arrays.get(f"package_{name}")
            if given is None or np.shape(given) != array.shape or not np.isfinite(given).all():
                raise InputError(
                    f"this state does not belong to the run: {name} of {self.NAME} is missing, of another shape, or not finite"
                )
            theirs[name] = np.asarray(given, dtype=float)
        super().put({name: array for name, array in arrays.items() if not name.startswith("package_")})
        self._put_package(theirs)

    def take(self, arrays: Mapping[str, Any]) -> None:
        """Take over a state that our own engine's `arrays` gave, for the same robot, world and step."""
        super().put(arrays)
        self._place(self._base(), self.joint_angles(), self.joint_rates())

    # results

    @property
    def sums(self) -> FloatArray:
        """Accumulators; NaN for what the package cannot tell."""
        made = self.state.sums.copy()
        made[list(LACKING + (NATIVE_LACKING if self.NATIVE else ()))] = np.nan
        return made

    def totals(self) -> dict[str, float]:
        """The accumulators by name."""
        return {**super().totals(), **slots.totals(self.sums)}

    def variables(self) -> Mapping[str, Variable]:
        """Everything recorded; NaN for what the package cannot tell."""
        unknown = ("scheme_loss", *(NATIVE_UNKNOWN if self.NATIVE else ()))
        made = super().variables()
        return {n: v._replace(data=np.full_like(v.data, np.nan)) if n in unknown else v for n, v in made.items()}

    @property
    def note(self) -> str:
        """What differs from our own engine."""
        said = [self._contact_note()]
        if self.ideal:
            said.append(f"joints prescribed by {self._joint_note()}, within {self.stray:.1e} rad")
        return "; ".join(said)

    def _contact_note(self) -> str:
        return (
            "our contacts at the velocity the step reaches"
            if not self.explicit
            else "our contacts at present velocities"
        )

    def _joint_note(self) -> str:
        return f"servos of {RIGID:g} J/h^2"
