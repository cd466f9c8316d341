"""What cells came to, as bytes and back: the contents of a piece of a store.

    length of the head (4 bytes, little-endian) | head: JSON | values: float64 (cells, metrics), little-endian | status: a byte per cell

The head names the statuses that the bytes stand for, and holds the messages and warnings of the cells that have some. A metric that does not
apply to a cell is NaN, and so are all metrics of a cell that was refused or failed; its status and message say why.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from serpenoid.core.errors import StorageError
from serpenoid.formats.files import json_text

FAILED = "failed"  # status of a cell whose own code ended in an error, died, or took too long
LONGEST_TEXT = 500  # characters of a message
_LENGTH = struct.Struct("<I")


@dataclass
class Rows:
    """Cells one after another: values (cells, metrics), and per cell a status, a message and warnings."""

    values: np.ndarray
    status: list[str]
    messages: dict[int, str] = field(default_factory=dict)
    warnings: dict[int, list[str]] = field(default_factory=dict)

    @classmethod
    def empty(cls, cells: int, metrics: int) -> Rows:
        """Rows to be filled in."""
        return cls(np.full((cells, metrics), np.nan), [""] * cells)

    def put(self, row: int, status: str, message: str = "", warnings: Sequence[str] = ()) -> None:
        """Enter status, message and warnings of a cell."""
        self.status[row] = status
        if message:
            self.messages[row] = message[:LONGEST_TEXT]
        if warnings:
            self.warnings[row] = [text[:LONGEST_TEXT] for text in warnings]

    def packed(self) -> bytes:
        """The bytes: the same for the same cells."""
        names = sorted(set(self.status))
        head = {
            "cells": len(self.status), "metrics": self.values.shape[1], "status": names,
            "messages": {str(k): self.messages[k] for k in sorted(self.messages)},
            "warnings": {str(k): self.warnings[k] for k in sorted(self.warnings)},
        }  # fmt: skip
        text = json_text(head).encode()
        codes = np.array([names.index(name) for name in self.status], dtype=np.uint8)
        values = np.ascontiguousarray(self.values, dtype="<f8")
        values[np.isnan(values)] = np.nan  # one NaN, whatever its bits were
        return _LENGTH.pack(len(text)) + text + values.tobytes() + codes.tobytes()


def unpacked(data: bytes, cells: int, metrics: int) -> Rows:
    """Rows from their bytes; refused if they are not of so many cells and metrics."""
    try:
        (length,) = _LENGTH.unpack_from(data)
        head = json.loads(data[_LENGTH.size : _LENGTH.size + length])
        begin = _LENGTH.size + length
        middle = begin + 8 * cells * metrics
        if (head["cells"], head["metrics"], len(data)) != (cells, metrics, middle + cells):
            raise ValueError
        values = np.frombuffer(data[begin:middle], dtype="<f8").reshape(cells, metrics).astype(float)
        status = [head["status"][code] for code in data[middle:]]
        messages = {int(k): str(text) for k, text in head["messages"].items()}
        warnings = {int(k): [str(text) for text in texts] for k, texts in head["warnings"].items()}
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, struct.error) as error:
        raise StorageError("a chunk has another form than this version of serpenoid writes") from error
    return Rows(values, status, messages, warnings)
