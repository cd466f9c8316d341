"""SWD-8 to SWD-10: contact patches and peeling, sidewinding against lateral undulation, and failed joints."""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.core import FloatArray, Robot, Trajectory
from serpenoid.studies.claims import judged
from serpenoid.studies.sarrafan2012.simulations import ACROSS, OMEGA, Contest, Failures, loaded_slip, patches

MOSTLY = 0.9  # of the time
AT_REST = 0.25  # m of slip a metre travelled: below it contacts count as static
ALIVE = 0.5  # of the whole robot's path: below it a failure counts as disabling

Shown = dict[str, tuple[Trajectory, Robot]]  # runs of Fig. 3 by name


def claims(source: str, shown: Shown, gaits: Contest, failed: Failures) -> list[dict[str, Any]]:
    """SWD-8 to SWD-10."""
    return [two_patches(source, shown), peeling(source, shown), slippage(source, gaits), *efficiency(source, gaits),
            redundancy(source, failed)]  # fmt: skip


def shares(run: Trajectory) -> FloatArray:
    """Share of the time at which 0, 1, 2, ... patches touch."""
    found = patches(run)
    return np.bincount(found, minlength=4) / len(found)


def two_patches(source: str, shown: Shown) -> dict[str, Any]:
    """Only two patches?"""
    by_name = {name: shares(run) for name, (run, _) in shown.items()}
    text = "; ".join(
        f"{name}: " + ", ".join(f"{k} patch{'es' * (k != 1)} {share:.0%}" for k, share in enumerate(v) if share > 0.005)
        for name, v in by_name.items()
    )
    return judged(
        "SWD-8a", f"{source}, section Sidewinding Gait", "There are only two contact patches while the snake is in motion.",
        f"runs of neighbouring links that touch, share of the time: {text}", [v[2] > MOSTLY for v in by_name.values()],
        reason_if_fails="So it is for a sidewinder of 1.25 waves, and always for the rolling robot, whose same links touch all the time. The flat wave of "
        "delta_0 = 0 has one or two. A body of more waves has more patches.",
    )  # fmt: skip


def touched(run: Trajectory) -> FloatArray:
    """Share of the time after 3 s at which each link touches."""
    late = run["time"] > 3.0
    return np.asarray((run["touching"][late] > 0.0).mean(axis=0))


def touch_phase(run: Trajectory) -> FloatArray:
    """Phase (rad, along the body without jumps) of each link's touching at the gait's frequency, over whole periods."""
    t = run["time"]
    period = 2.0 * np.pi / OMEGA
    part = t > t[-1] - period * np.floor((t[-1] - 3.0) / period)
    wave = np.exp(-1j * OMEGA * t[part])[:, None] * (run["touching"][part] > 0.0)
    return np.asarray(np.unwrap(np.angle(wave.mean(axis=0))))


def peels(run: Trajectory, robot: Robot) -> tuple[bool, float]:
    """Whether every link is laid down and lifted by turns, one after the other and at rest meanwhile; and the slip a metre."""
    slip = loaded_slip(run, robot.mass * 9.81) / float(run.metrics["com_distance"] or 1e-9)
    down = touched(run)
    by_turns = bool(np.all((down > 0.05) & (down < 0.5)))
    steps = np.diff(touch_phase(run))
    return by_turns and slip < AT_REST and bool(np.all(steps * np.sign(steps.sum()) > 0.0)), slip


def peeling(source: str, shown: Shown) -> dict[str, Any]:
    """Tracks and static contacts."""
    found = {name: peels(*pair) for name, pair in shown.items()}
    text = "; ".join(
        f"{name}: links touch {touched(run).min():.0%} to {touched(run).max():.0%} of the time and slip {found[name][1]:.2f} m a metre"
        for name, (run, _) in shown.items()
    )
    return judged(
        "SWD-8b", f"{source}, section Sidewinding Gait, Fig. 3", "The body peels from one track to the next on rolling, static contacts.",
        text, [peeled for peeled, _ in found.values()],
        reason_if_fails="The 16 links peel: laid down one after the other, at rest, and lifted. The paper's own robot does not: with delta_0 = 0 it lies "
        "flat and slides, with pi/2 it rolls on four links that never leave the ground.",
    )  # fmt: skip


def _grounds(gaits: Contest) -> list[float]:
    return sorted({mu for _, mu in gaits})


