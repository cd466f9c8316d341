"""The statements of Ma, Li and Wang (2001) as claims, judged by the runs of `simulations`."""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.contact import Coulomb
from serpenoid.core import FloatArray
from serpenoid.gaits import Serpenoid, headings
from serpenoid.optimise import Optimum
from serpenoid.robots import ma2001
from serpenoid.studies.claims import judged
from serpenoid.studies.ma2001.simulations import ACROSS, DURATION, JOINTS, SMOOTHING, WINDING, One, Two, metrics

Waves = dict[tuple[float, float], dict[str, Any]]
Winding = dict[tuple[float, float, float], dict[str, Any]]
Optima = dict[tuple[float, float, float], Optimum]

SOURCE = "Ma, Li, Wang 2001"


def claims(one: One, two: Two, fig7: Waves, fig8: Winding, fig9: Optima) -> list[dict[str, Any]]:
    """All claims, in the paper's order."""
    return [
        body_shape(),
        torques_come_out(one),
        *environment(one),
        *torque_curves(one),
        torque_input(two),
        simple_torques(two),
        efficiency(one),
        *number_of_waves(fig7),
        winding_matters(fig8),
        *optimal_angle(fig9),
    ]


def body_shape() -> dict[str, Any]:
    """Equation (8) is the integral of (7)."""
    robot, waves, winding = ma2001(), 1.3, 0.9
    n, length = robot.links, robot.length
    gait = Serpenoid(winding, waves, speed=0.8)
    rows = np.zeros((3, n))
    t = 0.37
    headings(gait.KIND, *gait.row(robot), t, rows)
    i = np.arange(1, n)
    printed = -2 * winding * np.sin(waves * np.pi / n) * np.sin(2 * waves * np.pi * (0.8 * t / length + i / n))
    error = float(np.abs(np.diff(rows[0]) - printed).max())
    return judged(
        "CRP-4", f"{SOURCE}, (7), (8)", "The joint angles (8) are the curvature (7) integrated from mid-link to mid-link.",
        f"largest difference {error:.1e} rad at K_n = {waves}", [error < 1e-14],
        "Correct as printed, also for K_n that are not whole.",
    )  # fmt: skip


def torques_come_out(one: One) -> dict[str, Any]:
    """Motion and torques from one solve."""
    left = max(float(one.runs[c].metrics["moment_residual"] or 0.0) for c in one.runs)
    return judged(
        "CRP-5", f"{SOURCE}, section 2.4", "Solving for the motion of a prescribed shape gives the joint torques at the same time.",
        f"moment left at the free tail end at most {left:.1e} N m", [left < 1e-5],
        "With the corrected equations: three printed ones have wrong signs or swapped cases.",
    )  # fmt: skip


def environment(one: One) -> list[dict[str, Any]]:
    """More friction along, or less across, means more slip and less distance."""
    S = {key: m["com_distance"] for key, m in one.by_law.items()}
    W = {key: m["slip_per_link"] for key, m in one.by_law.items()}
    laws = ("coulomb", "threshold", "bristle")
    measured = "; ".join(
        f"{law}: S {S['one', law]:.3f} -> {S['two', law]:.3f} m, W {W['one', law]:.4f} -> {W['two', law]:.4f} m"
        for law in laws
    )
    grows = [S["two", law] < S["one", law] and W["two", law] > W["one", law] for law in laws]
    weaker = [one.by_across[mu] for mu in sorted(one.by_across, reverse=True)]
    falls = [
        all(a["com_distance"] > b["com_distance"] for a, b in zip(weaker, weaker[1:], strict=False)),
        all(a["slip_per_link"] < b["slip_per_link"] for a, b in zip(weaker, weaker[1:], strict=False)),
    ]
    return [
        judged(
            "CRP-7a", f"{SOURCE}, simulation one", "More friction along the body gives more slip across it and less distance.",
            measured, grows, "Case one to case two, K_n = 1, 60 degrees, in all three readings of the friction law.",
        ),
        judged(
            "CRP-7b", f"{SOURCE}, simulation one", "Less friction across the body gives more slip across it and less distance.",
            "; ".join(
                f"mu_n {mu:g}: S {one.by_across[mu]['com_distance']:.3f} m, W {one.by_across[mu]['slip_per_link']:.4f} m"
                for mu in sorted(one.by_across, reverse=True)
            ),
            falls, "At mu_t = 0.2.",
        ),
    ]  # fmt: skip


