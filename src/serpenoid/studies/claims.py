"""A claim of a source, judged by numbers: id, source, claim, measured, verdict, reason; the tally and the report of all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from serpenoid.core.door import Several, Table, door

HOLDS, IN_PART, FAILS = "holds", "holds in part", "does not hold"


@door
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


@door(claims=Several(item=Table(keys=("verdict",))))
def tally(claims: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """How many claims have each verdict."""
    return {verdict: sum(claim["verdict"] == verdict for claim in claims) for verdict in (HOLDS, IN_PART, FAILS)}


@door(counts=Table(keys=(HOLDS, IN_PART, FAILS)))
def tally_text(counts: Mapping[str, int]) -> str:
    """The tally in a line: "39 claims: 30 hold, 8 in part, 1 does not"."""
    total, fails = sum(counts.values()), counts[FAILS]
    parts = [f"{counts[HOLDS]} hold{'s' if counts[HOLDS] == 1 else ''}"]
    parts += [f"{counts[IN_PART]} in part"] if counts[IN_PART] else []
    parts += [f"{fails} do{'es' if fails == 1 else ''} not"] if fails else []
    return f"{total} claim{'' if total == 1 else 's'}: {', '.join(parts)}"


@door(result=Table(keys=("claims", "figures")))
def report(name: str, result: Mapping[str, Any]) -> str:
    """The whole study as Markdown: the tally, every claim with what was measured, and the figures."""
    from pathlib import Path

    lines = [
        f"# {name}",
        "",
        f"{tally_text(tally(result['claims']))}." + (" Coarse sweeps (--quick)." if result.get("quick") else ""),
        "",
    ]
    for claim in result["claims"]:
        lines += [f"## {claim['id']}: {claim['verdict']}", "", f"**Claim** ({claim['source']}): {claim['claim']}", ""]
        lines += [f"**Measured:** {claim['measured']}", ""]
        lines += [f"**Reason:** {claim['reason']}", ""] if claim["reason"] else []
    for figure in result["figures"]:
        lines += [f"![{Path(figure).stem}]({Path(figure).name})", ""]
    return "\n".join(lines)
