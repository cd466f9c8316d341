"""Following: the published two-link example, no overshoot, settling, advance to the goal, clearance of links, refusals."""

from __future__ import annotations

import numpy as np
import pytest

from serpenoid.core.errors import InputError
from serpenoid.planning import Map, PlannedPath, find_path, follow, laid, maps, settle
from serpenoid.planning.cells import link_gaps
from serpenoid.planning.posture import joints_of, laid_back
from serpenoid.planning.settling import FORWARD, Links, Polyline, SettleRule, turn
from serpenoid.robots import rods

LENGTH = 1e-12  # relative: every link in every posture
UP = np.pi / 2


@pytest.fixture(scope="module")
def path() -> PlannedPath:
    return find_path(maps.read("two-walls"), (6.0, 8.0), (54.0, 52.0))


@pytest.mark.parametrize(("cap_deg", "turns"), [(5.0, 23), (1.0, 97)])
def test_two_links_settle_as_in_the_reference(path: PlannedPath, cap_deg: float, turns: int) -> None:
    got = settle(path, [5.0, 5.0], [UP, UP], cap=np.deg2rad(cap_deg), tol=0.3, project=False)
    assert got.turns == turns and got.settled.all() and got.off_path.max() <= 0.3
    if cap_deg == 5.0:
        assert got.off_path[0] == pytest.approx(0.014, abs=5e-4)


@pytest.mark.parametrize("project", [True, False])
def test_six_links_from_a_vertical_chain(path: PlannedPath, project: bool) -> None:
    got = settle(path, np.full(6, 5.0), np.full(6, UP), tol=0.3, project=project)
    assert got.settled.all() and 20 < got.turns < 1000
    size = np.hypot(*np.diff(got.joints, axis=0).T)
    assert np.abs(size / 5.0 - 1.0).max() < LENGTH


def test_a_turn_never_passes_the_direction_of_c(path: PlannedPath) -> None:
    """Turns of a single link keep their sign, are at most E, and bring the tip nearer each time."""
    rng = np.random.default_rng(5)
    points, arc, size = path.points, path.arc, np.array([5.0])
    for heading in rng.uniform(-np.pi, np.pi, 40):
        joints, angles, index = np.zeros((2, 2)), np.array([heading]), np.zeros(1, np.int64)
        joints[0] = points[30]
        joints[1] = joints[0] + 5.0 * np.array([np.cos(heading), np.sin(heading)])
        line, links = Polyline(points, arc, 30), Links(joints, angles, size, index)
        rule = SettleRule(0.1, 0.3, FORWARD, False)
        last, signs = 0.0, set()
        for _ in range(200):
            before = joints[1].copy()
            last = turn(line, links, 0, rule, last)
            if last == 0.0:
                break
            target = points[index[0]]
            assert abs(last) <= 0.1 + 1e-15
            assert np.hypot(*(joints[1] - target)) < np.hypot(*(before - target))
            a, b = joints[1] - joints[0], target - joints[0]
            past = (a[0] * b[1] - a[1] * b[0]) * np.sign(last)
            assert past > -1e-12  # C's direction is not passed
            signs.add(np.sign(last))
        assert last == 0.0 and np.hypot(*(points[30:] - joints[1]).T).min() <= 0.3 and len(signs) <= 1


def test_six_links_go_to_the_goal(path: PlannedPath) -> None:
    for project in (True, False):
        got = follow(path, np.full(6, 5.0), tol=0.3, project=project)
        assert got.status == "reached" and got.unsettled == {} and got.head_to_goal < 0.35
        assert got.off_path.max() <= 0.3 and got.length_error < LENGTH and got.link_clearance > 3.0
        assert np.array_equal(got.joints[0, 0], (6.0, 8.0)) and got.warnings == ()


def test_the_literal_search_breaks_when_the_robot_has_moved(path: PlannedPath) -> None:
    got = follow(path, np.full(6, 5.0), tol=0.3, search="literal", project=False)
    assert got.status == "stalled" and len(got.unsettled) > 20 and got.head_to_goal > 20.0
    assert "do not settle" in got.reason


@pytest.mark.parametrize(("links", "size"), [(6, 4.5), (15, 2.0), (30, 3.0), (1, 4.0)])
def test_no_link_overlaps_a_wall_of_the_maze(links: int, size: float) -> None:
    maze = maps.read("maze")
    assert maze.goal is not None and maze.start is not None
    got = follow(find_path(maze, maze.start, maze.goal), np.full(links, size))
    assert got.unsettled == {} and got.link_clearance > 0.5 and got.head_to_goal < 0.2 and got.warnings == ()
    samples = np.linspace(0.0, 1.0, 40)[:, None]
    for posture in got.joints[::7]:  # a second opinion: no point of a link lies in a wall cell
        for a, b in zip(posture[:-1], posture[1:], strict=True):
            i, j = np.floor(a + samples * (b - a) + 0.5).astype(int).T
            assert not maze.walls[i, j].any()


def test_long_links_are_told_of_and_where() -> None:
    maze = maps.read("maze")
    got = follow(find_path(maze, (5.0, 5.0), (65.0, 45.0)), np.full(6, 7.0))
    assert any(
        "exceed half the corridor's width (9 cells at its narrowest) from (5, 5) cells" in text for text in got.warnings
    )
    assert got.link_clearance == 0.0 and any("overlaps a wall near" in text for text in got.warnings)
    wide = follow(find_path(maze, (5.0, 5.0), (65.0, 45.0)), np.full(6, 4.5), half_width=2.0)
    assert wide.link_clearance < 0.0 and "overlaps a wall" in wide.warnings[0]


