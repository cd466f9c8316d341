"""Kinematics in three dimensions: two Denavit-Hartenberg tables, product of exponentials and MuJoCo agree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import serpenoid as sp
from cases import random_robot
from serpenoid.core.errors import InputError
from serpenoid.core.robot import JOINTS
from serpenoid.frames import screw_exponential
from serpenoid.peers.mujoco_model import load_mujoco
from serpenoid.robots.sarrafan2012 import from_paper
from serpenoid.spatial import dh
from serpenoid.spatial import exponentials as chain

SEED = st.integers(0, 2**32 - 1)
EXACT = 1e-12  # m and rad
PITCHES = [4, 7, 9, 11, 13, 15]  # q5, q8, q10, ..., q16
ABOUT = np.diag([-1.0, -1.0, 1.0, 1.0])  # Rz(pi): from x to the tail to x to the head
BODY = '<body pos="{pos!r} 0 0">{joints}<inertial pos="{com!r} 0 0" mass="1" diaginertia="1 1 1"/>'


def random_q(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return np.concatenate([rng.uniform(-1, 1, (*shape, 3)), rng.uniform(-np.pi, np.pi, (*shape, 13))], axis=-1)


def random_base(rng: np.random.Generator, far: float = 2.0) -> np.ndarray:
    base = np.eye(4)
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    base[:3, :3] = Q * np.sign(np.linalg.det(Q))
    base[:3, 3] = rng.uniform(-far, far, 3)
    return base


def random_case(rng: np.random.Generator, joints: str) -> tuple[sp.Robot, np.ndarray, np.ndarray]:
    """Unequal links, some joints locked, and angles of any size (of axes that joints lack: zero)."""
    robot = random_robot(rng, 2, 9)
    some = tuple(int(j) for j in range(1, robot.links) if rng.random() < 0.2)
    robot = robot.but(joints=joints, locked=some)
    return robot, random_base(rng), random_angles(rng, robot)


def random_angles(rng: np.random.Generator, robot: sp.Robot) -> np.ndarray:
    angles = rng.uniform(-np.pi, np.pi, (robot.links - 1, 2))
    for j in range(1, robot.links):
        for axis, column in chain.COLUMNS.items():
            if axis not in chain.axes_of(robot, j):
                angles[j - 1, column] = 0.0
    return angles


def hinges(*axes: str) -> str:
    vectors = {"roll": "1 0 0", "pitch": "0 1 0", "yaw": "0 0 1"}
    return "".join(f'<joint type="hinge" axis="{vectors[axis]}"/>' for axis in axes)


def mujoco_of(bodies: list[str]):
    mujoco = load_mujoco()
    xml = f"<worldbody>{''.join(bodies)}{'</body>' * len(bodies)}</worldbody>"
    model = mujoco.MjModel.from_xml_string(f'<mujoco><compiler angle="radian"/>{xml}</mujoco>')
    return mujoco, model, mujoco.MjData(model)


def mujoco_poses(data) -> np.ndarray:
    made = np.tile(np.eye(4), (len(data.xpos) - 1, 1, 1))
    made[:, :3, :3], made[:, :3, 3] = data.xmat[1:].reshape(-1, 3, 3), data.xpos[1:]
    return made


def mujoco_twin(robot: sp.Robot, base: np.ndarray, angles: np.ndarray):
    """A robot as MuJoCo sees it: a free body, then hinges in the words of the robot, and nothing at locked joints."""
    axes = {
        "yaw": lambda j: ["yaw"],
        "pitch": lambda j: ["pitch"],
        "alternating": lambda j: ["yaw"] if j % 2 else ["pitch"],
        "universal": lambda j: ["yaw", "pitch"],
        "pitch-yaw": lambda j: ["pitch", "yaw"],
    }[robot.joints]
    bodies, q = [], []
    for i in range(robot.links):
        own = [] if i == 0 or i in robot.locked else axes(i)
        q += [angles[i - 1, {"yaw": 0, "pitch": 1}[axis]] for axis in own]
        joints = "<freejoint/>" if i == 0 else hinges(*own)
        place = float(robot.link_length[i - 1]) if i else 0.0
        bodies.append(BODY.format(pos=place, joints=joints, com=float(robot.com_offset[i])))
    mujoco, model, data = mujoco_of(bodies)
    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, base[:3, :3].ravel())
    data.qpos[:] = np.concatenate([base[:3, 3], quaternion, q])
    mujoco.mj_forward(model, data)
    return mujoco, model, data


def mujoco_head_first(q: np.ndarray, length: float = 0.2) -> np.ndarray:
    """The six bodies of the paper's SimMechanics model, head first, x to the tail; origins at the head-side ends."""
    slides = "".join(f'<joint type="slide" axis="{axis}"/>' for axis in ("0 0 1", "0 1 0", "1 0 0"))
    head = BODY.format(pos=0.0, joints=slides + hinges("yaw", "pitch", "roll"), com=-0.5 * length)
    links = [BODY.format(pos=length if i else 0.0, joints=hinges("yaw", "pitch"), com=0.5 * length) for i in range(5)]
    mujoco, model, data = mujoco_of([head, *links])
    data.qpos[:] = q
    mujoco.mj_forward(model, data)
    found = mujoco_poses(data)
    found[0, :3, 3] -= length * found[0, :3, 0]  # the head lies on the other side of joint 1
    return found


