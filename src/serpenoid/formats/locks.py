"""Locks that die with their holder: `flock` on a small file. No number of a process is written or trusted, so none can be mistaken."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path


def take_lock(path: Path, shared: bool = False) -> int | None:
    """The lock's open file, or None if somebody has it (or its last holder has just removed it)."""
    number = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    try:
        fcntl.flock(number, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(number), os.stat(path)):
            return number
    except (BlockingIOError, FileNotFoundError):
        pass
    except BaseException:
        os.close(number)
        raise
    os.close(number)
    return None


def lock_is_taken(path: Path) -> bool:
    """Whether somebody holds the lock now, alone."""
    try:
        number = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(number, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return False
    except BlockingIOError:
        return True
    finally:
        os.close(number)