def one_period_later(time: FloatArray, torque: FloatArray, period: float) -> float:
    """Correlation of a torque with itself one period later, while cruising."""
    inside = (time >= 0.1 * DURATION) & (time <= 0.9 * DURATION - period)
    later = np.interp(time[inside] + period, time, torque)
    return float(np.corrcoef(torque[inside], later)[0, 1])


def torque_curves(one: One) -> list[dict[str, Any]]:
    """Torques repeat, and depend on the ground."""
    period = 2.0  # s: L / (K_n 0.8 m/s)
    inner = [5, 10, 15]
    alike = {
        case: [one_period_later(run["time"], run["joint_torque"][:, j - 1], period) for j in inner]
        for case, run in one.runs.items()
    }
    rms = {c: np.sqrt((run["joint_torque"] ** 2).mean(axis=0)) for c, run in one.runs.items()}
    ratio = rms["two"] / rms["one"]
    values = "; ".join(f"case {c}: " + ", ".join(f"{rms[c][j - 1]:.2f}" for j in JOINTS) + " N m" for c in rms)
    worst = min(min(v) for v in alike.values())
    return [
        judged(
            "CRP-7c", f"{SOURCE}, Fig. 5", "The joint torques repeat themselves nearly from cycle to cycle.",
            f"correlation with the torque one shape period (2 s) later at least {worst:.4f} for joints 5, 10, 15", [worst > 0.99],
        ),
        judged(
            "CRP-7d", f"{SOURCE}, Fig. 5", "The torques depend on the ground.",
            f"rms of joints {', '.join(map(str, JOINTS))}: {values}", [bool(ratio[9] > 1.2 or ratio[9] < 0.8)],
            f"Joint 10 needs {ratio[9]:.2f} times the torque on the second ground; the end joints hardly notice.",
        ),
    ]  # fmt: skip


def torque_input(two: Two) -> dict[str, Any]:
    """Torques of shape to motion, replayed open loop."""
    at = {t: float(np.interp(t, two.replay_time, two.replay_error)) for t in (0.8, 1.5)}
    return judged(
        "CRP-6", f"{SOURCE}, section 2.6", "The simulator takes joint torques and gives the whole motion.",
        "torques of shape to motion, replayed: joint error " + ", ".join(f"{e:.1e} rad at {t} s" for t, e in at.items()),
        [at[0.8] < 1e-5, at[1.5] < 1e-4],
        "Both directions agree; open loop the motion is exponentially unstable, so a gait cannot be replayed for long without feedback.",
    )  # fmt: skip


def simple_torques(two: Two) -> dict[str, Any]:
    """Simulation two: does it creep forward?"""
    a, b = two.literal, two.damped
    forward = float(b.metrics["com_dx"] or 0.0)
    angles = [float(np.degrees(r.metrics["joint_angle_max"] or 0.0)) for r in (a, b)]
    return judged(
        "CRP-8", f"{SOURCE}, simulation two, (14)", "Under a simple sine of torques the robot creeps and goes forward.",
        f"(14) literally: joints turn by {angles[0]:.0f} deg within 2 s, dx {a.metrics['com_dx']:+.3f} m; one cycle a second "
        f"and joint damping 0.3 N m s/rad: dx {forward:+.3f} m in 20 s, joints within {angles[1]:.0f} deg",
        [angles[0] < 180.0, forward > 0.0 and angles[1] < 180.0],
        reason_if_fails="As printed the end links cannot resist 0.8 N m (their friction gives 0.18 N m) and spin up; with damped joints, "
        "which the paper does not mention, it does creep forward. That shows that it can, not that Fig. 6 is reproduced.",
    )  # fmt: skip