def flipped(q: np.ndarray) -> np.ndarray:
    """All pitches negated."""
    other = q.copy()
    other[..., PITCHES] *= -1.0
    return other


def closed_form(q: np.ndarray, length: float = 0.2) -> np.ndarray:
    """Trans(q3, q2, q1) Rz(q4) Ry(q5) Rx(q6) prod Rz Ry TransX(l)."""

    def turn(axis: int, angle: float) -> np.ndarray:
        made = np.eye(4)
        i, j = (axis + 1) % 3, (axis + 2) % 3
        made[i, i] = made[j, j] = np.cos(angle)
        made[j, i], made[i, j] = np.sin(angle), -np.sin(angle)
        return made

    along, made = np.eye(4), np.eye(4)
    along[0, 3] = length
    made[:3, 3] = q[2], q[1], q[0]
    made = made @ turn(2, q[3]) @ turn(1, q[4]) @ turn(0, q[5])
    for k in range(6, 16, 2):
        made = made @ turn(2, q[k]) @ turn(1, q[k + 1]) @ along
    return made


@pytest.mark.parametrize("length", [0.2, 0.37])
@given(SEED)
def test_both_tables_are_the_product_of_exponentials_and_mujoco(length: float, seed: int) -> None:
    """Position and orientation of all six links, three ways; Table 2 counts pitch the other way."""
    q = random_q(np.random.default_rng(seed))
    robot = sp.robots.sarrafan2012(link_length=length)
    wanted = mujoco_head_first(q, length)
    for table, own in ((dh.table_1(length), q), (dh.table_2(length), flipped(q))):
        assert np.abs(dh.link_frames(table, own) - wanted).max() < EXACT
        assert np.abs(dh.total(table, own) - closed_form(q, length)).max() < EXACT
        nodes = dh.link_nodes(table, own)
        assert np.abs(np.linalg.norm(np.diff(nodes, axis=0), axis=1) - length).max() < EXACT

        # ours: from the tail, x to the head, origins at the tail-side ends
        base, angles = dh.total(table, own) @ ABOUT, from_paper(q[6:])
        poses = chain.poses(robot, base, angles)
        assert np.abs(chain.nodes(robot, base, angles)[::-1] - nodes).max() < EXACT
        assert np.abs(poses[::-1, :3, :3] - wanted[:, :3, :3] @ ABOUT[:3, :3]).max() < EXACT
        _, _, data = mujoco_twin(robot, base, angles)
        assert np.abs(mujoco_poses(data) - poses).max() < EXACT


@given(SEED)
def test_table_two_is_table_one_with_pitches_negated(seed: int) -> None:
    q = random_q(np.random.default_rng(seed), 3, 2)
    one, two = dh.table_1(), dh.table_2()
    assert np.abs(dh.total(two, q) - dh.total(one, flipped(q))).max() < EXACT
    assert np.abs(dh.link_nodes(two, q) - dh.link_nodes(one, flipped(q))).max() < EXACT
    assert np.abs(dh.link_nodes(two, q) - dh.link_nodes(one, q)).max() > 0.01


def test_names_of_the_conventions_are_crossed_in_the_paper() -> None:
    """Read by the other convention, each table misses the tail by about a metre; by chance a few come close."""
    q = random_q(np.random.default_rng(4), 1000)
    for table in (dh.table_1(), dh.table_2()):
        other = dh.DHTable(table.rows, {"proximal": "distal", "distal": "proximal"}[table.convention])
        off = np.linalg.norm(dh.total(table, q)[:, :3, 3] - dh.total(other, q)[:, :3, 3], axis=1)
        assert off.mean() > 0.8 and np.quantile(off, 0.01) > 0.1


