"""The figure of the study: lag, amplitude and speed over tempo, by servo, beside the recorded ranges."""

from __future__ import annotations

from pathlib import Path

from serpenoid.studies.servo_tracking.judgement import AMPLITUDES, LAGS
from serpenoid.studies.servo_tracking.tracking import FREQUENCY, JointTrack
from serpenoid.view.style import GREY, LINES, dress, legend_below, save, titled

CALLED = {"own": "the robot's own"}
MARKS = ("o", "s", "^", "D", "v")


def tracking_figure(table: dict[tuple[str, float], JointTrack], path: Path) -> Path:
    """Draw lag, amplitude and speed."""
    figure = titled(12.0, 4.8, "How well servos follow a gait, and what that costs",
                    "Lines are the means over the joints, bands reach from the least to the greatest joint; grey is what was recorded on robots. Servos with high gains "
                    "follow; only a soft one lags and shrinks as the recorded ones do, and it loses speed. The robot's own: with the limits of its URDF; soft: a spring and damper that answer within 0.4 s.")  # fmt: skip
    lag, size, speed = figure.subplots(1, 3)
    names = list(dict.fromkeys(name for name, _ in table))
    for k, name in enumerate(names):
        tempos = sorted(tempo for other, tempo in table if other == name)
        x, tracks, colour = [FREQUENCY * t for t in tempos], [table[name, t] for t in tempos], LINES[k % len(LINES)]
        lag.plot(
            x,
            [t.lag[1] for t in tracks],
            marker=MARKS[k % len(MARKS)],
            color=colour,
            ms=5,
            label=CALLED.get(name, name),
        )
        lag.fill_between(x, [t.lag[0] for t in tracks], [t.lag[2] for t in tracks], color=colour, alpha=0.15, lw=0)
        size.plot(x, [t.amplitude[1] for t in tracks], marker=MARKS[k % len(MARKS)], color=colour, ms=5)
        size.fill_between(
            x, [t.amplitude[0] for t in tracks], [t.amplitude[2] for t in tracks], color=colour, alpha=0.15, lw=0
        )
        speed.plot(x, [t.speed for t in tracks], marker=MARKS[k % len(MARKS)], color=colour, ms=5)
    lag.axhspan(*LAGS, color=GREY, alpha=0.2, lw=0, label="recorded")
    size.axhspan(*AMPLITUDES, color=GREY, alpha=0.2, lw=0)
    dress(lag, "frequency of the gait [rad/s]", "lag of the joints [s]", "Joints lag the gait")
    dress(size, "frequency of the gait [rad/s]", "amplitude over that of the command", "They lose amplitude")
    dress(speed, "frequency of the gait [rad/s]", "speed of the robot [m/s]", "Both cost speed")
    size.set_ylim(0.0, 1.25)
    speed.set_ylim(bottom=0.0)
    lag.set_ylim(-0.02, 0.4)
    legend_below(figure, lag)
    return save(figure, path)
