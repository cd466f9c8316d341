"""The result of a run: recorded variables, metrics, status."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from serpenoid.core.checks import FloatArray

if TYPE_CHECKING:
    import xarray


class Status(NamedTuple):
    """How a run ended: `ok`, `diverged`, `left-horizon` or `interrupted`; a message with time and place."""

    name: str
    message: str = ""
    time: float | None = None  # s

    @property
    def ok(self) -> bool:
        """Whether the whole result can be used."""
        return self.name == "ok"


class Variable(NamedTuple):
    """A recorded quantity: its dimensions, data, unit and meaning."""

    dims: tuple[str, ...]
    data: FloatArray
    units: str
    long_name: str


@dataclass(frozen=True, eq=False)
class Trajectory:
    """A finished run: recorded variables, metrics, status, and the state from which it can be continued."""

    variables: Mapping[str, Variable]
    metrics: Mapping[str, float | None]
    status: Status
    warnings: tuple[str, ...]
    scenario: Mapping[str, Any]
    provenance: Mapping[str, Any]
    state: Mapping[str, FloatArray] = field(repr=False)

    def __getitem__(self, name: str) -> FloatArray:
        return self.variables[name].data

    @property
    def dataset(self) -> xarray.Dataset:
        """The variables as an xarray dataset with units."""
        import xarray

        return xarray.Dataset(
            {
                name: (v.dims, v.data, {"units": v.units, "long_name": v.long_name})
                for name, v in self.variables.items()
            },
            attrs={"status": self.status.name, **{k: v for k, v in self.metrics.items() if v is not None}},
        )

    def summary(self) -> str:
        """Distance, speed, slip, torques, power and status in a few lines of text."""
        m, p = self.metrics, self.provenance

        def show(key: str, unit: str = "", digits: int = 4) -> str:
            value = m.get(key)
            return "-" if value is None else f"{value:.{digits}g} {unit}".strip()

        lines = [
            f"{p['robot']} by {p['drive']} on {p['law']} ground, {p['time']:.6g} s in steps of {p['step']:.3g} s",
            f"  status            {self.status.name}" + (f": {self.status.message}" if self.status.message else ""),
            f"  distance (CoM)    {show('com_distance', 'm')}  (dx {show('com_dx', 'm')}, dy {show('com_dy', 'm')})",
            f"  steady speed      {show('steady_speed', 'm/s')}",
            f"  slip per link     {show('slip_per_link', 'm')} across, {show('slip_along_per_link', 'm')} along",
            f"  torque            {show('torque_max', 'N m')} max, {show('torque_sq_mean', 'N^2 m^2')} mean square sum",
            f"  work              {show('net_work', 'J')} net, {show('friction_loss', 'J')} lost to friction",
            f"  power (positive)  {show('mean_power', 'W')} mean, {show('peak_power', 'W')} peak",
            f"  cost of transport {show('cost_of_transport')}     efficiency J {show('efficiency', '1/(N m)^2')}",
        ]
        lines += [f"  warning: {w}" for w in self.warnings]
        return "\n".join(lines)