def slippage(source: str, gaits: Contest) -> dict[str, Any]:
    """Slip of sidewinding and of undulation."""
    along = _grounds(gaits)
    slip = {name: [gaits[name, mu].slip for mu in along] for name in ("sidewinding", "undulation")}
    paper = [gaits[name, ACROSS].slip for name in ("6 links, 0", "6 links, pi/2", "6 links, yaw only")]
    return judged(
        "SWD-9a", f"{source}, section Sidewinding Gait", "Sidewinding minimises slippage.",
        f"slip in m a metre travelled, weighted by load, 16 links, mu_n = {ACROSS}, mu_t = {along[0]} to {along[-1]}: sidewinding "
        f"{min(slip['sidewinding']):.2f} to {max(slip['sidewinding']):.2f}, lateral undulation {min(slip['undulation']):.2f} to "
        f"{max(slip['undulation']):.1f}. The paper's robot at mu = {ACROSS}: {paper[0]:.2f} (delta_0 = 0), {paper[1]:.2f} (pi/2), {paper[2]:.1f} (yaw only)",
        [a < b for a, b in zip(slip["sidewinding"], slip["undulation"], strict=True)],
        "On every ground tried. Undulation slips at least its own way, since the body slides along itself; a sidewinder's contacts are nearly at rest.",
    )  # fmt: skip


def crossing(gaits: Contest) -> float | None:
    """mu_t at which both gaits cost the same, logarithms interpolated; None if they never do."""
    along = np.array(_grounds(gaits))
    lead = np.log([gaits["undulation", mu].cost / gaits["sidewinding", mu].cost for mu in along.tolist()])
    change = np.flatnonzero(np.diff(np.sign(lead)) > 0)
    if not change.size:
        return None
    k = int(change[0])
    share = -lead[k] / (lead[k + 1] - lead[k])
    return float(np.exp((1.0 - share) * np.log(along[k]) + share * np.log(along[k + 1])))


def efficiency(source: str, gaits: Contest) -> list[dict[str, Any]]:
    """Cost of transport of both, and of the paper's own gaits."""
    along = _grounds(gaits)
    text = "; ".join(
        f"mu_t {mu:g}: {gaits['sidewinding', mu].cost:.2f} and {gaits['undulation', mu].cost:.2f}" for mu in along[::-1]
    )
    equal = crossing(gaits)
    where = f"below mu_t = {equal:.2f}" if equal is not None else "nowhere"
    iso, slick = max(along), min(along)
    small = {
        name: [gaits[name, mu] for mu in (iso, slick)] for name in ("6 links, 0", "6 links, pi/2", "6 links, yaw only")
    }
    costs = "; ".join(f"{name}: {a.cost:.2f} and {b.cost:.2f}" for name, (a, b) in small.items())
    sides = ("6 links, 0", "6 links, pi/2")
    return [
        judged(
            "SWD-9b", f"{source}, section Sidewinding Gait", "Sidewinding is even more efficient than lateral undulation.",
            f"cost of transport of 16 links, sidewinding and undulation, each with its cheaper amplitude, mu_n = {ACROSS}: {text}. Speeds "
            f"{gaits['sidewinding', iso].speed:.2f} and {gaits['undulation', iso].speed:.2f} m/s at mu_t = {iso:g}, {gaits['sidewinding', slick].speed:.2f} and "
            f"{gaits['undulation', slick].speed:.2f} m/s at {slick:g}",
            [gaits["sidewinding", mu].cost < gaits["undulation", mu].cost for mu in along],
            reason_if_fails="It holds where friction is the same in all directions, as in the paper: there undulation even goes backwards. With scales or "
            f"wheels undulation is the cheaper one ({where}) and the faster one.",
        ),
        judged(
            "SWD-9c", f"{source}, section Sidewinding Gait", "The paper's own gaits are more efficient than lateral undulation.",
            f"cost of transport of its robot at mu_t = {iso:g} and {slick:g}: {costs}; 16 links: {gaits['sidewinding', iso].cost:.2f} and "
            f"{gaits['sidewinding', slick].cost:.2f}",
            [small[name][k].cost < small["6 links, yaw only"][k].cost for name in sides for k in (0, 1)],
            reason_if_fails="Against its own wave of yaw alone, and where friction is the same in all directions; not on the slippery ground. A sidewinder "
            "with more links does it for a third of the cost or less.",
        ),
    ]  # fmt: skip


def redundancy(source: str, failed: Failures) -> dict[str, Any]:
    """What do failed joints cost?"""
    names = sorted({name for name, _, _ in failed})
    parts, told = [], []
    for name in names:
        for kind in ("locked", "limp"):
            counts = sorted({k for n, x, k in failed if n == name and x == kind and k > 0})
            worst = [min(failed[name, kind, k]) for k in counts]
            told.append(
                f"{name}, {kind}: "
                + ", ".join(
                    f"{k}: {np.mean(failed[name, kind, k]):.2f} ({low:.2f})"
                    for k, low in zip(counts, worst, strict=True)
                )
            )
            parts += [low > ALIVE for low in worst]
    return judged(
        "SWD-10", f"{source}, section Introduction", "Snake-like robots are invulnerable to failure of some of their segments.",
        "path in 20 s over that of the whole robot, mean (worst) by the number of failed joints. " + "; ".join(told), parts,
        reason_if_fails="They go on, more slowly: with one failed joint of 15 most of the way remains, rolling hardly notices, but the flat wave of the six "
        "links loses most of its way with the middle joint. Nothing adapts here: the other joints go on as if nothing had happened.",
    )  # fmt: skip