def efficiency(one: One) -> dict[str, Any]:
    """J and its three factors."""
    m = {case: run.metrics for case, run in one.runs.items()}
    text = "; ".join(
        f"case {c}: S {v['com_distance']:.3f} m, torques {v['torque_sq_mean']:.1f} N^2 m^2, slip {v['slip_per_link']:.4f} m, "
        f"J {v['efficiency']:.4g}"
        for c, v in m.items()
    )
    lower = float(m["two"]["efficiency"] or 0.0) < float(m["one"]["efficiency"] or 0.0)
    return judged(
        "CRP-9", f"{SOURCE}, (13)", "The harder ground has the lower locomotive efficiency J.", text, [lower],
        "The printed sum of slips runs over one contact too many; J is scaled by the reference step 1e-3 s.",
    )  # fmt: skip


def number_of_waves(fig7: Waves) -> list[dict[str, Any]]:
    """K_n of 2 and more make little difference?"""
    along = sorted({mu for _, mu in fig7})
    low = [mu for mu in along if mu <= 0.4]
    S = {k: np.array([fig7[k, mu]["com_distance"] for mu in low]) for k in (2.0, 3.0, 4.0)}
    W = {k: np.array([fig7[k, mu]["slip_per_link"] for mu in low]) for k in (2.0, 3.0, 4.0)}
    tau = {k: np.array([fig7[k, mu]["torque_sq_mean"] for mu in low]) for k in (2.0, 3.0, 4.0)}
    apart = float(np.max(np.abs(S[3.0] - S[2.0]) / S[2.0]))
    slip_apart = float(np.max(np.abs(W[3.0] - W[2.0])))
    growth = float(np.min(tau[3.0] / tau[2.0]))
    strongest = along[-1]
    rods = [
        metrics(k, WINDING, Coulomb(0.0, ACROSS, smoothing=SMOOTHING), link_inertia="uniform-rod")["torque_sq_mean"]
        for k in (2.0, 3.0, 4.0)
    ]
    backward = [fig7[k, strongest]["com_forward"] for k in (2.0, 3.0)]
    return [
        judged(
            "CRP-10a", f"{SOURCE}, Fig. 7", "For K_n of 2 and more distance and slip are nearly the same.",
            f"mu_t <= 0.4, K_n 2 to 3: distance differs by at most {apart:.1%}, slip by at most {1e3 * slip_apart:.1f} mm a link",
            [apart < 0.1, slip_apart < 0.01],
            f"While it moves forward. At mu_t = {strongest:g} it moves backwards ({backward[0]:+.2f} and {backward[1]:+.2f} m), which the "
            "unsigned distance of the paper hides.",
        ),
        judged(
            "CRP-10b", f"{SOURCE}, Fig. 7", "For K_n of 2 and more the joint torques differ little.",
            "mean sum of squares at mu_t = 0: " + ", ".join(f"K_n {k:g}: {tau[k][0]:.1f}" for k in tau) + " N^2 m^2; "
            "with uniform rods " + ", ".join(f"{x:.2f}" for x in rods),
            [growth < 1.2],
            reason_if_fails="The printed inertia of 0.016 kg m^2 a link, 60 times a uniform rod's, dominates: swinging the links costs more "
            "torque with every wave. With uniform rods the torques are small, and differ too.",
        ),
    ]  # fmt: skip


