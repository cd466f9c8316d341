"""Studies: one folder per source paper (and the atlas of all gaits, and the table of validation), with its parameters, runs, figures and claims. A new study is one folder and one line."""

from __future__ import annotations

import importlib
from typing import Any

from serpenoid.core.door import door
from serpenoid.core.errors import InputError
from serpenoid.studies.claims import judged, report, tally, tally_text

STUDIES = {
    "atlas": "The gait atlas: creeping and sidewinding over robots, grounds and gaits; a data set made by one command",
    "ma2001": "Ma, Li, Wang 2001: a simulator to analyse creeping locomotion",
    "pathfollow": "Fragment, author and year unknown: a harmonic field, and links that follow the path",
    "sarrafan2012": "Sarrafan, Akbarzadeh, Molavipoor, Arhami 2012: three-dimensional sidewinding",
    "servo_tracking": "How far joints lag their gait on real servos, beside the lags of a recorded robot",
    "shan1993": "Shan, Koren 1993: design and motion planning of a mechanical snake",
    "validation": "What others published or independent codes give, beside our numbers: one table with tolerances and verdicts",
    "yamada2006": "Yamada, Hirose 2006: the 3D shape of active cord mechanisms",
}

__all__ = ["STUDIES", "find", "judged", "report", "tally", "tally_text"]


@door
def find(name: str) -> Any:
    """Module of a study by name; it has run(out, quick, progress)."""
    if name not in STUDIES:
        raise InputError(f"no study {name!r}; allowed are {', '.join(STUDIES)}")
    return importlib.import_module(f"serpenoid.studies.{name}")


def __dir__() -> list[str]:
    return __all__
