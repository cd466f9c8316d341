"""SWD-1 and SWD-2: both Denavit-Hartenberg tables, as read and as printed, against screws and against MuJoCo."""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid import robots
from serpenoid.core import FloatArray
from serpenoid.core.errors import InputError
from serpenoid.peers.mujoco_model import load_mujoco
from serpenoid.robots.sarrafan2012 import from_paper
from serpenoid.spatial import dh
from serpenoid.spatial import exponentials as chain
from serpenoid.studies.claims import judged
from serpenoid.studies.sarrafan2012.simulations import execute

COUNT = 200  # random coordinates
EXACT = 1e-12  # m and direction cosines
PITCHES = [4, 7, 9, 11, 13, 15]  # q5, q8, q10, ..., q16
ABOUT = np.diag([-1.0, -1.0, 1.0, 1.0])  # Rz(pi): from x to the tail to x to the head
OTHER = {"proximal": "distal", "distal": "proximal"}


def claims(source: str) -> list[dict[str, Any]]:
    """SWD-1 and SWD-2."""
    return [agreement(source), verified(source), order(source), *as_printed(source)]


def coordinates() -> FloatArray:
    """Random q1 to q16, (COUNT, 16): places within 1 m, any angles."""
    rng = np.random.default_rng(2012)
    return np.concatenate([rng.uniform(-1.0, 1.0, (COUNT, 3)), rng.uniform(-np.pi, np.pi, (COUNT, 13))], axis=1)


def flipped(q: FloatArray) -> FloatArray:
    """All six pitches negated."""
    other = q.copy()
    other[..., PITCHES] *= -1.0
    return other


def _off(a: FloatArray, b: FloatArray) -> FloatArray:
    """Distances of the origins of frames, m."""
    return np.asarray(np.linalg.norm(a[..., :3, 3] - b[..., :3, 3], axis=-1))


def agreement(source: str) -> dict[str, Any]:
    """Do both tables give the same robot?"""
    q = coordinates()
    one, two = dh.table_1(), dh.table_2()
    last = float(np.abs(dh.total(two, q) - dh.total(one, flipped(q))).max())
    links = float(np.abs(dh.link_frames(two, q) - dh.link_frames(one, flipped(q))).max())
    plain = float(_off(dh.total(two, q), dh.total(one, q)).mean())
    return judged(
        "SWD-1a", f"{source}, Tables 1 and 2", "Two conventions give the same transformation of the whole robot and of every link.",
        f"{COUNT} random q: at most {max(last, links):.0e} apart, Table 2 taken at q with q5, q8, q10, ..., q16 negated; at the same q the "
        f"tail is {plain:.2f} m apart on average",
        [last < EXACT, links < EXACT],
        "The y axis of Table 2 points the other way, as the text says (\"oriented toward inside\"), so it counts pitch the other way.",
    )  # fmt: skip


def head_first(q: FloatArray, length: float = dh.LENGTH) -> FloatArray:
    """Frames (6, 4, 4) by MuJoCo of the paper's SimMechanics model: head first, x to the tail, origins at the head-side ends."""
    mujoco = load_mujoco()
    vectors = {"roll": "1 0 0", "pitch": "0 1 0", "yaw": "0 0 1"}
    body = '<body pos="{pos!r} 0 0">{joints}<inertial pos="{com!r} 0 0" mass="1" diaginertia="1 1 1"/>'

    def hinges(*axes: str) -> str:
        return "".join(f'<joint type="hinge" axis="{vectors[axis]}"/>' for axis in axes)

    slides = "".join(f'<joint type="slide" axis="{axis}"/>' for axis in ("0 0 1", "0 1 0", "1 0 0"))
    bodies = [body.format(pos=0.0, joints=slides + hinges("yaw", "pitch", "roll"), com=-0.5 * length)]
    bodies += [body.format(pos=length if i else 0.0, joints=hinges("yaw", "pitch"), com=0.5 * length) for i in range(5)]
    xml = f'<mujoco><compiler angle="radian"/><worldbody>{"".join(bodies)}{"</body>" * 6}</worldbody></mujoco>'
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    found = np.tile(np.eye(4), (len(q), 6, 1, 1))
    for k, row in enumerate(q):
        data.qpos[:] = row
        mujoco.mj_kinematics(model, data)
        found[k, :, :3, :3], found[k, :, :3, 3] = data.xmat[1:].reshape(-1, 3, 3), data.xpos[1:]
    found[:, 0, :3, 3] -= length * found[:, 0, :3, 0]  # the head link lies on the other side of joint 1
    return found


def _screws(q: FloatArray) -> FloatArray:
    """Frames (., 6, 4, 4) by our product of exponentials, from the tail, handed over head first with x to the tail."""
    robot, base = robots.sarrafan2012(), dh.total(dh.table_1(), q) @ ABOUT
    poses = np.stack([chain.poses(robot, g, from_paper(row[6:])) for g, row in zip(base, q, strict=True)])[:, ::-1]
    turned: FloatArray = poses @ ABOUT
    turned[..., :3, 3] += dh.LENGTH * poses[..., :3, 0]  # from the tail-side to the head-side end
    return turned


