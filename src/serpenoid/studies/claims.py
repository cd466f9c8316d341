"""A claim of a source, judged by numbers: id, source, claim, measured, verdict, reason."""

from __future__ import annotations

from typing import Any

HOLDS, IN_PART, FAILS = "holds", "holds in part", "does not hold"


def judged(
    id: str,
    source: str,
    claim: str,
    measured: str,
    parts: list[bool],
    reason: str = "",
    *,
    reason_if_fails: str = "",
) -> dict[str, Any]:
    """A row of the table of claims; the verdict follows from the parts: all, some or none of them true."""
    verdict = HOLDS if all(parts) else IN_PART if any(parts) else FAILS
    text = reason if verdict == HOLDS or not reason_if_fails else reason_if_fails
    return {
        "id": id,
        "source": source,
        "claim": claim,
        "measured": measured,
        "verdict": verdict,
        "reason": text,
    }
