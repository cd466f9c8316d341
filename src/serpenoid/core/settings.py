"""How a run is computed: duration, step, integrator, frames."""

from __future__ import annotations

from serpenoid.core.declare import Description, declare, description
from serpenoid.core.errors import InputError
from serpenoid.core.quantities import Choice, Flag, Number

PLANE_STEP, SPACE_STEP = 2.5e-4, 1e-3  # s, defaults
INTEGRATORS = ("implicit", "euler", "rk4")


@description
class Settings(Description):
    """How to run: duration and step in s (or "auto" with a tolerance), integrator, interval of recorded frames."""

    duration: float | None = declare(Number("of the run", "s", above=0.0, high=1e6), default=None)
    step: float | str | None = declare(
        Number("time step; none: 2.5e-4 in the plane, 1e-3 in space", "s", above=0.0, words=("auto",)), default=None
    )
    tolerance: float = declare(Number('of step = "auto": distance, slip, torque', above=0.0, below=1.0), default=1e-3)
    integrator: str = declare(Choice("scheme; in space implicit", options=INTEGRATORS), default="implicit")
    record_interval: float = declare(Number("between recorded frames", "s", above=0.0, high=1e9), default=0.01)
    max_link_steps: float = declare(
        Number("longer runs are refused: steps times links", above=0.0, high=1e15), default=5e10
    )
    max_memory: float = declare(
        Number("runs whose frames take more are refused, as estimated", "B", above=0.0, high=1e15), default=4e9
    )
    checked: bool = declare(
        Flag("run it once more at twice the step, to warn where it has not converged"), default=True
    )

    def check(self) -> None:
        """A step fits into the run."""
        if isinstance(self.step, float) and self.duration is not None and self.step > self.duration:
            raise InputError(f"step {self.step:g} s is longer than the duration {self.duration:g} s")