def test_clearance_of_links_against_sampling() -> None:
    """Distance of points on the link to all wall squares, finely sampled; from above, and near."""
    rng = np.random.default_rng(8)
    walls = maps.closed(rng.random((24, 18)) < 0.06)
    squares = np.argwhere(walls)
    ends = rng.uniform(1.0, 17.0, (60, 2, 2))
    got = link_gaps(walls, ends)[:, 0]
    share = np.linspace(0.0, 1.0, 801)[:, None]
    for (a, b), gap in zip(ends, got, strict=True):
        far = np.maximum(np.abs((a + share * (b - a))[:, None] - squares) - 0.5, 0.0)
        sampled = np.hypot(far[..., 0], far[..., 1]).min()
        assert gap <= sampled + 1e-12 and sampled - gap < 0.02
    assert (got == 0.0).any() and (got > 0.3).any()


def test_laid_bodies_have_every_joint_on_the_path(path: PlannedPath) -> None:
    sizes = np.array([5.0, 2.5, 4.0, 7.0])
    for arcs in (laid(path, sizes, 13.7), laid_back(path, sizes)):
        joints = path.at(arcs)
        assert np.abs(np.hypot(*np.diff(joints, axis=0).T) / sizes - 1.0).max() < LENGTH
        assert (np.diff(arcs) >= sizes * (1.0 - 1e-12)).all()
    assert laid_back(path, sizes)[-1] == path.length


def test_following_approaches_the_laid_body(path: PlannedPath) -> None:
    sizes = np.full(8, 3.0)
    got = follow(path, sizes, tol=1e-4)
    for k in (0, 20, len(got.base) - 1):
        base = min(got.base[k], laid_back(path, sizes)[0])
        assert np.abs(got.joints[k] - path.at(laid(path, sizes, base))).max() < 3e-3
    assert np.allclose(joints_of(got.joints[:, 0], got.headings, sizes), got.joints)
    assert got.joint_angles.shape == (len(got.base), 7) and np.abs(got.joint_angles).max() < 1.2


def test_base_beside_the_path_and_any_first_posture(path: PlannedPath) -> None:
    rng = np.random.default_rng(3)
    got = follow(path, np.full(5, 4.0), base=(7.5, 7.0), headings=rng.uniform(0.0, 1.5, 5))
    assert np.array_equal(got.joints[0, 0], (7.5, 7.0)) and got.head_to_goal < 0.1
    assert set(got.unsettled) <= {0}  # from beside the path a joint angle may be too far; then all settle


def test_a_robot_brings_its_lengths_and_width() -> None:
    robot = rods(links=10, length=3.0).but(radius=0.05)
    area = maps.read("maze", cell=0.1)
    route = find_path(area, (0.5, 0.5), (6.5, 4.5), robot=robot)
    got = follow(route, robot)
    assert got.lengths.tolist() == [0.3] * 10 and got.half_width == 0.05 and got.link_clearance > 0.0
    bare = follow(route, robot.link_length)
    assert bare.link_clearance == pytest.approx(got.link_clearance + 0.05)


def test_corridor_that_leaves_the_range_of_a_double() -> None:
    area = maps.read("corridor")
    assert area.start is not None and area.goal is not None
    route = find_path(area, area.start, area.goal)
    assert route.u_start == 0.0 and route.ln_u_start < -900.0
    got = follow(route, np.full(8, 2.5))
    assert got.unsettled == {} and got.link_clearance > 0.0 and got.length_error < LENGTH


BAD = [
    ({"cap": 0.0}, "cap E must be"), ({"cap": np.pi}, "cap E must be"), ({"cap": np.nan}, "cap must be finite"),
    ({"tol": 0.0}, "tol must be"), ({"tol": 0.2, "project": False}, "below half the path's spacing"),
    ({"base": (30.0, 8.0)}, "farther than its link"), ({"search": "random"}, "forward, literal"),
    ({"headings": [0.0]}, "headings has 1"), ({"headings": np.full(6, np.nan)}, "headings must be finite"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "says"), BAD)
def test_bad_settings(path: PlannedPath, options: dict[str, object], says: str) -> None:
    with pytest.raises(InputError, match=says):
        follow(path, np.full(6, 5.0), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("lengths", "says"),
    [([0.0, 5.0], "link length must be"), ([-1.0], "link length must be"), ([0.9, 5.0], "twice the path's spacing"), ([], "body must be a Robot or finite numbers"),
     (np.full(30, 5.0), "longer than the path"), (np.full(5, np.nan), "finite")],
)  # fmt: skip
def test_bad_bodies(path: PlannedPath, lengths: object, says: str) -> None:
    with pytest.raises(InputError, match=says):
        follow(path, lengths)  # type: ignore[arg-type]


def test_no_path_no_following() -> None:
    area = Map(maps.from_text("#######\n#..#..#\n#..#..#\n#######").walls)
    with pytest.raises(InputError, match="unreachable"):
        follow(find_path(area, (1.0, 1.0), (5.0, 1.0)), [1.0])
