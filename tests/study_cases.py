"""What every study owes: judged claims with reasons, figures that are pictures."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from figure_cases import drawn
from serpenoid.studies import find

OWN_TESTS = {  # run there, once
    "atlas": "test_study_atlas.py",
    "pathfollow": "test_study_pathfollow.py",
    "sarrafan2012": "test_study_sarrafan.py",
    "servo_tracking": "test_study_servos.py",
    "shan1993": "test_study_shan.py",
    "validation": "test_study_validation.py",
}


def quick_study(name: str, out: Path) -> dict[str, Any]:
    """The quick study, with its folder and what it told of its progress."""
    told: list[float] = []
    with drawn() as figures:
        result = find(name).run(out, quick=True, progress=told.append)
    return {**result, "out": out, "told": told, "faults": {name: found for name, found in figures.items() if found}}


def check_verdicts(result: dict[str, Any], verdicts: dict[str, str], folder: Path) -> None:
    """The verdicts are those known, and the README beside the study counts them."""
    check_study(result)
    assert {claim["id"]: claim["verdict"] for claim in result["claims"]} == verdicts
    number = re.search(r"judges (\d+) statements", (folder / "README.md").read_text())
    assert number is not None and int(number[1]) == len(verdicts)


def check_study(result: dict[str, Any]) -> None:
    """Refuse a study's result with a claim that is not judged, or a figure that is none."""
    assert result["claims"] and result["figures"]
    assert not result.get("faults")
    for claim in result["claims"]:
        assert set(claim) == {"id", "source", "claim", "measured", "verdict", "reason"}
        assert claim["verdict"] in ("holds", "holds in part", "does not hold")
        if claim["verdict"] != "holds":
            assert claim["reason"]
    assert all(Path(p).stat().st_size > 5000 for p in result["figures"])
    ids = [c["id"] for c in result["claims"]]
    assert len(ids) == len(set(ids))
