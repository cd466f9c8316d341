"""What a fleet reads of each robot after a stretch of time: columns of one row per robot, the same in the plane and in space.

| columns | what | unit |
|---|---|---|
| COM, VELOCITY | centre of gravity, world | m, m/s |
| WAY | horizontal direction of the mean link axis: cosine and sine | - |
| TIP, TIP_WAY | head's tip, world; horizontal direction of the head | m, - |
| UP, GYRO | the vertical, and the angular velocity, in the axes of the middle link | -, rad/s |
| WORK | positive work of the joints since the start | J |
| FIRST | from here on angles, rates and torques per degree of freedom, then the sideways force of walls per link (to the left > 0) | rad, rad/s, N m, N |

Arrays of a robot reach the kernels as rows of whole numbers: address, then up to three sizes.
"""

from __future__ import annotations

from serpenoid.compiled import carray, njit, pointer, table_at

TIME = 0
COM = 1  # 3
VELOCITY = 4  # 3
WAY = 7  # 2
TIP = 9  # 3
TIP_WAY = 12  # 2
UP = 14  # 3
GYRO = 17  # 3
WORK = 20
FIRST = 21

ADDRESS, SIZE = 0, 1  # columns of a row that says where an array is; sizes from SIZE on
ADDRESS_COLUMNS = 4
BLOCK = 4  # robots that a thread takes at a time


def width(dofs: int, links: int) -> int:
    """Columns of a robot."""
    return FIRST + 3 * dofs + links


@njit
def row_of(table, k):
    """Array number k of a table, with one dimension."""
    return carray(pointer(table[k, ADDRESS]), (table[k, SIZE],))


@njit
def table_of(table, k):
    """Array number k of a table, with two dimensions."""
    return table_at(table[k, ADDRESS], table[k, SIZE], table[k, SIZE + 1])