def test_straight_posture() -> None:
    """Frame 0 to the last: five links; with the head's own, six, from x = -l to 5 l along x."""
    for table, rows in ((dh.table_1(), 17), (dh.table_2(), 16)):
        zero = np.zeros(16)
        straight = np.eye(4)
        straight[0, 3] = 1.0
        assert dh.frames(table, zero).shape == (rows + 1, 4, 4)
        assert np.abs(dh.total(table, zero) - straight).max() < EXACT
        nodes = dh.link_nodes(table, zero)
        assert np.abs(nodes - np.outer(np.arange(-1, 6) * 0.2, [1, 0, 0])).max() < EXACT
        assert np.linalg.norm(nodes[-1] - nodes[0]) == pytest.approx(1.2, abs=EXACT)
    assert np.abs(dh.total(dh.table_1(), np.eye(16)[:3])[:, :3, 3] - [[1, 0, 1], [1, 1, 0], [2, 0, 0]]).max() < EXACT


def test_frames_are_products_of_rows_and_batches_are_loops() -> None:
    q = random_q(np.random.default_rng(1), 2, 3)
    for table in (dh.table_1(), dh.table_2()):
        found = dh.frames(table, q)
        assert np.array_equal(found[1, 2], dh.frames(table, q[1, 2]))
        for i, row in enumerate(table.rows):
            own = dh.transform(row, table.convention, q[..., row.q - 1] if row.q else 0.0)
            assert np.abs(found[..., i, :, :] @ own - found[..., i + 1, :, :]).max() < EXACT
    assert np.array_equal(from_paper(q[..., 6:])[1, 2], from_paper(q[1, 2, 6:]))


@pytest.mark.parametrize("joints", JOINTS)
@given(SEED)
def test_poses_and_jacobians_are_mujocos(joints: str, seed: int) -> None:
    robot, base, angles = random_case(np.random.default_rng(seed), joints)
    mujoco, model, data = mujoco_twin(robot, base, angles)
    assert model.nv == 6 + len(chain.dofs(robot))
    assert np.abs(mujoco_poses(data) - chain.poses(robot, base, angles)).max() < EXACT
    ours = chain.jacobians(robot, base, angles)
    for i in range(robot.links):
        linear, angular = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        mujoco.mj_jac(model, data, linear, angular, data.xipos[i + 1], i + 1)
        theirs = np.vstack([angular, linear])
        # a free body of MuJoCo: velocity first, in world axes, then angular velocity in its own axes
        theirs[:, :6] = np.hstack([theirs[:, 3:6] @ base[:3, :3].T, theirs[:, :3]])
        assert np.abs(ours[i] - theirs).max() < EXACT


@pytest.mark.parametrize("joints", JOINTS)
@given(SEED)
def test_velocities_are_rates_of_change(joints: str, seed: int) -> None:
    """Central differences of the poses along a motion; error h^2."""
    rng = np.random.default_rng(seed)
    robot, base, angles = random_case(rng, joints)
    twist, rates, h = rng.normal(size=6), random_angles(rng, robot), 1e-5

    def after(t: float) -> tuple[np.ndarray, np.ndarray]:
        moved = np.eye(4)
        speed = np.linalg.norm(twist[:3])
        turn = screw_exponential(np.concatenate([twist[:3] / speed, np.zeros(3)]), speed * t)
        moved[:3, :3], moved[:3, 3] = turn[:3, :3] @ base[:3, :3], base[:3, 3] + t * twist[3:]
        poses = chain.poses(robot, moved, angles + t * rates)
        return poses[:, :3, :3], poses[:, :3, 3] + robot.com_offset[:, None] * poses[:, :3, 0]

    (R1, p1), (R0, p0), R = after(h), after(-h), after(0.0)[0]
    spin = (R1 - R0) / (2 * h) @ np.swapaxes(R, 1, 2)
    found = chain.velocities(robot, base, angles, twist, rates)
    assert np.abs(found[:, 3:] - (p1 - p0) / (2 * h)).max() < 1e-6
    assert np.abs(found[:, :3] - np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1)).max() < 1e-6
    own = np.concatenate([twist, chain.coordinates(robot, rates)])
    assert np.array_equal(found, chain.jacobians(robot, base, angles) @ own)


