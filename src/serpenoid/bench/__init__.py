"""Benchmarks: how fast, against whom, at which accuracy; each ratio is measured in one run on one machine."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from serpenoid.core.errors import InputError

BENCHES = {
    "concertina": "plans of the mechanical snake against stopping at contact and SLSQP",
    "gradient": "a derivative through dry friction against a plain run",
    "gpu": "batches on an NVIDIA GPU, and their agreement with the CPU",
    "path": "the direct harmonic field against relaxation",
    "planar": "the planar engine against MuJoCo",
    "rl": "256 robots in a vector environment against Gymnasium's Swimmer-v5",
    "shape": "tracing shapes against solve_ivp",
    "spatial": "the spatial engine against MuJoCo and Pinocchio",
    "storing": "digests, manifest and checkpoints against the computing of a run",
    "studio": "how soon the studio's page answers, in a browser",
    "sweep": "many runs at once against MuJoCo's, and what a sweep costs",
}
AGAINST_MUJOCO = ("planar", "spatial", "sweep")


def find(name: str) -> Callable[..., dict[str, Any]]:
    """The function run(progress) of a benchmark by name."""
    if name not in BENCHES:
        raise InputError(f"no benchmark {name!r}; allowed are {', '.join(BENCHES)}")
    if name in AGAINST_MUJOCO:  # reported before anything is compiled
        from serpenoid.peers.mujoco_model import load_mujoco

        load_mujoco()
    run: Callable[..., dict[str, Any]] = importlib.import_module(f"serpenoid.bench.{name}").run
    return run
