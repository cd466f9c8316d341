"""What every study owes: judged claims with reasons, figures that are pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

OWN_TESTS = {  # run there, once
    "pathfollow": "test_study_pathfollow.py",
    "sarrafan2012": "test_study_sarrafan.py",
    "shan1993": "test_study_shan.py",
}


def check_study(result: dict[str, Any]) -> None:
    """Refuse a study's result with a claim that is not judged, or a figure that is none."""
    assert result["claims"] and result["figures"]
    for claim in result["claims"]:
        assert set(claim) == {"id", "source", "claim", "measured", "verdict", "reason"}
        assert claim["verdict"] in ("holds", "holds in part", "does not hold")
        if claim["verdict"] != "holds":
            assert claim["reason"]
    assert all(Path(p).stat().st_size > 5000 for p in result["figures"])
    ids = [c["id"] for c in result["claims"]]
    assert len(ids) == len(set(ids))
