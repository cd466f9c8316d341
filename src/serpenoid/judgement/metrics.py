"""All metrics that are computed of a run, and the kernel that fills them in: of the files with METRICS that are imported here, by their PLACE."""

from __future__ import annotations

from typing import Any

from serpenoid.judgement import effort, energy, pace, pressing, roll, travel
from serpenoid.judgement.chain import chained, files_of
from serpenoid.judgement.ledger import Metric

FILES = files_of(globals(), "METRICS")
METRICS: dict[str, Metric] = {name: metric for file in FILES for name, metric in file.METRICS.items()}
measure: Any = chained(
    "measure",
    ("pace.prepare", "effort.prepare", "energy.prepare"),
    "metrics",
    [(file, len(file.METRICS)) for file in FILES],
    globals(),
)
