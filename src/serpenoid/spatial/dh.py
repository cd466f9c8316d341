"""Where are the six links of the sidewinding robot, by the two Denavit-Hartenberg tables of its paper?

One row of a table is one joint; its four numbers make a transform by one of two conventions:

    proximal (Craig, "modified")     T_i = RotX(alpha_{i-1}) TransX(a_{i-1}) RotZ(theta_i) TransZ(d_i)
    distal (Siciliano, "standard")   T_i = RotZ(theta_i) TransZ(d_i) TransX(a_i) RotX(alpha_i)

Frame i is T_1 ... T_i. Everything here is the paper's: links and joints count from 1 at the HEAD, x points to the tail.

| symbol | meaning | unit |
|---|---|---|
| a, alpha | length and twist of the link between two axes | m, rad |
| d, theta | slide along and turn about the axis; the coordinate adds to one of them | m, rad |
| q1, q2, q3 | position z, y, x of universal joint 1 (the head's tail-side end) | m |
| q4, q5, q6 | yaw, pitch, roll of the head link | rad |
| q7, q8, ..., q15, q16 | yaw, then pitch, of joints 1 to 5 | rad |

Source: S. Sarrafan, A. Akbarzadeh, S. Molavipoor, M. Arhami, "Kinematics and Motion Analysis of a Three-Dimensional
Sidewinding Snake-like Robot" (2012), Tables 1 and 2. The texts `TABLE_1` and `TABLE_2` are as printed; what
`table_1` and `table_2` read differently:

1. the entries "1" of the a column are the letter l, the length of a link;
2. the names are crossed: Table 1 ("Denavit-Hartenberg") is proximal, Table 2 ("modified") is distal, so that its column
   heads should be a_i, alpha_i. By the other convention the poses are wrong by metres.

All rows are then right, and the last frame is

    Trans(q3, q2, q1) Rz(q4) Ry(q5) Rx(q6) prod_j Rz(q_{5+2j}) Ry(q_{6+2j}) TransX(l),  j = 1..5

for Table 1, and the same with all six pitches negated for Table 2, whose y axis points the other way.

3. The tables have five lengths for six links: joint 1 lies at the head's frame, and the head link itself on the other
   side of it, at x in [-l, 0]. `link_frames` and `link_nodes` add it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from serpenoid.core import FloatArray
from serpenoid.core.errors import InputError
from serpenoid.frames import screw_x, screw_z

CONVENTIONS = ("proximal", "distal")
LENGTH = 0.2  # m
YAW_ROWS = (7, 9, 11, 13, 15)  # of joints 1 to 5, in both tables

# columns: i, a_{i-1}, alpha_{i-1}, d_i, theta_i
TABLE_1 = """
 1  0  0      q1  0
 2  0  -pi/2  q2  -pi/2
 3  0  -pi/2  q3  -pi/2
 4  0  -pi/2  0   q4-pi/2
 5  0  -pi/2  0   q5-pi/2
 6  0  -pi/2  0   q6-pi/2
 7  0  -pi/2  0   q7-pi/2
 8  0  -pi/2  0   q8
 9  1  pi/2   0   q9
10  0  -pi/2  0   q10
11  1  pi/2   0   q11
12  0  -pi/2  0   q12
13  1  pi/2   0   q13
14  0  -pi/2  0   q14
15  1  pi/2   0   q15
16  0  -pi/2  0   q16
17  1  pi/2   0   0
"""
TABLE_2 = """
 1  0  -pi/2  q1  0
 2  0  -pi/2  q2  -pi/2
 3  0  pi/2   q3  pi/2
 4  0  pi/2   0   q4+pi/2
 5  0  pi/2   0   q5+pi/2
 6  0  pi/2   0   q6+pi/2
 7  0  pi/2   0   q7+pi/2
 8  1  -pi/2  0   q8
 9  0  pi/2   0   q9
