"""The data sets of the atlas as they are given away: every axis with unit and meaning, cautions as flags, and what the robot is.

`caution` is a sum of powers of two, one per kind of warning that a cell has (0: none); its attribute `meanings` has an example of each, in the
order of the powers (`flag_masks`). The texts themselves, with the numbers of each cell, stay in the store.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.sweeps.reading import kind_of

if TYPE_CHECKING:
    import xarray

BITS = 31  # kinds of warnings that have a flag of their own, the last one shared by all that follow
AXES = {
    "winding_angle_deg": ("deg", "winding angle: largest angle between the curve of the body and its way"),
    "waves": ("-", "waves on the body"),
    "ratio": ("-", "coefficient of friction along the links over that across them"),
    "level": ("-", "coefficient of friction across the links"),
    "links": ("-", "number of links into which the same body is cut"),
    "along": ("-", "coefficient of friction along the links; across them 0.8"),
    "amplitude_deg": ("deg", "amplitude of the wave in yaw"),
    "phase_deg": ("deg", "phase of the wave in pitch against that in yaw"),
    "slope_deg": ("deg", "slope of the ground, which rises to the left of the robot (towards +y)"),
}
CREEPS = (
    "Gait: 0.8 m/s along the curve of the body, from rest and to rest in 8 s. Smoothed Coulomb friction (1 mm/s) acts along and across each link apart, as in the paper: with equal "
    "coefficients it is not equal in all directions, and a robot can creep on it that could not on ground with one friction for all directions (see caution)."
)
ABOUT = {
    "creeping": (
        "Gait atlas: creeping",
        "A body of 1.6 m and 10 kg creeps in the plane, cut into links in proportion to those of Ma, Li and Wang (2001): inertia 5 m l^2, centre of gravity at l/4, contact at l/2. "
        + CREEPS,
    ),
    "figures": (
        "Gait atlas: Figs 7 to 9 of Ma, Li and Wang (2001)",
        "The robot of the paper, 20 links. " + CREEPS,
    ),
    "sidewinding": (
        "Gait atlas: sidewinding on slopes",
        "24 links with servos sidewind for 8 s on a slope that rises to the left; Coulomb friction 0.7 along and across; contact of capsules with springs and dampers.",
    ),
}
SOURCE = "S. Ma, W. J. Li and Y. Wang, A Simulator to Analyze Creeping Locomotion of a Snake-like Robot, 2001"


def published(name: str, data: xarray.Dataset) -> xarray.Dataset:
    """A data set of the atlas, to be understood without its store."""
    title, summary = ABOUT[name]
    made = data.drop_vars([text for text in ("message", "warnings") if text in data])
    for axis in made.dims:
        unit, meaning = AXES[str(axis)]
        made[axis].attrs = {"units": unit, "long_name": meaning}
    if "warnings" in data:
        made["caution"] = (data["warnings"].dims, *cautions(data["warnings"].values))
    made.attrs |= {
        "title": title, "summary": summary, "source": f"serpenoid {made.attrs.get('serpenoid', '')}, serpenoid study atlas",
        "references": SOURCE if name != "sidewinding" else "the scenario slope of serpenoid",
    }  # fmt: skip
    return made


def cautions(texts: np.ndarray) -> tuple[np.ndarray, dict[str, Any]]:
    """Flags of cells by the texts of their warnings, one per line; and what the flags mean."""
    bits: dict[str, int] = {}
    examples: list[str] = []
    known = {"": 0}
    for text in texts.flat:
        if text not in known:
            found = 0
            for line in text.split("\n"):
                kind = kind_of(line)
                if kind not in bits:
                    bits[kind] = min(len(bits), BITS - 1)
                    examples.append(line)
                found |= 1 << bits[kind]
            known[text] = found
    flags = np.array([known[text] for text in texts.flat], dtype=np.int32).reshape(texts.shape)
    about: dict[str, Any] = {"long_name": "kinds of warnings of a cell, as a sum of flags; 0: none"}
    if bits:
        masks = np.array(sorted({1 << bit for bit in bits.values()}), dtype=np.int32)
        about |= {"flag_masks": masks, "meanings": "\n".join(examples)}
    return flags, about
