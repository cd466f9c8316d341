"""The script of a SLURM job that does a sweep: an array of shards, or a dask scheduler with workers."""

from __future__ import annotations

import argparse
import shlex

from serpenoid.core.errors import InputError
from serpenoid.sweeps.estimate import MOST_CELLS, Estimate

MOST_JOBS = 10_000
MARGIN = 2.0  # on the estimated time

ARRAY = """#!/bin/bash
#SBATCH --job-name=serpenoid-sweep
#SBATCH --array=1-{jobs}
#SBATCH --cpus-per-task=4
#SBATCH --mem=4G
#SBATCH --time={time}
#SBATCH --requeue
# {estimate}
# Each job does its share of the store; one that is ended is put in the queue again and goes on. When all are done, the last line,
# run once by hand or in a job with --dependency=afterany:JOBID, does what is left and draws the figure.
set -euo pipefail
export SERPENOID_CACHE="${{SERPENOID_CACHE:-$HOME/.cache/serpenoid}}"
srun {command} --threads "$SLURM_CPUS_PER_TASK" --shard "$SLURM_ARRAY_TASK_ID/{jobs}"
# {command}
"""

DASK = """#!/bin/bash
#SBATCH --job-name=serpenoid-sweep
#SBATCH --ntasks={tasks}
#SBATCH --cpus-per-task=1
#SBATCH --mem-per-cpu=2G
#SBATCH --time={time}
#SBATCH --requeue
# {estimate}
# One task is the scheduler, the others are workers; the sweep itself runs in the job's shell. Anyone who can reach the scheduler's port
# can run code on it: use it in a network of your own, or with dask's TLS settings.
set -euo pipefail
FILE="$PWD/scheduler-$SLURM_JOB_ID.json"
rm -f "$FILE"  # of this job before it was queued again
srun --ntasks=1 --exact dask scheduler --host "$(hostname -i)" --no-dashboard --scheduler-file "$FILE" &
SCHEDULER=$!
srun --ntasks={jobs} --exact dask worker --nthreads 1 --no-dashboard --scheduler-file "$FILE" &
until [ -s "$FILE" ]; do kill -0 "$SCHEDULER"; sleep 1; done
ADDRESS=$(python -c 'import json, sys; print(json.load(open(sys.argv[1]))["address"])' "$FILE")
{command} --executor dask --scheduler "$ADDRESS"
"""


def script(args: argparse.Namespace, estimate: Estimate) -> str:
    """The script for so many jobs (`args.slurm`) of the sweep that the arguments ask for."""
    jobs = args.slurm
    if not 1 <= jobs <= MOST_JOBS:
        raise InputError(f"--slurm needs a number of jobs from 1 to {MOST_JOBS}, got {jobs}")
    if args.executor not in ("threads", "dask"):
        raise InputError(
            f"--slurm writes scripts for --executor threads (an array of shards) and dask, got {args.executor}"
        )
    cores = 4 * jobs if args.executor == "threads" else jobs
    minutes = max(10, round(MARGIN * 60.0 * estimate.hours / cores))
    days, rest = divmod(minutes, 1440)
    text = ARRAY if args.executor == "threads" else DASK
    return text.format(
        jobs=jobs, tasks=jobs + 1, time=f"{days}-{rest // 60:02d}:{rest % 60:02d}:00", estimate=estimate.text, command=command_line(args)
    )  # fmt: skip


def command_line(args: argparse.Namespace) -> str:
    """The sweep command that the arguments came from, without what a script adds."""
    words = ["serpenoid", "sweep", args.scenario]
    for option in ("set", "over", "tie", "metric", "seeded", "allow"):
        for value in getattr(args, option):
            words += [f"--{option}", value]
    for option in ("design", "cells", "seed", "through", "time_limit", "style", "vector", "out"):
        value = getattr(args, option)
        if value is not None:
            words += [f"--{option.replace('_', '-')}", str(value)]
    if args.most_cells != MOST_CELLS:
        words += ["--most-cells", str(args.most_cells)]
    if args.allow_outside:
        words.append("--allow-outside")
    return shlex.join(words)
