"""Can a robot learn to creep faster than the best gait by hand? A wave per joint with feedback, trained by evolution in NumPy, five times.

`python 24_learn.py --full` trains for minutes on two cores; without it only a few small generations, which shows how it goes."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from serpenoid.envs.known import TASKS
from serpenoid.envs.policies import JointPolicy, WavePolicy, joints_of_wave
from serpenoid.envs.protocol import score
from serpenoid.envs.training import best_wave, joint_scale, train

FULL = "--full" in sys.argv
ENV, SEEDS = "Creep", range(5)
size = (
    {"generations": 60, "population": 24, "episodes": 3}
    if FULL
    else {"generations": 6, "population": 12, "episodes": 1}
)
task = TASKS[ENV]()

# the best of 160 waves with amplitude, frequency, phase and gain of the kind that a person would try
wave, _ = best_wave(ENV, episodes=2 if FULL else 1)
hand = score(ENV, lambda task: WavePolicy(task, wave), 64 if FULL else 8)
print(
    f"best gait by hand: amplitude {wave[0]:.2f} rad, {wave[1]:.0f} rad/s, {wave[2]:.1f} rad per joint: return {hand['score']:.2f}"
)

# every joint gets an amplitude, a phase and a gain of its own: 37 numbers, searched by CMA-ES
curves, gains = [], []
for seed in SEEDS:
    curve: list[tuple[int, float]] = []
    found = train(
        ENV, JointPolicy, joints_of_wave(task, wave), scale=joint_scale(task), sigma=0.06, seed=seed,
        tell=lambda *told, curve=curve: curve.append(told), **size,
    )  # fmt: skip
    learned = score(ENV, lambda task, found=found: JointPolicy(task, found), 64 if FULL else 8)
    curves.append(curve)
    gains.append(learned["score"] / hand["score"] - 1.0)
    print(f"seed {seed}: return {learned['score']:.2f}, {100.0 * gains[-1]:+.1f} %")
print(
    f"gain over the best gait by hand: {100.0 * np.mean(gains):+.1f} %, standard deviation over 5 seeds {100.0 * np.std(gains, ddof=1):.1f} %"
)

figure, ax = plt.subplots(figsize=(7.0, 4.2), layout="constrained")
for seed, curve in zip(SEEDS, curves, strict=True):
    ax.plot(*np.transpose(curve), label=f"seed {seed}")
ax.axhline(hand["score"], color="black", linestyle="--", label="best gait by hand")
ax.set(xlabel="generation", ylabel="mean return of the candidates [body lengths]", title="learning to creep")
ax.legend()
out = Path("out")
out.mkdir(exist_ok=True)
figure.savefig(out / "learn.png", dpi=110)
print(out / "learn.png")
