"""Plans carried out in dynamics.

| module | what lives there |
|---|---|
| `concertina` | the legs of a concertina plan with servos, pins and obstacles: `execute` |
| `driver` | what does that: servos and their references, pins, a feel for obstacles |
| `sensing` | contact inferred from joint torques alone |
| `crossing` | the same in space: hills, steps |
| `feeding` | a body fed along a path through walls |
| `creeping` | a free body that creeps along a path by itself, steered by its measured pose |

All run in the spatial engine; on level ground its motion is planar.
"""

from __future__ import annotations

from serpenoid.execution.concertina import Executed, execute
from serpenoid.execution.creeping import Wave, creep
from serpenoid.execution.driver import Feeling, Motors, Touch, walls_around
from serpenoid.execution.feeding import Drive, Passage, feed

__all__ = [
    "Drive",
    "Executed",
    "Feeling",
    "Motors",
    "Passage",
    "Touch",
    "Wave",
    "creep",
    "execute",
    "feed",
    "walls_around",
]
