"""MuJoCo, an optional package (extra `serpenoid[engines]`): imported on use, and kept from writing its log into the user's folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from serpenoid.core.errors import InputError

WRONG = "4.0.0"  # the version that is refused


def load_mujoco() -> Any:
    """Import MuJoCo, or say how to get it."""
    try:
        import mujoco
    except ImportError as error:
        raise InputError(
            'this needs MuJoCo, which is not installed; install it with: pip install "serpenoid[engines]"'
        ) from error
    if mujoco.__version__ == WRONG:
        raise InputError(
            f'MuJoCo {WRONG} factors some sparse matrices wrongly; install another version with: pip install "mujoco!={WRONG}"'
        )
    return mujoco


@contextmanager
def silence(mujoco: Any) -> Iterator[None]:
    """Keep MuJoCo's warnings off the terminal and out of its log file; the state still counts them."""
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda _: None)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(before)