def verified(source: str) -> dict[str, Any]:
    """Do independent programs find the same frames?"""
    q = coordinates()
    frames = {"Table 1": dh.link_frames(dh.table_1(), q), "Table 2": dh.link_frames(dh.table_2(), flipped(q))}
    screws = _screws(q)
    errors = {f"{name} and screws": float(np.abs(found - screws).max()) for name, found in frames.items()}
    try:
        bodies = head_first(q)
        errors |= {f"{name} and MuJoCo": float(np.abs(found - bodies).max()) for name, found in frames.items()}
        remark = "MuJoCo stands for SimMechanics: six bodies, three slides and three hinges at the head, five pairs of hinges."
    except InputError:
        remark = "MuJoCo is not installed: screws only."
    return judged(
        "SWD-1b", f"{source}, section SimMechanics", "A multibody program confirms both tables.",
        f"{COUNT} random q, all six links, largest difference of a position (m) or direction cosine: "
        + ", ".join(f"{name} {error:.0e}" for name, error in errors.items()),
        [error < EXACT for error in errors.values()], remark,
    )  # fmt: skip


def order(source: str) -> dict[str, Any]:
    """Yaw before pitch?"""
    q = coordinates()
    q[:, :6] = 0.0
    robot = robots.sarrafan2012()
    wanted = dh.link_nodes(dh.table_1(), q)
    off = {}
    for joints in ("pitch-yaw", "universal"):  # seen from the tail: the first is yaw, then pitch, from the head
        swapped = robot.but(joints=joints)
        base = dh.total(dh.table_1(), q) @ ABOUT
        nodes = [chain.nodes(swapped, g, from_paper(row[6:])) for g, row in zip(base, q, strict=True)]
        off[joints] = float(np.linalg.norm(np.stack(nodes)[:, ::-1] - wanted, axis=-1).max(axis=1).mean())
    ways = [float(execute("0", change).metrics["com_dy"] or 0.0) for change in ((), ("robot.joints=universal",))]
    return judged(
        "SWD-1c", f"{source}, section SimMechanics", "In every universal joint the rotation about z comes before that about y.",
        f"from the head yaw, then pitch: nodes {off['pitch-yaw']:.0e} m from those of the tables; the other order: "
        f"{off['universal']:.2f} m on average. Way to the left in 60 s with delta_0 = 0: {ways[0]:+.2f} m, by the other order {ways[1]:+.2f} m",
        [off["pitch-yaw"] < EXACT, off["universal"] > 0.1],
        "The order matters: the other one mirrors the motion.",
    )  # fmt: skip


def as_printed(source: str) -> list[dict[str, Any]]:
    """The errata of the tables, each read literally."""
    q = coordinates()
    tables = (dh.table_1(), dh.table_2())
    crossed = [float(_off(dh.total(dh.DHTable(t.rows, OTHER[t.convention]), q), dh.total(t, q)).mean()) for t in tables]
    # heads a_{i-1}, alpha_{i-1} taken at their word in the distal convention: they belong to the row before
    rows = tables[1].rows
    moved = tuple(replace_row(row, rows[k + 1] if k + 1 < len(rows) else dh.Row()) for k, row in enumerate(rows))
    heads = float(_off(dh.total(dh.DHTable(moved, "distal"), q), dh.total(tables[1], q)).mean())
    one = [float(np.linalg.norm(dh.total(t, np.zeros(16))[:3, 3])) for t in (dh.table_1(1.0), dh.table_1())]
    return [
        judged(
            "SWD-2a", f"{source}, captions", "Table 1 is the (standard) Denavit-Hartenberg table, Table 2 the modified one.",
            f"read by the convention of its caption, Table 1 puts the tail {crossed[0]:.2f} m wrong on average, Table 2 {crossed[1]:.2f} m",
            [crossed[0] < EXACT, crossed[1] < EXACT],
            "The names are crossed: Table 1 follows Craig (modified, proximal), Table 2 Siciliano (standard, distal). So read, every row is right.",
        ),
        judged(
            "SWD-2b", f"{source}, Table 2", "The columns of Table 2 are a_{i-1} and alpha_{i-1}.",
            f"taken at their word: tail {heads:.2f} m wrong on average", [heads < EXACT],
            "They are a_i and alpha_i; the heads are those of Table 1.",
        ),
        judged(
            "SWD-2c", f"{source}, Tables 1 and 2", "The a columns contain the number 1.",
            f"a straight robot would reach {one[0]:.1f} m from joint 1 to its tail instead of {one[1]:.1f} m", [abs(one[0] - one[1]) < EXACT],
            "It is the letter l, the length of a link, 0.2 m.",
        ),
        judged(
            "SWD-2d", f"{source}, Tables 1 and 2", "The total transformation spans the robot of six links.",
            f"five lengths: {one[1]:.1f} m of {robots.sarrafan2012().length:.1f} m at q = 0",
            [abs(one[1] - robots.sarrafan2012().length) < EXACT],
            "Joint 1 lies at the head's frame; the head link itself is on the other side of it and has to be added.",
        ),
    ]  # fmt: skip


def replace_row(row: dh.Row, following: dh.Row) -> dh.Row:
    """A row with link length and twist of the row after it."""
    return row._replace(a=following.a, alpha=following.alpha)
