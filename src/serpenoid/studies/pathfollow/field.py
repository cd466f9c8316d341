"""The field and the path down it: equations (2) and (3), local minima, and how many digits they need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.core.checks import FloatArray
from serpenoid.planning import HarmonicField, Map, PlannedPath, find_path, maps, path_from, solve
from serpenoid.studies.claims import judged

SOURCE = "Fragment, author unknown"
CONNECTED = 4  # neighbours of a node
STARTS = {True: 60, False: 1000}  # random starts on each map, quick and whole
RELATIVE = 1e-12  # of u
COARSE = 1e-6  # change of Phi at which an iteration may be stopped
MOST_SWEEPS = 100_000
ASTRAY = np.radians(90.0)  # a step farther from the descent than this climbs


@dataclass(frozen=True)
class FieldGround:
    """The two-wall map of the study with its field and path."""

    map: Map
    field: HarmonicField
    path: PlannedPath


def ground() -> FieldGround:
    """Solve it."""
    area = maps.read("two-walls")
    assert area.start is not None and area.goal is not None
    field = solve(area, area.goal)
    return FieldGround(area, field, path_from(field, area.start))


def long_double(field: HarmonicField) -> FloatArray:
    """u by elimination within the band in long double, (nx, ny): the reference for the relative error."""
    nx, ny = field.reach.shape
    wide, inner, goal = ny + 1, unknown(field).ravel(), int(field.goals[0] @ (ny, 1))
    band, u = np.zeros((nx * ny + wide, wide), np.longdouble), np.zeros(nx * ny + wide, np.longdouble)
    band[:, 0] = 1
    band[: nx * ny, 0][inner] = CONNECTED
    for shift in (1, ny):
        band[: nx * ny - shift, shift][inner[:-shift] & inner[shift:]] = -1
        u[goal - shift], u[goal + shift] = inner[goal - shift], inner[goal + shift]
    flat, size = band.reshape(-1), band.itemsize
    for k in np.flatnonzero(inner):
        row = band[k]
        share = row[1:] / row[0]
        # the block of rows k+1 .. k+ny within the band, as a square
        block = np.lib.stride_tricks.as_strided(flat[(k + 1) * wide :], (ny, ny), (ny * size, size))
        block -= np.triu(np.outer(share, row[1:]))
        u[k + 1 : k + wide] -= share * u[k]
    for k in np.flatnonzero(inner)[::-1]:
        u[k] = (u[k] - band[k, 1:] @ u[k + 1 : k + wide]) / band[k, 0]
    u[goal] = 1
    return np.asarray(np.where(field.reach, u[: nx * ny].reshape(nx, ny), 0))


def downhill(phi: FloatArray) -> FloatArray:
    """Direction (3) of the steepest descent at the inner nodes, rad, y first: two arguments."""
    return np.arctan2(phi[1:-1, :-2] - phi[1:-1, 2:], phi[:-2, 1:-1] - phi[2:, 1:-1])


def quotient(phi: FloatArray) -> FloatArray:
    """Direction (3) as printed, of one fraction, rad."""
    up, right = phi[1:-1, :-2] - phi[1:-1, 2:], phi[:-2, 1:-1] - phi[2:, 1:-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(np.arctan(up / right))


def between(a: FloatArray, b: FloatArray) -> FloatArray:
    """Angle between directions, 0 to pi rad."""
    return np.abs(np.angle(np.exp(1j * (a - b))))


def relaxed(field: HarmonicField, least: float) -> tuple[FloatArray, int]:
    """Phi by successive over-relaxation of (2) from Phi = 1 until no value changes by `least`, and the sweeps."""
    phi, inside = np.ones(field.reach.shape), unknown(field)
    phi[tuple(field.goals.T)] = 0.0
    omega = 2.0 / (1.0 + np.sin(np.pi / max(phi.shape)))
    odd = np.indices(phi.shape).sum(axis=0) % 2
    most, sweeps = np.inf, 0
    while most >= least and sweeps < MOST_SWEEPS:
        most, sweeps = 0.0, sweeps + 1
        for colour in (0, 1):
            here = inside & (odd == colour)
            mean = np.zeros_like(phi)
            mean[1:-1, 1:-1] = (phi[2:, 1:-1] + phi[:-2, 1:-1] + phi[1:-1, 2:] + phi[1:-1, :-2]) / CONNECTED
            change = omega * np.where(here, mean - phi, 0.0)
            phi += change
            most = max(most, float(np.abs(change).max()))
    return phi, sweeps


def unknown(field: HarmonicField) -> NDArray[np.bool_]:
    """Free nodes that are no goal, (nx, ny)."""
    inner = field.reach.copy()
    inner[tuple(field.goals.T)] = False
    return inner


def astray(phi: FloatArray, field: HarmonicField) -> float:
    """Share of the free nodes at which (3) on these values has no direction, or one that climbs."""
    flat = (phi[1:-1, :-2] == phi[1:-1, 2:]) & (phi[:-2, 1:-1] == phi[2:, 1:-1])
    wrong = between(downhill(phi), scaled_direction(field)) > ASTRAY
    return float((flat | wrong)[unknown(field)[1:-1, 1:-1]].mean())


def scaled_direction(field: HarmonicField) -> FloatArray:
    """(3) from u itself."""
    return downhill(-field.u)


def minima(field: HarmonicField) -> int:
    """Free nodes other than goals with no neighbour of larger u."""
    best = np.max([np.roll(field.ln_u, shift, axis) for axis in (0, 1) for shift in (1, -1)], axis=0)
    return int((unknown(field) & (best <= field.ln_u)).sum())


def arrivals(field: HarmonicField, count: int, rng: np.random.Generator) -> tuple[int, int]:
    """Of `count` random starts within free cells: how many arrive, and how many path points lie in a wall cell."""
    nodes = np.argwhere(unknown(field))
    chosen = nodes[rng.integers(0, len(nodes), count)] + rng.uniform(-0.49, 0.49, (count, 2))
    arrived = inside = 0
    for start in chosen:
        found = path_from(field, start * field.map.cell)
        arrived += found.status == "reached"
        i, j = np.floor(found.points / field.map.cell + 0.5).astype(int).T
        inside += int(field.map.solid[i, j].sum())
    return arrived, inside


def value(grid: FloatArray, points: FloatArray) -> FloatArray:
    """Values at points (k, 2) between nodes, in cells, bilinear."""
    i, j = np.floor(points).astype(int).T
    s, t = (points - np.floor(points)).T
    along = (1.0 - s) * grid[i, j] + s * grid[i + 1, j], (1.0 - s) * grid[i, j + 1] + s * grid[i + 1, j + 1]
    return np.asarray((1.0 - t) * along[0] + t * along[1])


def blended(phi: FloatArray, points: FloatArray) -> FloatArray:
    """Direction of the descent at points between nodes (cells), rad, from the four gradients round each."""
    return np.asarray(np.arctan2(-value(np.gradient(phi, axis=1), points), -value(np.gradient(phi, axis=0), points)))


def descends(alpha: FloatArray, field: HarmonicField) -> float:
    """Share of the free nodes at which a short step along alpha lowers Phi and the one back raises it."""
    nodes = np.argwhere(unknown(field))
    here, way = field.u[tuple(nodes.T)], alpha[tuple(nodes.T - 1)]
    step = 0.05 * np.stack([np.cos(way), np.sin(way)], axis=1)
    return float(((value(field.u, nodes + step) > here) & (value(field.u, nodes - step) < here)).mean())


def claims(found: FieldGround, quick: bool) -> list[dict[str, Any]]:
    """All claims on field and path."""
    return [*equation_2(found), no_minima(quick), *equation_3(found), points(found)]


def equation_2(found: FieldGround) -> list[dict[str, Any]]:
    """(2), its boundary values, and its accuracy."""
    true = long_double(found.field)
    error = float(np.abs(found.field.u[found.field.reach] / true[found.field.reach] - 1.0).max())
    residual = found.field.residual()[1]
    start = np.rint(np.asarray(found.map.start)).astype(int)
    area, other = found.map, find_path(found.map, found.map.start, found.map.goal, walls="neumann")  # type: ignore[arg-type]
    return [
        judged("PTH-1a", f"{SOURCE}, (2)", "The boundary conditions give Phi at every node by (2): each value is the mean of its four neighbours.",
               f"{area.walls.shape[0]} x {area.walls.shape[1]} nodes: residual {residual:.0e} of u = 1 - Phi, error {error:.0e} against elimination in long double, both relative to u; u = {found.field.u[tuple(start)]:.4e} at the start",
               [residual < 1e-14, error < RELATIVE]),
        judged("PTH-1b", f"{SOURCE}, (1) and the boundary conditions", "The boundary conditions, as far as the text is left, fix the field and so the path.",
               f"walls Phi = 1, goal 0: {found.path.status}, {found.path.length:.1f} cells, {found.path.min_clearance:.2f} from the nearest wall node; "
               f"reflecting walls, start 1, goal 0: {other.status}, {other.length:.1f} cells, {other.min_clearance:.2f} from it",
               [found.path.status == "reached", other.status == "reached", abs(other.length - found.path.length) < 1.0],
               "Equation (1) and the boundary values are lost. Both usual choices lead to the goal; fixed values keep farther from walls and need no start, and are taken here."),
    ]  # fmt: skip


def no_minima(quick: bool) -> dict[str, Any]:
    """The maximum principle, on every bundled map."""
    rng, told, good, found = np.random.default_rng(0), [], [], 0
    for name in maps.bundled():
        area = maps.read(name)
        field = solve(area, area.goal)  # type: ignore[arg-type]
        pits, count = minima(field), STARTS[quick]
        found += pits
        arrived, inside = arrivals(field, count, rng)
        told.append(f"{name} {arrived} of {count}")
        good.append(pits == 0 and arrived == count and inside == 0)
    return judged("PTH-1c", f"{SOURCE}, section 2", "A field by (2) has no local minimum: the descent ends at the goal from everywhere.",
                  f"nodes with no lower neighbour {found}; random starts that arrive, none through a wall: {', '.join(told)}",
                  good, reason_if_fails="A map with a pit, a start that does not arrive, or a path through a wall.")  # fmt: skip


def equation_3(found: FieldGround) -> list[dict[str, Any]]:
    """(3): its sign, its fraction, its digits."""
    field, phi = found.field, 1.0 - found.field.u
    right, printed = descends(scaled_direction(field), field), descends(quotient(-field.u), field)
    coarse, sweeps = relaxed(field, COARSE)
    area = maps.read("maze")
    maze = solve(area, area.goal)  # type: ignore[arg-type]
    lost = [astray(coarse, field), astray(phi, field), astray(1.0 - maze.u, maze), astray(-maze.u, maze)]
    return [
        judged("PTH-2a", f"{SOURCE}, (3)", "alpha = atan2 of the fraction is the direction of the largest descent.",
               f"a short step along alpha descends: two arguments, the numerator first, at {right:.1%} of the free nodes; one fraction, as printed, at {printed:.1%}",
               [right == 1.0, printed == 1.0],
               "The sign is right. A fraction cannot tell a direction from its opposite: (3) needs the numerator (y) and the denominator (x) as two arguments."),
        judged("PTH-2b", f"{SOURCE}, (3)", "The field values of the surrounding grid points determine the direction.",
               f"share of nodes without a direction, or with one that climbs: Phi relaxed until it changes by less than {COARSE:g} ({sweeps} sweeps) {lost[0]:.0%}; "
               f"Phi exact to a double {lost[1]:.0%}, in the maze {lost[2]:.0%}; u = 1 - Phi, in the maze {lost[3]:.0%}",
               [share == 0.0 for share in lost],
               f"Far from the goal Phi is 1 to all digits: u = {field.u[6, 8]:.1e} at the start here, {maze.u[maze.reach].min():.0e} in the maze. Solve for u, directly."),
    ]  # fmt: skip


def points(found: FieldGround) -> dict[str, Any]:
    """Successive points in the direction of the largest descent."""
    path, ways = found.path, []
    steps = np.diff(path.points, axis=0)[:-2]  # the last ones go to the goal
    off = between(np.arctan2(steps[:, 1], steps[:, 0]), blended(-found.field.u, path.points[: len(steps)]))
    for h in (0.5, 0.25, 0.1):
        ways.append(path_from(found.field, found.map.start, step=h).length)  # type: ignore[arg-type]
    return judged("PTH-3", f"{SOURCE}, below (3)", "Each straight line from the current to the next point goes in the direction of the largest descent.",
                  f"h = 0.5 cells: {len(path.points)} points, {path.length:.1f} cells, {path.min_clearance:.2f} from the nearest wall node, lines within {np.degrees(off.max()):.0e} deg of the descent; "
                  f"{', '.join(f'{w:.2f}' for w in ways)} cells long for h = 0.5, 0.25, 0.1",
                  [path.status == "reached", float(off.max()) < 1e-6, abs((ways[0] - ways[1]) / (ways[1] - ways[2]) * 0.15 / 0.25 - 1.0) < 0.2],
                  "The length converges with the first order of h. Between nodes the four gradients round the point are blended; the length of the lines is not printed.")  # fmt: skip
