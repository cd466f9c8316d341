"""Motion toward an arbitrary target: the equations of section III as printed, put right, and what they come to."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from serpenoid.core.checks import FloatArray
from serpenoid.gaits.concertina import FOLD, Posture, moved_posture, row
from serpenoid.planning import ConcertinaPlan, degrees_of_freedom
from serpenoid.studies.claims import judged
from serpenoid.studies.shan1993.pattern import ROUNDING, SOURCE

REACH = 3.0  # L5 + L6 + L7 in link lengths
CLOSING = np.degrees(np.arccos(-0.25))  # deg: beyond this bearing d_62 < L3 + L4
ARENA = 15.0  # link lengths: targets lie in a square of twice that
TRIED = {True: 150, False: 1000}  # targets of the quick and of the whole study
MOST = 60  # cycles of the equations alone


def claims(quick: bool) -> list[dict[str, Any]]:
    """All claims of section III but the servos."""
    return [*first_stage(), *second_stage(), third_stage(), *planner(quick), positioning()]


def head_in_4(theta: FloatArray) -> FloatArray:
    """Head (2,) in the frame of joint 4 for theta_4 .. theta_6, unit links."""
    psi = np.cumsum(theta)
    return np.array([np.cos(psi).sum(), np.sin(psi).sum()])


def printed_1(theta: FloatArray, d: float, beta: float) -> FloatArray:
    """Target in the frame of joint 4 by equation (1) as printed."""
    return head_in_4(theta) + d * np.array([np.cos(beta), np.sin(beta)])


def first_stage() -> list[dict[str, Any]]:
    """(1) to (6): the target in O_4, and stretching at it."""
    from scipy.optimize import minimize

    theta, d, beta = row(1)[3:], 5.0, 0.4
    literal = printed_1(theta, d, beta)
    right = head_in_4(theta) + d * np.array([np.cos(theta.sum() + beta), np.sin(theta.sum() + beta)])
    rng = np.random.default_rng(1993)
    worse, behind, inside = 0.0, 0.0, 0.0
    for _ in range(60):
        far, way = rng.uniform(3.0, 12.0), rng.uniform(-np.pi, np.pi)
        p = far * np.array([np.cos(way), np.sin(way)])
        least = min(minimize(lambda q, p=p: np.sum((head_in_4(q) - p) ** 2), rng.uniform(-2, 2, 3)).fun ** 0.5 for _ in range(3))  # fmt: skip
        stretched = float(np.hypot(*(head_in_4(np.array([way, 0.0, 0.0])) - p)))
        worse = max(worse, stretched - least)
        quotient = float(np.hypot(*(head_in_4(np.array([np.arctan(p[1] / p[0]), 0.0, 0.0])) - p)))
        behind = max(behind, quotient - least)
        near = 0.5 * p / far * REACH
        inside = max(inside, float(np.hypot(*(head_in_4(np.array([way, 0.0, 0.0])) - near))))
    reached = [_inside(rng) for _ in range(60)]
    return [
        judged("MSK-3a", f"{SOURCE}, (1)", "x_p4, y_p4 is the target in the frame of joint 4, from d and beta in the head's frame.",
               f"row 1, d = 5 L, beta = 0.4: ({literal[0]:.3f}, {literal[1]:.3f}) L as printed, ({right[0]:.3f}, {right[1]:.3f}) L in truth",
               [bool(np.hypot(*(literal - right)) < ROUNDING)],
               "The last terms must be d cos(theta_4 + theta_5 + theta_6 + beta) and the sine: d and beta are in the head's frame."),
        judged("MSK-3b", f"{SOURCE}, (2) to (6), Fig. 8", "theta_4 = atan(y/x), theta_5 = theta_6 = 0 brings the head nearest to the target.",
               f"60 targets out of reach against a numerical minimum: {worse:.0e} L with atan2, up to {behind:.1f} L worse with the quotient as printed; "
               f"inside the reach {inside:.1f} L is left where zero is possible",
               [worse < 1e-5, behind < 1e-5, inside < 1e-5],
               "True for targets beyond 3 L of joint 4 and with atan2: the quotient aims away from targets behind the joint; inside the reach it is a saddle."),
        judged("MSK-3c", f"{SOURCE}, section III-A, Fig. 7", "Inside the current reachable space the head reaches the target in the first stage.",
               f"{sum(reached)} of {len(reached)} targets within {REACH:g} L of joint 4 and 90 deg of the body axis reached in the first stage",
               [all(reached)], reason_if_fails="Some lie on the robot's own links or cannot be reached without crossing them; the planner goes round."),
    ]  # fmt: skip


def _inside(rng: np.random.Generator) -> bool:
    """Whether a target in the reach, ahead of joint 4, is reached by stage 1 of the first cycle."""
    far, way = REACH * np.sqrt(rng.uniform(0.0, 1.0)), rng.uniform(-0.5 * np.pi, 0.5 * np.pi)
    found = ConcertinaPlan((2.0 + far * np.cos(way), far * np.sin(way)), elbow="auto").solve()
    return bool(found.reached and found.cycles == 1)


class Second(NamedTuple):
    """Stage 2 by equations (7) to (11)."""

    angles: FloatArray  # (6,) rad
    d_62: float


def second(angles: FloatArray) -> Second | None:
    """Joint angles after stage 2 by (7), (8), (10), (11); None where they have no solution."""
    psi = np.cumsum(angles[1:5])
    joint_6 = np.array([np.cos(psi).sum(), np.sin(psi).sum()])  # (7), in the frame of joint 2
    d_62 = float(np.hypot(*joint_6))
    head = float(angles[1:].sum())  # Theta_h2
    theta_2 = float(np.arctan2(joint_6[1], joint_6[0]))
    d_64 = float(np.hypot(*(2.0 * np.array([np.cos(theta_2), np.sin(theta_2)]) - joint_6)))  # (8)
    if d_62 < 2.0 or not 1e-9 < d_64 <= 2.0 + 1e-9:
        return None
    half = np.arccos(min(0.5 * d_64, 1.0))  # (11): A_4 = A_6 for equal links
    theta_5 = np.arccos(np.clip(1.0 - 0.5 * d_64**2, -1.0, 1.0)) - np.pi
    return Second(np.array([angles[0], theta_2, 0.0, half, theta_5, half - theta_2 + head]), d_62)


def aimed(angles: FloatArray, bearing: float) -> FloatArray:
    """Joint angles after stage 1 with the arm at a bearing from the body axis (heading of link 2 of row 1)."""
    # the axis from joint 2 to joint 4 has the heading of link 2 at the start; links 3 and 4 lie at +- the fold about it
    return _wrapped(np.array([*row(2)[:2], angles[2], bearing + FOLD, 0.0, 0.0]))


def second_stage() -> list[dict[str, Any]]:
    """(7) to (11), and what two driven joints determine."""
    bearings = np.radians(np.arange(-179.0, 180.0))
    solved = {float(b): second(aimed(row(1), b)) for b in bearings}
    wide = max(abs(b) for b, found in solved.items() if found is not None)
    narrow = min(abs(b) for b, found in solved.items() if found is None)
    closed, kept = 0.0, 0.0
    for bearing, found in solved.items():
        if found is not None:
            before, after = (Posture(angles=a).nodes() for a in (aimed(row(1), bearing), found.angles))
            closed = max(closed, float(np.hypot(*(after[6] - before[6]))))
            kept = max(kept, abs(float(np.sum(found.angles) - np.sum(aimed(row(1), bearing)))))
    free, folded = _least(np.radians(60.0)), _least(np.radians(150.0))
    leg = ConcertinaPlan((10.0, 0.0)).solve().legs[1]
    dof = degrees_of_freedom(2, leg.nodes(0.4)[0])
    gains = _gain(leg.nodes(np.array([0.0, 0.5, 0.9, 1.0])))
    return [
        judged("MSK-4a", f"{SOURCE}, (7) to (10), Fig. 9", "theta_2 = atan(y_62/x_62), theta_3 = 0 makes the distance of joints 4 and 6 least.",
               f"arm at 60 deg: {free[0]:.4f} L by (10), {free[1]:.4f} L at best; at 150 deg: {folded[0]:.4f} L by (10), {folded[1]:.4f} L at best",
               [abs(free[0] - free[1]) < 1e-3, abs(folded[0] - folded[1]) < 1e-3],
               f"Only where d_62 >= L3 + L4: bearings of the target from the body axis up to {CLOSING:.2f} deg. Beyond, links 3 and 4 must stay bent."),
        judged("MSK-4b", f"{SOURCE}, (11)", "The law of cosines gives theta_4 to theta_6: joints 2 and 6 and the head stay where they are.",
               f"joint 6 moves {closed:.0e} L, the head turns {kept:.0e} rad for all bearings to {np.degrees(wide):.0f} deg; none from {np.degrees(narrow):.0f} deg",
               [closed < 1e-7, kept < 1e-12], "Read with joint 5 on the left of the line from joint 4 to 6; the mirror image has all signs reversed."),
        judged("MSK-4c", f"{SOURCE}, section III-D", "The closed linkage has two degrees of freedom; joints 2 and 5 drive it.",
               f"rank: link 4 has {dof[3]}, link 5 has {dof[4]}; what the drives leave undetermined, sin of the angle at joint 6 between joints 3 and 4: "
               f"{', '.join(f'{g:.2f}' for g in gains)} at 0, 50, 90, 100 % of the stage",
               [dof[3] == dof[4] == 2, gains[-1] > 0.05],
               "Two degrees of freedom, yes; but the stage ends with joints 3, 4 and 6 on a line, where joints 2 and 5 no longer fix the others. "
               "The execution settles by joints 2 and 3 there."),
    ]  # fmt: skip


def _least(bearing: float) -> tuple[float, float]:
    """Distance of joints 4 and 6 after stage 2 by (10), and the least of all places of joint 4, in link lengths."""
    nodes = Posture(angles=aimed(row(1), bearing)).nodes()
    way = nodes[6] - nodes[2]
    by_10 = abs(float(np.hypot(*way)) - 2.0)
    r, phi = np.meshgrid(np.linspace(0.0, 2.0, 401), np.linspace(-np.pi, np.pi, 721))
    places = nodes[2] + np.stack([r * np.cos(phi), r * np.sin(phi)], axis=-1)
    return by_10, float(np.hypot(*np.moveaxis(nodes[6] - places, 2, 0)).min())


def _gain(nodes: FloatArray) -> FloatArray:
    """|sin| of the angle between joint 6 seen from joints 3 and 4: zero where rates of joints 3, 4, 6 do not follow from 2 and 5."""
    a, b = nodes[:, 6] - nodes[:, 3], nodes[:, 6] - nodes[:, 4]
    cross = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    return np.asarray(np.abs(cross) / np.hypot(*a.T) / np.hypot(*b.T))


def third_stage() -> dict[str, Any]:
    """(12)."""
    legs = [leg for leg in ConcertinaPlan((10.0, 10.0)).solve().legs if leg.stage == 3]
    back = max(float(np.abs(leg.angles(1.0)[0, :4] - row(4)[:4]).max()) for leg in legs)
    kept = max(float(np.abs(leg.angles(1.0)[0, 4:] - leg.angles(0.0)[0, 4:]).max()) for leg in legs)
    turned = max(float(np.abs(leg.angles(1.0)[0, 4:] - row(4)[4:]).max()) for leg in legs)
    return judged(
        "MSK-5", f"{SOURCE}, (12), Fig. 10", "After the third stage joints 1 to 4 are back in the basic pattern; joints 5 and 6 are as they were.",
        f"{len(legs)} cycles to (10, 10): joints 1 to 4 within {back:.0e} rad, joints 5, 6 change {kept:.0e} rad (and differ from the basic ones by up to "
        f"{np.degrees(turned):.0f} deg)",
        [back < 1e-9, kept < 1e-9],
    )  # fmt: skip


def literal(target: FloatArray) -> tuple[str, int]:
    """The equations alone, with (1) and atan2 put right: how they end, and after how many cycles."""
    posture = Posture()
    for cycle in range(1, MOST + 1):
        nodes, psi = posture.nodes(), posture.headings
        way = target - nodes[4]
        if np.hypot(*way) <= REACH + 1e-9:
            return "reached", cycle
        theta_4 = float(np.arctan2(way[1], way[0]) - psi[3])
        after = np.array([*row(2)[:2], posture.angles[2], theta_4, 0.0, 0.0])
        found = second(after)
        if found is None:
            return "no stage 2", cycle
        head = nodes[4] + REACH * way / np.hypot(*way)
        angles = np.concatenate([row(4)[:4], found.angles[4:]])
        heading = float(np.arctan2(way[1], way[0]) - np.sum(angles))
        loose = Posture((0.0, 0.0), heading, _wrapped(angles))
        place = head - loose.nodes()[7]
        posture = Posture((float(place[0]), float(place[1])), heading, _wrapped(angles))
    return "circles", MOST


def _wrapped(angles: FloatArray) -> FloatArray:
    return np.asarray((angles + np.pi) % (2.0 * np.pi) - np.pi)


def planner(quick: bool) -> list[dict[str, Any]]:
    """Any target, by the equations and by the planner."""
    rng = np.random.default_rng(3)
    targets = rng.uniform(-ARENA, ARENA, (TRIED[quick], 2))
    plans = [ConcertinaPlan(t).solve() for t in targets]
    alone = [literal(t) for t in targets]
    same = [p.cycles == cycle for p, (how, cycle) in zip(plans, alone, strict=True) if how == "reached" and _bearing(p) < 89.0]  # fmt: skip
    ended = {how: sum(h == how for h, _ in alone) for how in ("reached", "no stage 2", "circles")}
    reached, most = sum(p.reached for p in plans), max(p.cycles for p in plans)
    around = turning()
    cycles = [c for _, c, _ in around]
    turn = max(t for _, _, t in around)
    return [
        judged("MSK-6a", f"{SOURCE}, section III, Fig. 11", "The snake reaches an arbitrarily assigned target.",
               f"{reached} of {len(plans)} random targets within {ARENA:g} L each way reached, in at most {most} cycles; the equations alone give the same "
               f"cycles for {sum(same)} of {len(same)} targets that they reach without a large turn",
               [reached == len(plans), all(same)], "With a limit of 90 deg on the bearing of the arm, and straight cycles where it would circle: neither is in the paper."),
        judged("MSK-6b", f"{SOURCE}, (1) to (14)", "The equations of section III are enough for any target.",
               f"alone they reach {ended['reached']} of {len(targets)}; in {ended['no stage 2']} stage 2 has no solution, in {ended['circles']} the robot circles the target",
               [ended["reached"] > 0, ended["reached"] == len(targets)],
               f"Stage 2 cannot close for targets more than {CLOSING:.2f} deg off the body axis."),
        judged("MSK-6c", f"{SOURCE}, section V", "It is able to easily turn in any direction.",
               f"targets 10 L away in {len(around)} directions: {min(cycles)} to {max(cycles)} cycles, {cycles[0]} straight ahead; the head turns by up to {turn:.0f} deg a cycle",
               [all(c > 0 for c in cycles), max(cycles) <= cycles[0] + 6],
               "Left and right differ a little: the fold has a side."),
    ]  # fmt: skip


def _bearing(found: Any) -> float:
    """Largest bearing (deg) of the arm from the body axis in a plan."""
    largest = 0.0
    for leg in found.legs:
        if leg.stage == 1:
            axis, arm = leg.base[4] - leg.base[2], leg.nodes(1.0)[0, 7] - leg.base[4]
            cross = axis[0] * arm[1] - axis[1] * arm[0]
            largest = max(largest, abs(float(np.degrees(np.arctan2(cross, axis @ arm)))))
    return largest


def turning(count: int = 72) -> list[tuple[float, int, float]]:
    """Directions (deg), cycles to a target 10 L from joint 4, and the largest turn of the head in a cycle (deg)."""
    found = []
    for degrees in np.arange(count) * 360.0 / count:
        way = np.radians(degrees)
        made = ConcertinaPlan((2.0 + 10.0 * np.cos(way), 10.0 * np.sin(way))).solve()
        heads = [leg.headings(1.0)[0, 6] - leg.headings(0.0)[0, 6] for leg in made.legs if leg.stage == 1]
        found.append((float(degrees), made.cycles if made.reached else -1, float(np.degrees(np.abs(heads).max()))))
    return found


def positioning() -> dict[str, Any]:
    """(13), (14) against the planned motion."""
    worst = 0.0
    for target in ((10.0, 10.0), (-10.0, 0.0), (2.0, 12.0)):
        made = ConcertinaPlan(target).solve()
        for k in range(0, len(made.legs) - 3, 3):
            first, last = made.legs[k], made.legs[k + 2]
            before = Posture(tuple(first.base[1]), first.turned[0], _wrapped(np.diff(first.turned)))
            nodes, psi = (x[0] for x in last.at(1.0))
            c, s = np.cos(first.turned[6]), np.sin(first.turned[6])
            d = np.array([[c, s], [-s, c]]) @ (nodes[7] - first.base[7])
            after = moved_posture(before, d, psi[6] - first.turned[6], _wrapped(np.diff(psi)))
            worst = max(worst, float(np.abs(after.nodes() - nodes).max()))
    return judged(
        "MSK-7", f"{SOURCE}, (13), (14), Fig. 13", "p_w and phi_0 after a cycle follow from the head's displacement d and turn gamma.",
        f"all nodes within {worst:.0e} L of the planned motion, over all whole cycles to three targets", [worst < 1e-9],
        f"d is the vector of the displacement in the old frame of the head; folding angle {np.degrees(FOLD):.0f} deg.",
    )  # fmt: skip
