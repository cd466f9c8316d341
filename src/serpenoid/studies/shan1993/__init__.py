"""Y. Shan, Y. Koren, "Design and Motion Planning of a Mechanical Snake" (1993), reproduced.

`run` judges the paper's statements by numbers, redraws Figs 6 to 11 and 13 to 16, executes the motion in dynamics and films it. README.md beside this
file says what the paper printed wrong or left out and which reading was chosen.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any


def run(out: Path, quick: bool = False, progress: Callable[[float], None] | None = None) -> dict[str, Any]:
    """Run the study; writes figures and films into `out` and returns claims and figure paths."""
    from serpenoid.planning import ConcertinaPlan
    from serpenoid.studies.shan1993 import contact, effort, figures, ground, joint, pattern, target
    from serpenoid.view.concertina import forces_figure, steps_figure

    def tell(share: float) -> None:
        if progress is not None:
            progress(share)

    fields = contact.fields_of(quick)
    tell(0.2)
    runs = effort.efforts(quick)
    tell(0.3)
    grounds = ground.grounds(quick)
    tell(0.4)
    found = [
        *pattern.claims(), *target.claims(quick), *joint.claims(), *contact.claims(fields), *effort.claims(runs),
        *ground.claims(grounds),
    ]  # fmt: skip
    tell(0.5)
    busiest = max((f.accommodated for f in fields), key=lambda p: (p.reached, len(p.contacts)))
    drawn = [
        figures.figure6(out / "fig6-basic-pattern.png"),
        figures.figures7_to_13(out / "fig7-10-13-stages.png"),
        steps_figure(ConcertinaPlan(figures.AIM).solve(), out / "fig11-target.png"),
        figures.figure14(out / "fig14-servo.png"),
        figures.figures15_16(out / "fig15-16-contacts.png"),
        figures.channel_and_energy(runs, out / "channel-and-energy.png"),
        forces_figure(runs.executed, out / "forces.png"),
        steps_figure(busiest, out / "cluttered-field.png"),
    ]
    if not quick:
        drawn += figures.films(runs, busiest, out, lambda f: tell(0.6 + 0.2 * f))
        drawn += ground.films(grounds, out, lambda f: tell(0.8 + 0.2 * f))
    tell(1.0)
    order = sorted(found, key=lambda claim: _place(claim["id"]))
    return {
        "status": "ok",
        "study": "shan1993",
        "quick": quick,
        "claims": order,
        "figures": [str(path) for path in drawn],
    }


def _place(name: str) -> tuple[int, str]:
    """Number and letter of a claim such as MSK-10a."""
    text = name.removeprefix("MSK-")
    return int(text.rstrip("abcdefgh")), text.lstrip("0123456789")
