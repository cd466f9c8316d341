"""Joint states of a ROS 2 bag: a folder with metadata.yaml and one database (.db3, SQLite) or one MCAP file, read without ROS.

The database has the tables `topics` (id, name, type, serialization_format) and `messages` (topic_id, timestamp in ns, data in CDR). It is opened
for reading alone, its size is bounded, and a query that works too long is ended.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from urllib.parse import quote

from serpenoid.core.errors import InputError
from serpenoid.formats.mcap_reading import MOST_FILE, ROS, JointMessage, joint_messages, ros_message
from serpenoid.formats.opening import contained, content, named, parsing

SUFFIXES = (".db3", ".mcap")
MOST_MESSAGES, MOST_STEPS = 2_000_000, 20_000  # messages; thousands of steps of a query


def is_bag(path: str | Path) -> bool:
    """Whether a path names a ROS 2 bag: its folder or its database."""
    return str(path).lower().endswith(".db3") or Path(path).is_dir()


def bag_messages(path: str | Path, within: str | Path | None = None) -> list[JointMessage]:
    """The joint states of a bag, in the order in which they were recorded."""
    place = Path(path)
    if not place.is_dir():
        return _from_database(place, within)
    if within is not None:
        contained(str(place), "joint log", within)
    files = sorted(one for one in place.iterdir() if one.suffix.lower() in SUFFIXES)
    if len(files) != 1:
        raise InputError(
            f"{named(place)}: a ROS 2 bag has one file that ends in .db3 or .mcap, this folder {len(files)}"
        )
    return joint_messages(files[0], place) if files[0].suffix.lower() == ".mcap" else _from_database(files[0], place)


def _from_database(path: Path, within: str | Path | None) -> list[JointMessage]:
    """The joint states of a database."""
    source = named(path)
    if not content(path, "ROS 2 bag", MOST_FILE, within).startswith(b"SQLite format 3\0"):
        raise InputError(f"{source}: it is no database of a ROS 2 bag; compressed bags are not read")
    bag = sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1", uri=True)
    steps = iter(range(MOST_STEPS))
    bag.set_progress_handler(lambda: next(steps, None) is None, 1000)
    try:
        topics = bag.execute("SELECT id, name, type, serialization_format FROM topics LIMIT 1000").fetchall()
        found = [topic for topic in topics if topic[2] in ROS]
        if len(found) != 1:
            names = ", ".join(str(topic[1]) for topic in found)
            kinds = ", ".join(sorted({str(topic[2]) for topic in topics}))[:200]
            raise InputError(f"{source}: joint states stand on several topics ({names[:200]}); give a bag with one of them" if found
                             else f"{source}: it has no joint states ({ROS[0]}), but {kinds or 'nothing'}")  # fmt: skip
        if found[0][3] != "cdr":
            raise InputError(f"{source}: its messages are written in {str(found[0][3])[:40]!r}; known is cdr")
        rows = bag.execute("SELECT timestamp, data FROM messages WHERE topic_id = ? ORDER BY timestamp LIMIT ?", (found[0][0], MOST_MESSAGES)).fetchall()  # fmt: skip
    except sqlite3.Error as error:
        raise InputError(f"{source}: this is no database of a ROS 2 bag that can be read: {str(error)[:100]}") from None
    finally:
        bag.close()
    if not rows:
        raise InputError(f"{source}: its topic {str(found[0][1])[:60]} has no messages")
    with parsing(path, "has a message that is cut off or broken"):
        return [ros_message(memoryview(bytes(data)), int(stamp)) for stamp, data in rows]