10  1  -pi/2  0   q10
11  0  pi/2   0   q11
12  1  -pi/2  0   q12
13  0  pi/2   0   q13
14  1  -pi/2  0   q14
15  0  pi/2   0   q15
16  1  -pi/2  0   q16
"""
_ANGLES = {"": 0.0, "0": 0.0, "pi/2": 0.5 * np.pi, "+pi/2": 0.5 * np.pi, "-pi/2": -0.5 * np.pi}


class Row(NamedTuple):
    """One joint: `d` and `theta` are what the coordinate is added to."""

    a: float = 0.0  # m
    alpha: float = 0.0  # rad
    d: float = 0.0  # m
    theta: float = 0.0  # rad
    q: int = 0  # number of its coordinate, from 1; 0: none
    prismatic: bool = False  # the coordinate adds to d, otherwise to theta


@dataclass(frozen=True)
class DHTable:
    """Rows with the convention by which they are read."""

    rows: tuple[Row, ...]
    convention: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", tuple(self.rows))
        if self.convention not in CONVENTIONS:
            raise InputError(f"convention must be one of {', '.join(CONVENTIONS)}, got {self.convention!r}")
        for i, row in enumerate(self.rows, 1):
            if not (np.isfinite(row[:4]).all() and row.q >= 0):
                raise InputError(f"row {i} must have finite numbers and a coordinate from 0, got {tuple(row)}")

    @property
    def coordinates(self) -> int:
        """How many coordinates the rows take."""
        return max((row.q for row in self.rows), default=0)


def table_1(length: float = LENGTH) -> DHTable:
    """Table 1 of the paper for links of that length (m): proximal."""
    return _read(TABLE_1, length, "proximal")


def table_2(length: float = LENGTH) -> DHTable:
    """Table 2 of the paper for links of that length (m): distal."""
    return _read(TABLE_2, length, "distal")


def _read(text: str, length: float, convention: str) -> DHTable:
    """Rows of a printed table; "1" in the a column is the letter l."""
    if not (np.ndim(length) == 0 and np.isfinite(length) and length > 0.0):
        raise InputError(f"link length must be finite and > 0 m, got {length!r}")
    rows = []
    for line in text.strip().splitlines():
        number, a, alpha, d, theta = line.split()
        coordinate = int(number) if "q" in d + theta else 0  # the coordinate of row i is q_i
        offset = theta.removeprefix(f"q{number}")
        rows.append(
            Row(
                a=float(length) if a == "1" else 0.0,
                alpha=_ANGLES[alpha],
                theta=_ANGLES[offset],
                q=coordinate,
                prismatic="q" in d,
            )
        )
    return DHTable(tuple(rows), convention)


def transform(row: Row, convention: str, q: Any = 0.0) -> FloatArray:
    """Transform (..., 4, 4) of one row at the coordinate q, any shape."""
    value = np.asarray(q, dtype=float)
    slide, turn = (value, 0.0) if row.prismatic else (0.0, value)
    link, joint = screw_x(row.alpha, row.a), screw_z(row.d + slide, row.theta + turn)
    return link @ joint if convention == "proximal" else joint @ link


def frames(table: DHTable, q: Any) -> FloatArray:
    """Frames 0 (the world) to the last, (..., rows+1, 4, 4), for coordinates (..., c)."""
    values = _checked(table, q)
    found = [np.broadcast_to(np.eye(4), (*values.shape[:-1], 4, 4))]
    for row in table.rows:
        found.append(found[-1] @ transform(row, table.convention, values[..., row.q - 1] if row.q else 0.0))
    return np.stack(found, axis=-3)


def total(table: DHTable, q: Any) -> FloatArray:
    """The last frame, (..., 4, 4): that of the tail's end."""
    return frames(table, q)[..., -1, :, :]


def link_frames(table: DHTable, q: Any) -> FloatArray:
    """Frames (..., 6, 4, 4) of the paper's six links, head first: origin at the head-side end, x to the tail.

    A link ends where the next yaw axis stands on it: the frame of that yaw row with its coordinate at zero.
    """
    known = frames(table, q)
    if table.coordinates != 16:
        raise InputError(f"link_frames needs a table of the paper's robot, 16 coordinates; got {table.coordinates}")
    ends = []
    for number in YAW_ROWS:
        row = table.rows[number - 1]
        lead = screw_x(row.alpha, row.a) if table.convention == "proximal" else np.eye(4)
        ends.append(known[..., number - 1, :, :] @ lead @ screw_z(row.d, row.theta))
    ends.append(known[..., -1, :, :])
    return np.stack(ends, axis=-3) @ screw_x(0.0, -max(row.a for row in table.rows))


def link_nodes(table: DHTable, q: Any) -> FloatArray:
    """Ends (..., 7, 3) of the six links of the paper's robot: head's tip, joints 1 to 5, tail's end."""
    tail = total(table, q)[..., None, :3, 3]
    return np.concatenate([link_frames(table, q)[..., :3, 3], tail], axis=-2)


def _checked(table: DHTable, q: Any) -> FloatArray:
    """The coordinates as an array, refused unless (..., c) and finite."""
    try:
        values = np.asarray(q, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"q must be numbers, got {q!r}") from error
    if values.ndim == 0 or values.shape[-1] != table.coordinates:
        raise InputError(f"q must be (..., {table.coordinates}), got {values.shape}")
    if not np.isfinite(values).all():
        raise InputError("q must be finite")
    return values