def winding_matters(fig8: Winding) -> dict[str, Any]:
    """The winding angle matters a lot."""
    along = sorted({mu for _, _, mu in fig8})
    mu = min(along, key=lambda x: abs(x - 0.4))
    angles = sorted({a for _, a, _ in fig8})
    S = {k: [fig8[k, a, mu]["com_forward"] for a in angles] for k in (1.0, 2.0, 3.0)}
    spans = {k: (min(v), max(v)) for k, v in S.items()}
    starts = {k: next((a for a, s in zip(angles, v, strict=True) if s > 0.5 * max(v)), None) for k, v in S.items()}
    return judged(
        "CRP-11", f"{SOURCE}, Fig. 8", "The winding angle affects the performance strongly.",
        f"mu_t = {mu:g}: " + "; ".join(f"K_n {k:g}: {lo:+.2f} to {hi:+.2f} m, half of the best from {starts[k]:.0f} deg" for k, (lo, hi) in spans.items()),
        [hi - lo > 1.0 for lo, hi in spans.values()],
        "Like a threshold: below a breakaway angle, which grows with mu_t, the robot stays or moves backwards; above it the distance "
        "falls slowly as s(T) J_0(alpha_0).",
    )  # fmt: skip


def optimal_angle(fig9: Optima) -> list[dict[str, Any]]:
    """An optimum exists; how it depends on the ground and on K_n."""
    along = sorted({mu for _, mu, across in fig9 if across == ACROSS})
    across = sorted({a for _, mu, a in fig9 if mu == 0.1})
    best = {key: o.place for key, o in fig9.items()}
    rising = [
        best[k, a, ACROSS] < best[k, b, ACROSS] for k in (1.0, 2.0, 3.0) for a, b in zip(along, along[1:], strict=False)
    ]
    falling = [
        best[k, 0.1, a] > best[k, 0.1, b] for k in (1.0, 2.0, 3.0) for a, b in zip(across, across[1:], strict=False)
    ]
    smaller = [best[a, mu, ACROSS] > best[b, mu, ACROSS] for mu in along for a, b in ((1.0, 2.0), (2.0, 3.0))]
    inside = [not o.at_end for o in fig9.values()]
    gap = max(abs(best[2.0, mu, ACROSS] - best[3.0, mu, ACROSS]) for mu in along)
    gap1 = max(abs(best[1.0, mu, ACROSS] - best[2.0, mu, ACROSS]) for mu in along)
    table = "; ".join(
        f"mu_t {mu:g}: " + ", ".join(f"{best[k, mu, ACROSS]:.1f}" for k in (1.0, 2.0, 3.0))
        for mu in along
        if round(mu * 20) % 2 == 0
    )
    return [
        judged("CRP-12a", f"{SOURCE}, Fig. 9", "A winding angle exists that is best for a ground.",
               f"best angle inside 5 to 90 degrees for {sum(inside)} of {len(inside)} grounds", inside),
        judged("CRP-12b", f"{SOURCE}, Fig. 9", "More friction along the body asks for a larger winding angle.",
               f"degrees for K_n = 1, 2, 3: {table}", rising,
               "The order is robust; the angles themselves move by about 10 degrees with the smoothing speed of the friction law."),
        judged("CRP-12c", f"{SOURCE}, Fig. 9", "Less friction across the body asks for a larger winding angle.",
               "mu_t = 0.1: " + "; ".join(f"mu_n {a:g}: " + ", ".join(f"{best[k, 0.1, a]:.1f}" for k in (1.0, 2.0, 3.0)) for a in across),
               falling),
        judged("CRP-12d", f"{SOURCE}, Fig. 9", "More waves ask for a smaller winding angle.",
               f"K_n 1 > 2 > 3 in {sum(smaller)} of {len(smaller)} comparisons", smaller),
        judged("CRP-12e", f"{SOURCE}, Fig. 9", "For K_n of 2 and more the best angle hardly changes.",
               f"K_n 2 to 3: at most {gap:.1f} degrees; K_n 1 to 2: up to {gap1:.1f}", [gap < 10.0, gap < gap1]),
    ]  # fmt: skip