def test_degrees_of_freedom_and_signs() -> None:
    """Order of joints and axes; positive yaw turns left, positive pitch is nose down; locked joints do not move."""
    made = {kind: sp.robots.rods(4, 4.0, joints=kind) for kind in JOINTS}
    assert chain.dofs(made["alternating"]) == [(1, "yaw"), (2, "pitch"), (3, "yaw")]
    assert chain.dofs(made["universal"])[:3] == [(1, "yaw"), (1, "pitch"), (2, "yaw")]
    assert chain.dofs(made["pitch-yaw"].but(locked=(1, 3))) == [(2, "pitch"), (2, "yaw")]
    right = 0.5 * np.pi
    yawed = chain.nodes(made["yaw"], np.eye(4), [right, 0, 0])
    assert yawed == pytest.approx(np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 2, 0], [1, 3, 0]]), abs=EXACT)
    pitched = chain.nodes(made["pitch"], np.eye(4), [[0, right], [0, 0], [0, 0]])
    assert pitched == pytest.approx(np.array([[0, 0, 0], [1, 0, 0], [1, 0, -1], [1, 0, -2], [1, 0, -3]]), abs=EXACT)
    both = [[right, right], [0, 0], [0, 0]]
    assert chain.nodes(made["universal"], np.eye(4), both)[2] == pytest.approx([1, 0, -1], abs=EXACT)
    assert chain.nodes(made["pitch-yaw"], np.eye(4), both)[2] == pytest.approx([1, 1, 0], abs=EXACT)
    stuck = made["yaw"].but(locked=(1, 2, 3))
    assert np.array_equal(chain.poses(stuck, np.eye(4), [1, 2, 3])[:, :3, :3], np.tile(np.eye(3), (4, 1, 1)))
    assert chain.jacobians(stuck, np.eye(4), [1, 2, 3]).shape == (4, 6, 6)


def test_far_from_the_origin_jacobians_keep_their_digits() -> None:
    rng = np.random.default_rng(3)
    robot, base, angles = random_case(rng, "universal")
    far = base.copy()
    far[:3, 3] += 1e6
    assert np.array_equal(chain.jacobians(robot, base, angles), chain.jacobians(robot, far, angles))


def test_robot_of_the_paper() -> None:
    robot = sp.robots.sarrafan2012()
    assert (robot.links, robot.length, robot.mass) == (6, pytest.approx(1.2), pytest.approx(1.8))
    assert robot.link_inertia == pytest.approx(np.full(6, 0.3 * (3 * 0.015**2 + 0.2**2) / 12))
    assert robot.axial_inertia == pytest.approx(np.full(6, 0.5 * 0.3 * 0.015**2))
    assert len(chain.dofs(robot)) == 10 and robot.source and robot.name in sp.robots.ROBOTS
    other = sp.robots.sarrafan2012(3, 0.05, link_length=[0.1, 0.2, 0.3], link_mass=1.0)
    assert other.com_offset == pytest.approx([0.05, 0.1, 0.15]) and other.radius == pytest.approx([0.05] * 3)
    assert other.link_inertia == pytest.approx((3 * 0.05**2 + np.array([0.01, 0.04, 0.09])) / 12)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: dh.total(dh.table_1(), np.zeros(10)),
        lambda: dh.total(dh.table_1(), 0.0),
        lambda: dh.frames(dh.table_2(), np.full(16, np.nan)),
        lambda: dh.frames(dh.table_2(), "straight"),
        lambda: dh.table_1(-0.2),
        lambda: dh.DHTable((), "modified"),
        lambda: dh.link_nodes(dh.DHTable(dh.table_1().rows[:8], "proximal"), np.zeros(8)),
        lambda: from_paper(np.zeros(16)),
        lambda: from_paper("straight"),
        lambda: chain.poses(sp.robots.universal(4), np.eye(4), np.zeros(3)),
        lambda: chain.poses(sp.robots.universal(4), np.eye(3), np.zeros((3, 2))),
        lambda: chain.poses(sp.robots.universal(4), np.diag([1.0, 1.0, -1.0, 1.0]), np.zeros((3, 2))),
        lambda: chain.poses(sp.robots.universal(4), np.eye(4), np.full((3, 2), np.inf)),
        lambda: chain.poses(sp.robots.alternating(4), np.eye(4), np.ones((3, 2))),
        lambda: chain.poses(sp.robots.alternating(4), np.eye(4), [[1], [1, 2], [3]]),
        lambda: chain.velocities(sp.robots.rods(3), np.eye(4), [0, 0], np.zeros(3), [0, 0]),
        lambda: sp.robots.sarrafan2012("six"),
        lambda: sp.robots.sarrafan2012(radius=-1.0),
        lambda: sp.robots.sarrafan2012(link_length="long"),
    ],
)  # fmt: skip
def test_what_has_the_wrong_shape_is_refused(wrong) -> None:
    with pytest.raises(InputError):
        wrong()
