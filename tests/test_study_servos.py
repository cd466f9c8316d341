"""The study of lagging joints: its verdicts, and how a lag is read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from serpenoid.studies.servo_tracking import tracking
from study_cases import check_verdicts, quick_study

VERDICTS = {"TRK-1": "does not hold", "TRK-2": "holds", "TRK-3": "holds", "TRK-4": "holds", "TRK-5": "does not hold"}


def test_the_quick_study_judges_and_draws(tmp_path: Path) -> None:
    result = quick_study("servo_tracking", tmp_path)
    check_verdicts(result, VERDICTS, Path(tracking.__file__).parent)
    assert result["told"][-1] == 1.0
    assert len(result["tracks"]) == len(tracking.QUICK) * len(tracking.servos())
    for track in result["tracks"]:
        assert track["status"] == "ok" and np.isfinite([*track["lag"], *track["amplitude"], track["speed"]]).all()


def test_a_stiffer_loop_lags_less() -> None:
    """In proportion to its time constant, where that is short: 1 / stiffness at equal damping."""
    from serpenoid.core.actuator import Servo

    slow, fast = (tracking.track(Servo(stiffness=k, damping=3.0), 0.6).lag[1] for k in (60.0, 240.0))
    assert slow / fast == pytest.approx(4.0, rel=0.25)
