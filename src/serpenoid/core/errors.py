"""What can go wrong, as four exceptions; each carries the exit code that the command line returns for it."""

from __future__ import annotations


class SerpenoidError(Exception):
    """Base of all errors that serpenoid raises on purpose."""

    exit_code = 5


class InputError(SerpenoidError, ValueError):
    """The description of a robot, gait, world or run is not acceptable; says what came and what is allowed."""

    exit_code = 2


class NumericalError(SerpenoidError, ArithmeticError):
    """A computation failed: diverged, did not converge, left the range where its result means anything."""

    exit_code = 3


class StorageError(SerpenoidError, OSError):
    """A file could not be read or written."""

    exit_code = 4
